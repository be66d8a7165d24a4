// Policies over real HTTP: what the API answers to a merchant whose payouts have limits or need a second person. The
// rules are in src/approvals/.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { requireMerchant, changePayoutPolicy, type PolicyChanges } from "../../src/merchants/index.ts";
import { approve } from "../../src/approvals/index.ts";
import { IdSource } from "../../src/platform/database/ids.ts";
import { settledToday } from "../support/days.ts";
import { expectNoChange } from "../support/expect-wire.ts";
import { GOOD_ACCOUNT, Installation, type TestMerchant } from "../support/installation.ts";
import { nodal, NodalProcess, nodalJson, send } from "../support/nodal.ts";

let installation: Installation;

beforeAll(async () => {
  // Nothing that waits for approval may wait for the bank: an answer would take a minute.
  installation = await Installation.startProcess({ TRANSFER_WAIT_MS: "60000" });
});
afterAll(() => installation.stop());

async function newMerchant(changes: PolicyChanges, fund = "1000.00"): Promise<TestMerchant> {
  const merchant = await installation.newMerchant({ fund, bank: GOOD_ACCOUNT });
  await set(merchant, changes);
  return merchant;
}

async function set({ id }: TestMerchant, changes: PolicyChanges): Promise<void> {
  const { pool } = installation;
  const merchant = await requireMerchant(pool, BigInt(id));
  await changePayoutPolicy({ pool, ids: new IdSource(pool), merchant }, changes);
}

function run<T>(merchant: TestMerchant, ...args: string[]): Promise<T> {
  return nodalJson<T>(installation.environment, ...args, "--merchant", merchant.id);
}

type ShownApproval = Record<string, string | null>;

describe("a payout over the limit for approvals", () => {
  test("is PENDING at once, and goes its way when somebody approves it", async () => {
    const merchant = await newMerchant({ approveOverPaise: 50_000n });
    const beneficiary_id = await merchant.addBeneficiary();
    const small = await merchant.transfer({ beneficiary_id, amount: "500.00", reference_id: "small" });
    expect(small.body).toMatchObject({ transfer_status: "SUCCESS" });
    const payoutRequest = { beneficiary_id, amount: "500.01", reference_id: 7 };
    // The balance does not cover it: that is said as ever.
    expect(await merchant.transfer(payoutRequest)).toBeRefusal({ status: 422, code: "insufficient_balance" });
    await merchant.withdraw({ amount: "0.02", reference_id: "w" });
    await set(merchant, { approveOverPaise: 0n });
    const answer = await merchant.transfer({ ...payoutRequest, amount: "400.00" });
    const transfer_id = answer.body.transfer_id as string;
    expect(answer.body).toStrictEqual({
      success: "The transfer was accepted; it waits for approval.",
      status: "1",
      transfer_id,
      transfer_status: "PENDING",
      utr_number: "",
      reason: "Waiting for approval.",
    });
    const again = await merchant.transfer({ ...payoutRequest, amount: "400.00" });
    expect(again.body).toStrictEqual(answer.body);
    expect(await merchant.record(transfer_id)).toMatchObject({
      referenceId: 7,
      status: "PENDING",
      reason: "Waiting for approval.",
      processedOn: "",
      utr: "",
    });
    expect(await merchant.available()).toBe("99.98");

    const [listed] = await run<ShownApproval[]>(merchant, "approval", "list");
    expect(listed).toMatchObject({ approval_id: transfer_id, kind: "transfer", status: "open" });
    expect(listed!["requested_by"]).toBe(`key:${merchant.keys.access_key_id}`);
    const shown = await run<ShownApproval>(merchant, "approval", "show", "--approval", transfer_id);
    expect(shown).toMatchObject({ amount: "400.00", payee_name: "Asha Rao", account_number: "XXXX1191" });
    const approved = await run<ShownApproval>(
      merchant,
      "approval",
      "approve",
      "--approval",
      transfer_id,
      "--note",
      "ok",
    );
    expect(approved).toMatchObject({ status: "approved", note: "ok" });
    const record = await merchant.recordWith("SUCCESS", transfer_id);
    expect(record).toMatchObject({ status: "SUCCESS", utr: expect.stringMatching(/^[0-9]{12}$/) as unknown });
    expect(record).not.toHaveProperty("reason");
    expect((await merchant.transfer({ ...payoutRequest, amount: "400.00" })).body).toMatchObject({
      transfer_status: "SUCCESS",
    });
  });

  test("of a withdrawal is REJECTED with the note, and its money is back", async () => {
    const merchant = await newMerchant({ approveOverPaise: 0n });
    const { body } = await merchant.withdraw({ amount: "600.00" });
    expect(body).toMatchObject({ withdrawal_status: "PENDING", reason: "Waiting for approval." });
    const approval = body.withdrawal_id as string;
    await run(merchant, "approval", "reject", "--approval", approval, "--note", "Not today");
    expect(await merchant.record(approval)).toMatchObject({
      status: "REJECTED",
      reason: "The request was rejected: Not today",
      processedOn: expect.stringMatching(/^20/) as unknown,
    });
    expect(await merchant.available()).toBe("1000.00");
    const twice = await nodal(
      installation.environment,
      "approval",
      "approve",
      "--merchant",
      merchant.id,
      "--approval",
      approval,
    );
    expect([twice.code, twice.stderr]).toEqual([1, expect.stringContaining("was already")]);
    const foreign = await newMerchant({});
    const other = await nodal(
      installation.environment,
      "approval",
      "approve",
      "--merchant",
      foreign.id,
      "--approval",
      approval,
    );
    expect([other.code, other.stderr]).toEqual([1, expect.stringContaining("approval does not exist")]);
  });
});

