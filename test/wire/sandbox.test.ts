// The sandbox accounts (docs/rules/rails.md#simulated-bank) over real HTTP: what a transfer to each is answered with,
// and what becomes of it later. Each account is paid by a merchant of its own.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GOOD_ACCOUNT, Installation, type Members, type TestMerchant } from "../support/installation.ts";

const LATER_STEP_MS = 2000;
const TRANSFER_WAIT_MS = 2000;
const SILENCE_MS = 25_000;

type Case = { readonly title: string; readonly to: Members; readonly mode?: string };

function bank(account_number: string, ifsc: string): Case {
  return { title: `${account_number} / ${ifsc}`, to: { account_number, ifsc } };
}

function handle(upi: string): Case {
  return { title: upi, to: { upi } };
}

const SUCCESS: Case[] = [
  bank("026291800001191", "YESB0000262"),
  bank("00011020001772", "HDFC0000001"),
  bank("1233943142", "ICIC0000009"),
  bank("000890289871772", "SCBL0036078"),
  bank("000100289877623", "SBIN0008752"),
  bank("555000111222", "KKBK0000999"),
  handle("success@upi"),
  handle("anybody@okbank"),
];
const FAILED: (Case & { readonly reason: RegExp })[] = [
  { ...bank("2640101002729", "CNRR0002640"), reason: /IFSC/ },
  { ...bank("1234567890", "ICIC0000001"), reason: /IFSC/ },
  { ...bank("026291800001190", "YESB0000262"), reason: /ACCOUNT/ },
  { ...bank("234005000876", "ICIC0000007"), reason: /ACCOUNT/ },
  { ...handle("failure@upi"), reason: /\S/ },
  {
    title: "a good account and failure@upi, by UPI",
    to: { ...GOOD_ACCOUNT, upi: "failure@upi" },
    mode: "upi",
    reason: /\S/,
  },
];

let installation: Installation;
let silent: { merchant: TestMerchant; transferId: string; askedAt: number };

beforeAll(async () => {
  installation = await Installation.shared();
  silent = await askSilentBank();
});
afterAll(() => installation.stop());

async function pay({ to, mode }: Case): Promise<{ merchant: TestMerchant; body: Members; transferId: string }> {
  const merchant = await installation.newMerchant({ fund: "500.00" });
  const beneficiary_id = await merchant.addBeneficiary(to);
  const answer = await merchant.transfer({ beneficiary_id, amount: "200.00", reference_id: "one", mode });
  expect(answer.status).toBe(200);
  const body = answer.body as Members;
  return { merchant, body, transferId: body["transfer_id"] as string };
}

async function askSilentBank(): Promise<typeof silent> {
  const askedAt = performance.now();
  const { merchant, body, transferId } = await pay(bank("34978321547298", "KKBK0000001"));
  expect(performance.now() - askedAt).toBeGreaterThan(TRANSFER_WAIT_MS - 50);
  // The answer did not wait for the bank.
  expect(body).toMatchObject({ status: "1", transfer_status: "PENDING", utr_number: "" });
  return { merchant, transferId, askedAt };
}

async function expectBalance(merchant: TestMerchant, available: string, ledger: string): Promise<void> {
  const { body } = await merchant.balance();
  const expected = { balance: available, status: "1", ledger_balance: ledger, available_balance: available };
  expect(body).toStrictEqual(expected);
}

test.each(SUCCESS)("SUCCESS: $title", async (success) => {
  const { merchant, body, transferId } = await pay(success);
  expect(body).toStrictEqual({
    success: "The transfer was successful.",
    status: "1",
    transfer_status: "SUCCESS",
    utr_number: expect.stringMatching(/^[0-9]{12}$/) as string,
    transfer_id: transferId,
  });
  const record = await merchant.record(transferId);
  expect(record).toMatchObject({ status: "SUCCESS", utr: body["utr_number"], acknowledged: 1 });
  expect(record).not.toHaveProperty("reason");
  await expectBalance(merchant, "300.00", "300.00");
});

test.each(FAILED)("FAILED: $title", async ({ reason, ...failed }) => {
  const { merchant, body, transferId } = await pay(failed);
  expect(body).toStrictEqual({
    success: "The transfer failed; the amount is back in the balance.",
    status: "1",
    transfer_status: "FAILED",
    utr_number: "",
    transfer_id: transferId,
    reason: expect.stringMatching(reason) as string,
  });
  const record = await merchant.record(transferId);
  expect(record).toMatchObject({ status: "FAILED", utr: "", acknowledged: 0, reason: body["reason"] });
  expect(record["processedOn"]).not.toBe("");
  await expectBalance(merchant, "500.00", "500.00");
});

