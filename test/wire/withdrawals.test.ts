// Withdrawals over real HTTP: to the merchant's own bank account, with and without a reference. Its amounts are in
// amounts.test.ts.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectNoChange } from "../support/expect-wire.ts";
import { GOOD_ACCOUNT, Installation, type Account, type Members } from "../support/installation.ts";
import { nodalJson } from "../support/nodal.ts";

let installation: Installation;

beforeAll(async () => {
  installation = await Installation.shared();
});
afterAll(() => installation.stop());

test("a withdrawal without a reference answers with its id and the bank's reference", async () => {
  const merchant = await installation.newMerchant({ fund: "1000.00", bank: GOOD_ACCOUNT });
  const answer = await merchant.withdraw({ amount: "100", narrative: "Weekly sweep" });
  expect(answer.body).toStrictEqual({
    success: "The withdrawal was successful.",
    status: "1",
    withdrawal_id: expect.stringMatching(/^[0-9]{1,16}$/) as string,
    withdrawal_status: "SUCCESS",
    utr_number: expect.stringMatching(/^[0-9]{12}$/) as string,
  });
  expect(answer.status).toBe(200);
  const { withdrawal_id, utr_number } = answer.body as { withdrawal_id: string; utr_number: string };
  expect(await merchant.record(withdrawal_id)).toStrictEqual({
    transferId: withdrawal_id,
    referenceId: "",
    bankAccount: GOOD_ACCOUNT.account_number,
    beneId: "",
    amount: "100.00",
    status: "SUCCESS",
    utr: utr_number,
    addedOn: expect.stringMatching(/^20\d\d-/) as string,
    processedOn: expect.stringMatching(/^20\d\d-/) as string,
    acknowledged: 1,
  });
  expect(await merchant.available()).toBe("900.00");
});

test("without a reference each request is a withdrawal of its own", async () => {
  const merchant = await installation.newMerchant({ fund: "1000.00", bank: GOOD_ACCOUNT });
  const answers = await Promise.all(Array.from({ length: 20 }, () => merchant.withdraw({ amount: 10 })));
  expect(new Set(answers.map((answer) => answer.body.withdrawal_id as string)).size).toBe(20);
  expect(await merchant.available()).toBe("800.00");
});

test("an empty reference is none", async () => {
  const merchant = await installation.newMerchant({ fund: "1000.00", bank: GOOD_ACCOUNT });
  for (const reference_id of ["", null]) await merchant.withdraw({ amount: 10, reference_id });
  expect(await merchant.available()).toBe("980.00");
});

describe("a reference", () => {
  test("makes one withdrawal, however often and at once it is sent, and finds it", async () => {
    const merchant = await installation.newMerchant({ fund: "1000.00", bank: GOOD_ACCOUNT });
    const body = { amount: "60.00", reference_id: 77 };
    const answers = await Promise.all(Array.from({ length: 30 }, () => merchant.withdraw(body)));
    const late = await merchant.withdraw({ amount: 60, reference_id: "77", narrative: "another word" });
    const { withdrawal_id } = late.body as { withdrawal_id: string };
    for (const answer of [...answers, late]) expect(answer.body).toMatchObject({ withdrawal_id, status: "1" });
    expect(late.body).toMatchObject({ withdrawal_status: "SUCCESS" });
    const { body: status } = await merchant.status("referenceid", "77");
    expect(status.success.transfer).toMatchObject({ referenceId: 77, transferId: withdrawal_id, amount: "60.00" });
    expect(await merchant.available()).toBe("940.00");
  });

  test("for another amount, or of a transfer, is a conflict", async () => {
    const merchant = await installation.newMerchant({ fund: "1000.00", bank: GOOD_ACCOUNT });
    const beneficiary_id = await merchant.addBeneficiary();
    const { body: withdrawal } = await merchant.withdraw({ amount: "60.00", reference_id: "w" });
    const { body: transfer } = await merchant.transfer({ beneficiary_id, amount: "60.00", reference_id: "t" });
    await expectNoChange(merchant, async () => {
      const conflict = (id: unknown) => ({ status: 409, code: "reference_conflict", details: { transfer_id: id } });
      const other = await merchant.withdraw({ amount: "60.01", reference_id: "w" });
      expect(other).toBeRefusal(conflict(withdrawal.withdrawal_id));
      const sameAsTransfer = await merchant.withdraw({ amount: "60.00", reference_id: "t" });
      expect(sameAsTransfer).toBeRefusal(conflict(transfer.transfer_id));
      const transferAgain = await merchant.transfer({ beneficiary_id, amount: "60.00", reference_id: "w" });
      expect(transferAgain).toBeRefusal(conflict(withdrawal.withdrawal_id));
    });
  });

  test("is not used up by a refusal", async () => {
    const merchant = await installation.newMerchant({ fund: "10.00", bank: GOOD_ACCOUNT });
    await expectNoChange(merchant, async () => {
      const tooMuch = await merchant.withdraw({ amount: "10.01", reference_id: "w" });
      expect(tooMuch).toBeRefusal({ status: 422, code: "insufficient_balance" });
    });
    expect((await merchant.withdraw({ amount: "10.00", reference_id: "w" })).status).toBe(200);
    expect(await merchant.available()).toBe("0.00");
  });
});