describe("a limit", () => {
  test("refuses what is over it, says how much is left, and keeps the reference free", async () => {
    await settledToday();
    const merchant = await newMerchant({ transferLimitPaise: 30_000n, dailyLimitPaise: 40_000n });
    const beneficiary_id = await merchant.addBeneficiary();
    await expectNoChange(merchant, async () => {
      const refusal = { status: 422, code: "limit_exceeded", details: { limit: "300.00" } };
      expect(await merchant.transfer({ beneficiary_id, amount: "300.01", reference_id: "r" })).toBeRefusal(refusal);
      expect(await merchant.withdraw({ amount: "300.01" })).toBeRefusal(refusal);
    });
    await merchant.transfer({ beneficiary_id, amount: "300.00", reference_id: "r" });
    await expectNoChange(merchant, async () => {
      const details = { limit: "400.00", left_today: "100.00" };
      const refused = await merchant.withdraw({ amount: "100.01" });
      expect(refused).toBeRefusal({ status: 422, code: "limit_exceeded", details });
      expect(refused.body.error).toContain("₹100 left today of");
    });
    expect((await merchant.withdraw({ amount: "100.00" })).body).toMatchObject({ withdrawal_status: "SUCCESS" });
  });

  test("of cooling-off names the time from which on the beneficiary can be paid", async () => {
    const merchant = await newMerchant({ coolingOffMinutes: 10 });
    const beneficiary_id = await merchant.addBeneficiary();
    const answer = await merchant.transfer({ beneficiary_id, amount: "1.00", reference_id: "r" });
    const { payable_from } = answer.body as { payable_from: string };
    expect(answer).toBeRefusal({ status: 422, code: "limit_exceeded", details: { payable_from } });
    const saved = ((await merchant.list()).body.success as Record<string, string>[])[0]!["created_date"]!;
    const minutes = Temporal.PlainDateTime.from(payable_from)
      .since(Temporal.PlainDateTime.from(saved))
      .total("minutes");
    expect(Math.round(minutes)).toBe(10);
    expect(answer.body.error).toContain(payable_from);
    expect((await merchant.withdraw({ amount: "1.00" })).status).toBe(200);
  });
});

describe("a beneficiary that needs a second person", () => {
  test("says so, can't be paid before, and can be once it is approved", async () => {
    const merchant = await newMerchant({ approvePayees: true });
    const account = { name: "Asha Rao", ...GOOD_ACCOUNT };
    const saved = await merchant.save(account, { "idempotency-key": "k" });
    const beneficiary_id = saved.body.beneficiary_id as string;
    expect(saved.body).toStrictEqual({
      success: "Beneficiary saved successfully; it waits for approval.",
      status: "1",
      beneficiary_id,
      beneficiary_status: "PENDING",
    });
    expect((await merchant.save(account, { "idempotency-key": "k" })).body).toStrictEqual(saved.body);
    const detail = await merchant.post("/api/v1/beneficiary/detail", GOOD_ACCOUNT);
    expect(detail.body.success).toMatchObject({ beneficiary_id, beneficiary_status: "PENDING" });
    const pay = () => merchant.transfer({ beneficiary_id, amount: "1.00", reference_id: "r" });
    await expectNoChange(merchant, async () => {
      expect(await pay()).toBeRefusal({ status: 422, code: "beneficiary_not_approved" });
    });
    await run(merchant, "approval", "approve", "--approval", beneficiary_id);
    expect((await pay()).body).toMatchObject({ transfer_status: "SUCCESS" });
    const listed = await merchant.list();
    expect(listed.body.success[0]).not.toHaveProperty("beneficiary_status");
  });

  test("is no obstacle to saving its account again once it was rejected", async () => {
    const merchant = await newMerchant({ approvePayees: true });
    const first = await merchant.addBeneficiary();
    await run(merchant, "approval", "reject", "--approval", first, "--note", "No");
    const refused = await merchant.transfer({ beneficiary_id: first, amount: "1.00", reference_id: "r" });
    expect(refused).toBeRefusal({ status: 422, code: "beneficiary_not_approved" });
    const second = await merchant.addBeneficiary();
    const listed = (await merchant.list()).body.success as Record<string, string>[];
    // Two servers may give ids of one second in any order.
    const statuses = new Map(listed.map((item) => [String(item["beneficiary_id"]), item["beneficiary_status"]]));
    expect(statuses).toEqual(
      new Map([
        [first, "REJECTED"],
        [second, "PENDING"],
      ]),
    );
    const exists = await merchant.save({ name: "Asha Rao", ...GOOD_ACCOUNT });
    expect(exists).toBeRefusal({ status: 409, code: "beneficiary_exists", details: { beneficiary_id: second } });
  });
});