test("PENDING for good: the money stays held, and the same reference answers PENDING", async () => {
  const { merchant, body, transferId } = await pay(bank("007711000031", "HDFC0000077"));
  expect(body).toStrictEqual({
    success: "The transfer was accepted; its outcome is pending.",
    status: "1",
    transfer_status: "PENDING",
    utr_number: "",
    transfer_id: transferId,
  });
  const record = await merchant.record(transferId);
  expect(record).toMatchObject({ status: "PENDING", utr: "", processedOn: "", acknowledged: 0 });
  const again = await merchant.transfer({ beneficiary_id: record["beneId"], amount: 200, reference_id: "one" });
  expect(again.body).toStrictEqual(body);
  await expectBalance(merchant, "300.00", "500.00");
});

describe("a later step comes within 2 s", () => {
  test("PENDING, then SUCCESS; the same reference answers with the present status", async () => {
    const { merchant, body, transferId } = await pay(bank("00224412311300", "YESB0000001"));
    expect(body).toMatchObject({ transfer_status: "PENDING", utr_number: "" });
    await expectBalance(merchant, "300.00", "500.00");
    const record = await merchant.recordWith("SUCCESS", transferId, LATER_STEP_MS);
    expect(record).toMatchObject({ status: "SUCCESS", acknowledged: 1 });
    expect(record["utr"]).toMatch(/^[0-9]{12}$/);
    const again = await merchant.transfer({ beneficiary_id: record["beneId"], amount: 200, reference_id: "one" });
    expect(again.body).toMatchObject({
      transfer_status: "SUCCESS",
      utr_number: record["utr"],
      transfer_id: transferId,
    });
    await expectBalance(merchant, "300.00", "300.00");
  });

  test("PENDING, then FAILED: the money is back", async () => {
    const { merchant, body, transferId } = await pay(bank("7766666351000", "YESB0000001"));
    expect(body).toMatchObject({ transfer_status: "PENDING" });
    const record = await merchant.recordWith("FAILED", transferId, LATER_STEP_MS);
    expect(record).toMatchObject({ status: "FAILED", utr: "", reason: expect.stringMatching(/\S/) as string });
    await expectBalance(merchant, "500.00", "500.00");
    const again = await merchant.transfer({ beneficiary_id: record["beneId"], amount: 200, reference_id: "one" });
    expect(again.body).toMatchObject({ transfer_status: "FAILED", reason: record["reason"], transfer_id: transferId });
    await expectBalance(merchant, "500.00", "500.00");
  });

  test.each([bank("7766671735000", "SBIN0000004"), bank("02014457596969", "CITI0000001")])(
    "SUCCESS, then REVERSED: the money is back: $title",
    async (reversed) => {
      const { merchant, body, transferId } = await pay(reversed);
      expect(body).toMatchObject({ transfer_status: "SUCCESS" });
      const record = await merchant.recordWith("REVERSED", transferId, LATER_STEP_MS);
      expect(record).toMatchObject({ status: "REVERSED", acknowledged: 0, utr: body["utr_number"] });
      expect(record["reason"]).toMatch(/\S/);
      await expectBalance(merchant, "500.00", "500.00");
    },
  );
});

test("money that came back can be sent again", async () => {
  const { merchant, transferId } = await pay(bank("1234567890", "ICIC0000001"));
  expect((await merchant.record(transferId))["status"]).toBe("FAILED");
  const beneficiary_id = await merchant.addBeneficiary();
  const all = await merchant.transfer({ beneficiary_id, amount: "500.00", reference_id: "two" });
  expect(all.body).toMatchObject({ transfer_status: "SUCCESS" });
  await expectBalance(merchant, "0.00", "0.00");
});

test("a bank that is silent for 25 s: PENDING at first, SUCCESS in the end", async () => {
  const { merchant, transferId, askedAt } = silent;
  const first = await merchant.record(transferId);
  // The bank was still silent when this was read.
  if (performance.now() - askedAt < SILENCE_MS) expect(first).toMatchObject({ status: "PENDING", utr: "" });
  const record = await merchant.recordWith("SUCCESS", transferId, SILENCE_MS + 10_000);
  expect(record).toMatchObject({ status: "SUCCESS", acknowledged: 1 });
  expect(record["utr"]).toMatch(/^[0-9]{12}$/);
  expect(performance.now() - askedAt).toBeGreaterThan(SILENCE_MS - 1000);
  await expectBalance(merchant, "300.00", "300.00");
});

test("afterwards the books are sound, and every answer had a documented status", async () => {
  expect(await installation.findProblems()).toEqual([]);
});
