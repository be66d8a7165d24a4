// Amounts over real HTTP, as raw JSON text: what is taken as money, for transfers and withdrawals alike.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectNoChange } from "../support/expect-wire.ts";
import { GOOD_ACCOUNT, Installation, type TestMerchant } from "../support/installation.ts";
import type { Answer } from "../support/nodal.ts";

/** JSON texts. */
const REFUSED = [
  "0",
  "-1",
  "1e3",
  '"1.234"',
  "99999999999999999",
  "null",
  "{}",
  '"१००"',
  '""',
  '" "',
  "[]",
  "[100]",
  "true",
  '"abc"',
  '"1,000"',
  '"₹100"',
  '"+100"',
  '"-100"',
  '"0x10"',
  '"1e3"',
  '"1."',
  '".5"',
  '"0"',
  '"0.00"',
  "0.0",
  "-0",
  "1.234",
  "0.001",
  "100.000",
  "1E2",
  "1e-2",
  "1e400",
  "12345678901234",
  '"12345678901234"',
  '"1 000"',
  '"100.5.5"',
  '"Infinity"',
  '"NaN"',
  '"100\\u0000"',
  "9007199254740993.55",
  '{"amount":"100"}',
  "1000000000000000000000000",
];
/** JSON text, and the amount it stands for. */
const TAKEN: [string, string][] = [
  ['"100"', "100.00"],
  ["100", "100.00"],
  ['"100.50"', "100.50"],
  ["100.50", "100.50"],
  ["100.5", "100.50"],
  ['"100.5"', "100.50"],
  ['"0.01"', "0.01"],
  ["0.01", "0.01"],
  ['" 100.50 "', "100.50"],
  ['"0100"', "100.00"],
  ["0.29", "0.29"],
  ["1.15", "1.15"],
  ["8.41", "8.41"],
  ["4503599627370.49", "4503599627370.49"],
];

let installation: Installation;

beforeAll(async () => {
  installation = await Installation.start({ TRANSFER_WAIT_MS: "0" });
});
afterAll(() => installation.stop());

type Request = (merchant: TestMerchant, beneficiaryId: string, amount: string, reference: string) => Promise<Answer>;
const requests: Record<string, Request> = {
  transfer: (merchant, beneficiaryId, amount, reference) =>
    merchant.transfer(`{"beneficiary_id":"${beneficiaryId}","reference_id":"${reference}","amount":${amount}}`),
  withdraw: (merchant, _beneficiaryId, amount, reference) =>
    merchant.withdraw(`{"amount":${amount},"reference_id":"${reference}"}`),
};

describe.each(Object.keys(requests))("%s", (name) => {
  let merchant: TestMerchant;
  let beneficiaryId: string;

  beforeAll(async () => {
    merchant = await installation.newMerchant({ fund: "9999999999999.99", bank: GOOD_ACCOUNT });
    beneficiaryId = await merchant.addBeneficiary();
  });

  test("refuses what is no amount with an error on that field, and moves nothing", async () => {
    await expectNoChange(merchant, async () => {
      for (const amount of REFUSED) {
        const answer = await requests[name]!(merchant, beneficiaryId, amount, "refused");
        const isAbsent = ["null", '""', '" "'].includes(amount);
        const fields = [`amount ${isAbsent ? "required" : "invalid"}`];
        expect(answer.body.errors, amount).toBeDefined();
        expect(answer).toBeRefusal({ status: 400, code: "validation_failed", fields });
      }
    });
  });

  test.each(TAKEN)("takes %s as %s", async (sent, amount) => {
    const answer = await requests[name]!(
      merchant,
      beneficiaryId,
      sent,
      `taken-${TAKEN.findIndex(([one]) => one === sent)}`,
    );
    expect(answer.status).toBe(200);
    const record = await merchant.record((answer.body.transfer_id ?? answer.body.withdrawal_id) as string);
    expect(record["amount"]).toBe(amount);
  });
});

test("a missing amount is named together with the other failing fields", async () => {
  const merchant = await installation.newMerchant({ bank: GOOD_ACCOUNT });
  expect(await merchant.transfer({})).toBeRefusal({
    status: 400,
    code: "validation_failed",
    fields: ["beneficiary_id required", "amount required", "reference_id required"],
  });
  expect(await merchant.withdraw({ narrative: "x".repeat(101) })).toBeRefusal({
    status: 400,
    code: "validation_failed",
    fields: ["amount required", "narrative too_long"],
  });
});

test("paise add up exactly", async () => {
  const saver = await installation.newMerchant({ fund: "1.00" });
  const beneficiary_id = await saver.addBeneficiary();
  for (const [index, amount] of ["0.10", 0.2, "0.07", 0.03].entries()) {
    expect((await saver.transfer({ beneficiary_id, amount, reference_id: `part-${index}` })).status).toBe(200);
  }
  expect(await saver.available()).toBe("0.60");
});

test("afterwards the books are sound, and every answer had a documented status", async () => {
  expect(await installation.findProblems()).toEqual([]);
});