test("without a bank account there is none, until the operator adds one", async () => {
  const merchant = await installation.newMerchant({ fund: "1000.00" });
  await expectNoChange(merchant, async () => {
    expect(await merchant.withdraw({ amount: "1.00" })).toBeRefusal({ status: 422, code: "no_bank_account" });
    const both = await merchant.withdraw({ amount: "0", reference_id: "r".repeat(65) });
    const fields = ["amount invalid", "reference_id too_long"];
    expect(both).toBeRefusal({ status: 400, code: "validation_failed", fields });
  });
  const { account_number, ifsc } = GOOD_ACCOUNT;
  const set = ["merchant", "set", "--merchant", merchant.id, "--bank-account", account_number, "--ifsc", ifsc];
  await nodalJson(installation.environment, ...set);
  // Longer than the server remembers the merchant.
  await sleep(2500);
  expect((await merchant.withdraw({ amount: "1.00" })).body).toMatchObject({ withdrawal_status: "SUCCESS" });
  expect(await merchant.available()).toBe("999.00");
});

const outcomes: [Account, string, Members, string][] = [
  [{ account_number: "1234567890", ifsc: "ICIC0000001" }, "FAILED", { status: "FAILED" }, "100.00"],
  [{ account_number: "007711000031", ifsc: "HDFC0000077" }, "PENDING", { status: "PENDING" }, "40.00"],
  [{ account_number: "7766666351000", ifsc: "YESB0000001" }, "PENDING", { status: "FAILED" }, "100.00"],
  [{ account_number: "7766671735000", ifsc: "SBIN0000004" }, "SUCCESS", { status: "REVERSED" }, "100.00"],
];
test.each(outcomes)("to %o is %s at first", async (bank, first, later, balance) => {
  const merchant = await installation.newMerchant({ fund: "100.00", bank });
  const { body } = await merchant.withdraw({ amount: "60.00" });
  expect(body).toMatchObject({ status: "1", withdrawal_status: first });
  if (first === "FAILED") expect(body.reason).toMatch(/\S/);
  const record = await merchant.recordWith(later["status"] as string, body.withdrawal_id as string, 2000);
  expect(record).toMatchObject(later);
  expect(await merchant.available()).toBe(balance);
});

test("above the IMPS limit it goes by RTGS", async () => {
  const merchant = await installation.newMerchant({ fund: "1000000.00", bank: GOOD_ACCOUNT });
  const { body } = await merchant.withdraw({ amount: "500000.01" });
  expect(body.utr_number).toMatch(/^YESBRC[0-9]{16}$/);
});

test("afterwards the books are sound, and every answer had a documented status", async () => {
  expect(await installation.findProblems()).toEqual([]);
});