describe("the command line", () => {
  test("sets and shows a policy; what makes it weaker, and a bank account, wait for somebody else", async () => {
    const merchant = await newMerchant({});
    const off = {
      approve_over: null,
      approve_payees: false,
      verified_payees_only: false,
      cooling_off_minutes: null,
      transfer_limit: null,
    };
    expect(await run(merchant, "policy", "show")).toEqual({
      merchant_id: merchant.id,
      ...off,
      daily_limit: null,
      approval_expires_hours: 72,
    });
    const rules = [
      "--approve-over",
      "100",
      "--approve-payees",
      "on",
      "--verified-payees",
      "on",
      "--cooling-off",
      "30",
      "--daily-limit",
      "5000.50",
    ];
    const stricter = await run<ShownApproval>(merchant, "policy", "set", ...rules);
    const set = {
      approve_over: "100.00",
      approve_payees: true,
      verified_payees_only: true,
      cooling_off_minutes: 30,
      daily_limit: "5000.50",
    };
    expect(stricter).toMatchObject({ ...set, approval_id: null });
    const weaker = await run<ShownApproval>(merchant, "policy", "set", "--daily-limit", "off", "--cooling-off", "60");
    expect(weaker).toMatchObject({ ...set, cooling_off_minutes: 60 });
    const approval = ["--approval", weaker["approval_id"]!];
    const own = await nodal(installation.environment, "approval", "approve", "--merchant", merchant.id, ...approval);
    expect([own.code, own.stderr]).toEqual([1, expect.stringContaining("another person")]);
    expect(await run(merchant, "approval", "show", ...approval)).toMatchObject({ kind: "policy", daily_limit: null });

    const account = ["--bank-account", "99998888777766", "--ifsc", "ICIC0000001"];
    const changed = await run<ShownApproval>(merchant, "merchant", "set", ...account, "--city", "Pune");
    expect(changed).toMatchObject({ bank_account: "XXXX1191", city: "Pune" });
    const shown = await run<ShownApproval>(merchant, "approval", "show", "--approval", changed["approval_id"]!);
    expect(shown).toMatchObject({ kind: "bank_account", bank_account: "XXXX7766", ifsc: "ICIC0000001" });
  });

  test("refuses what it does not understand, naming each option", async () => {
    const rules = ["--approve-over", "much", "--approve-payees", "maybe", "--cooling-off", "0"];
    const { code, stderr } = await nodal(installation.environment, "policy", "set", "--merchant", "1", ...rules);
    expect(code).toBe(2);
    for (const option of ["--approve-over", "--approve-payees", "--cooling-off"]) expect(stderr).toContain(option);
  });
});

test("so far the books are sound, and every answer had a documented status", async () => {
  expect(await installation.findProblems()).toEqual([]);
});

test("what was approved leaves once, though the server is killed in that moment", async () => {
  const merchant = await newMerchant({ approveOverPaise: 0n });
  const beneficiary_id = await merchant.addBeneficiary();
  const payoutRequests = ["a", "b", "c"].map((reference_id) => ({ beneficiary_id, amount: "10.00", reference_id }));
  const answers = await Promise.all(payoutRequests.map((payoutRequest) => merchant.transfer(payoutRequest)));
  const { bucket, merchantId } = await requireMerchant(installation.pool, BigInt(merchant.id));
  const decisions = answers.map(({ body }) =>
    approve(
      { pool: installation.pool, merchant: { bucket, merchantId } },
      { approvalId: BigInt(body.transfer_id as string), note: "" },
    ),
  );
  // The pool acts as a command, and the key has asked.
  await Promise.all(decisions);
  await installation.server.stop("SIGKILL");
  const server = await NodalProcess.start(installation.environment);
  try {
    const token = await send(server.baseUrl, "POST", "/api/token", merchant.keys);
    const authorization = `Bearer ${token.body.success.token as string}`;
    for (const { body } of answers) {
      const path = `/api/v1/payout/transferstatus/transferid/${body.transfer_id as string}`;
      const read = async (): Promise<string> =>
        (await send(server.baseUrl, "GET", path, undefined, { authorization })).body.success.transfer.status as string;
      await expect.poll(read, { timeout: 180_000 }).toBe("SUCCESS");
    }
    const verification = await nodalJson<{ ok: boolean }>(installation.environment, "verify");
    expect(verification.ok).toBe(true);
  } finally {
    await server.stop();
  }
});
