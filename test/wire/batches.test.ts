// Batches of transfers and transfers of later days over real HTTP: what is answered, what becomes of each line. A
// server that is killed in the middle is in test/crash/batches.test.ts.
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { changePayoutPolicy, requireMerchant, type PolicyChanges } from "../../src/merchants/index.ts";
import { IdSource } from "../../src/platform/database/ids.ts";
import { expectNoChange } from "../support/expect-wire.ts";
import { Installation, type Members, type TestMerchant } from "../support/installation.ts";
import { nodalJson } from "../support/nodal.ts";

const BATCH = "/api/v1/beneficiary/transfer/batch";
const SAVED = { account_number: "00011020001772", ifsc: "HDFC0000001" };

let installation: Installation;

beforeAll(async () => {
  installation = await Installation.shared();
});
afterAll(() => installation.stop());

type Line = Readonly<Record<string, string | number>>;
type Batch = Readonly<Record<string, unknown>> & { readonly outcomes: Readonly<Record<string, { count: number }>> };

async function set({ id }: TestMerchant, changes: PolicyChanges): Promise<void> {
  const { pool } = installation;
  await changePayoutPolicy(
    { pool, ids: new IdSource(pool), merchant: await requireMerchant(pool, BigInt(id)) },
    changes,
  );
}

async function ask(merchant: TestMerchant, transfers: readonly Members[], headers = {}): Promise<string> {
  const answer = await merchant.post(BATCH, { name: "Salaries", transfers }, headers);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body.batch_id as string;
}

async function read(merchant: TestMerchant, batchId: string): Promise<{ batch: Batch; lines: Line[] }> {
  const { body } = await merchant.get(`${BATCH}/status/${batchId}`);
  return { batch: body.success.batch as Batch, lines: body.success.transfers as Line[] };
}

/** The batch once no line of it waits for anything. */
async function settled(merchant: TestMerchant, batchId: string): Promise<{ batch: Batch; lines: Line[] }> {
  return vi.waitFor(
    async () => {
      const found = await read(merchant, batchId);
      expect(found.batch["batch_status"]).not.toBe("RUNNING");
      expect(found.lines.filter(({ status }) => ["WAITING", "PENDING"].includes(String(status)))).toEqual([]);
      return found;
    },
    { timeout: 180_000, interval: 100 },
  );
}

const brief = ({ line, reference_id: reference, status, code }: Line): string =>
  [line, reference, status, code].filter((each) => each !== "").join(" ");

describe("a batch", () => {
  test("has an outcome for each line, in order; one that can't be made stops nothing else", async () => {
    const merchant = await installation.newMerchant({ fund: "1000.00" });
    const beneficiary_id = await merchant.addBeneficiary(SAVED);
    const batchId = await ask(merchant, [
      { beneficiary_id, amount: "100.00", reference_id: "a", narrative: "July" },
      { beneficiary_id, amount: 5000, reference_id: "b" },
      { beneficiary_id: "77", amount: "1.00", reference_id: "c" },
      { beneficiary_id, amount: "1.00", reference_id: "d", mode: "upi" },
      { name: "Ravi", account_number: "026291800001191", ifsc: "YESB0000262", amount: "200.00", reference_id: "e" },
      { name: "Uma", upi: "success@upi", amount: "100001.00", reference_id: "f" },
      { name: "Uma again", upi: "Success@upi", amount: "3.00", reference_id: "g" },
    ]);
    const { batch, lines } = await settled(merchant, batchId);
    expect(lines.map(brief)).toEqual([
      "1 a SUCCESS",
      "2 b REFUSED insufficient_balance",
      "3 c REFUSED beneficiary_not_found",
      "4 d REFUSED validation_failed",
      "5 e SUCCESS",
      "6 f REFUSED limit_exceeded",
      "7 g SUCCESS",
    ]);
    expect(lines[0]).toMatchObject({ amount: "100.00", narrative: "July", utr: expect.stringMatching(/\S/) as string });
    expect(lines[1]!["reason"]).toMatch(/balance/);
    // The payee of a refused line was saved all the same, and is that of the next.
    expect(lines[5]!["beneficiary_id"]).toBe(lines[6]!["beneficiary_id"]);
    expect(batch).toMatchObject({ batch_id: batchId, name: "Salaries", batch_status: "FINISHED", payouts: 7 });
    expect(batch.outcomes).toMatchObject({ SUCCESS: { count: 3, amount: "303.00" }, REFUSED: { count: 4 } });
    expect(await merchant.available()).toBe("697.00");
    const record = await merchant.record(String(lines[0]!["transfer_id"]));
    expect(record).toMatchObject({ referenceId: "a", status: "SUCCESS" });
  });

  test("is kept whole or not at all: what can't be right is told with its place", async () => {
    const merchant = await installation.newMerchant({ fund: "10.00" });
    const beneficiary_id = await merchant.addBeneficiary(SAVED);
    const transfers = [
      { beneficiary_id, amount: "1.00", reference_id: "a" },
      { beneficiary_id, amount: "0", reference_id: "b" },
      { beneficiary_id, name: "Uma", upi: "uma@upi", amount: "1.00", reference_id: "c" },
      { amount: "1.00", reference_id: "d" },
    ];
    await expectNoChange(merchant, async () => {
      const answer = await merchant.post(BATCH, { transfers });
      expect(answer).toBeRefusal({
        status: 400,
        code: "validation_failed",
        fields: [
          "transfers[1].amount invalid",
          "transfers[2].beneficiary_id not_allowed",
          "transfers[3].beneficiary_id required",
        ],
      });
      const twins = [transfers[0]!, { ...transfers[0]!, scheduled_for: "2020-01-01" }];
      expect(await merchant.post(BATCH, { transfers: twins })).toBeRefusal({
        status: 400,
        code: "validation_failed",
        fields: ["transfers[1].reference_id invalid", "transfers[1].scheduled_for invalid"],
      });
      const many = Array.from({ length: 5001 }, (_, index) => ({ ...transfers[0], reference_id: index }));
      expect(await merchant.post(BATCH, { transfers: many })).toBeRefusal({
        status: 400,
        code: "validation_failed",
        fields: ["transfers too_long"],
      });
    });
  });

  test("sent again pays nothing again: with its key the same batch, without it the same transfers", async () => {
    const merchant = await installation.newMerchant({ fund: "100.00" });
    const beneficiary_id = await merchant.addBeneficiary(SAVED);
    await merchant.transfer({ beneficiary_id, amount: "1.00", reference_id: "single" });
    const transfers = ["a", "single"].map((reference_id) => ({ beneficiary_id, amount: "1.00", reference_id }));
    const key = { "idempotency-key": "batch-1" };
    const first = await ask(merchant, transfers, key);
    expect(await ask(merchant, transfers, key)).toBe(first);
    const changed = await merchant.post(BATCH, { name: "Other", transfers }, key);
    expect(changed).toBeRefusal({ status: 409, code: "idempotency_conflict" });
    const { lines } = await settled(merchant, first);
    const again = await settled(
      merchant,
      await ask(
        merchant,
        [...transfers, { ...transfers[0]!, amount: "2.00" }].map((each, index) =>
          index === 2 ? { ...each, reference_id: "single2" } : each,
        ),
      ),
    );
    expect(again.lines.slice(0, 2).map(({ transfer_id: id }) => id)).toEqual(lines.map(({ transfer_id: id }) => id));
    expect(again.lines[0]!["reason"]).toMatch(/already used for the same payout/);
    const other = await settled(merchant, await ask(merchant, [{ beneficiary_id, amount: "9.00", reference_id: "a" }]));
    expect(other.lines.map(brief)).toEqual(["1 a REFUSED reference_conflict"]);
    expect(await merchant.available()).toBe("96.00");
  });

  test("with references of another stands as that one does, also where nothing of that one is ever paid", async () => {
    const merchant = await installation.newMerchant({ fund: "1000.00" });
    const beneficiary_id = await merchant.addBeneficiary(SAVED);
    await set(merchant, { approveOverPaise: 20_000n });
    const payoutRequest = { beneficiary_id, amount: "190.00" };
    const inAWeek = Temporal.Now.plainDateISO("Asia/Kolkata").add({ days: 7 }).toString();
    const [a, b, later] = [
      { ...payoutRequest, reference_id: "a" },
      { ...payoutRequest, reference_id: "b" },
      { ...payoutRequest, reference_id: "later", scheduled_for: inAWeek },
    ];
    const first = await ask(merchant, [a, b, later]);
    const again = [await ask(merchant, [a]), await ask(merchant, [b]), await ask(merchant, [later])];
    const now = async () => {
      const found = await Promise.all(again.map((id) => read(merchant, id)));
      for (const { batch, lines } of found) expect(Object.keys(batch.outcomes)).toEqual([lines[0]!["status"]]);
      return found.map(({ lines }) => brief({ ...lines[0]!, line: "" }));
    };
    expect(await now()).toEqual(["a WAITING", "b WAITING", "later SCHEDULED"]);
    // A single transfer of the same reference and payout: the first line comes to stand for it, and the other with it.
    const { body } = await merchant.transfer(a);
    await nodalJson(installation.environment, "approval", "approve", "--merchant", merchant.id, "--approval", first);
    await vi.waitFor(async () => expect(await now()).toEqual(["a SUCCESS", "b SUCCESS", "later SCHEDULED"]), 60_000);
    expect((await read(merchant, again[0]!)).lines[0]!["transfer_id"]).toBe(body.transfer_id);
    await merchant.post("/api/v1/beneficiary/transfer/cancel", { reference_id: "later" });
    expect(await now()).toEqual(["a SUCCESS", "b SUCCESS", "later CANCELLED"]);
    expect((await merchant.get("/api/v1/payout/transferstatus/referenceid/later")).body.success).toMatchObject({
      transfer: { status: "REJECTED" },
    });
    // Asked for again, it is the cancelled one.
    expect((await merchant.transfer(later)).body).toMatchObject({ transfer_status: "REJECTED" });
    expect(await merchant.available()).toBe("620.00");
  });

  test("of another merchant is not found, nor cancelled", async () => {
    const [merchant, other] = [await installation.newMerchant({ fund: "10.00" }), await installation.newMerchant()];
    const beneficiary_id = await merchant.addBeneficiary(SAVED);
    const batchId = await ask(merchant, [{ beneficiary_id, amount: "1.00", reference_id: "a" }]);
    const notFound = { status: 404, code: "batch_not_found" };
    expect(await other.get(`${BATCH}/status/${batchId}`)).toBeRefusal(notFound);
    expect(await other.post(`${BATCH}/cancel`, { batch_id: batchId })).toBeRefusal(notFound);
    await settled(merchant, batchId);
    expect(await merchant.post(`${BATCH}/cancel`, { batch_id: batchId })).toBeRefusal({
      status: 409,
      code: "batch_state",
    });
  });

  test("over the limit for approvals waits as a whole, and no line of it is asked about by itself", async () => {
    const merchant = await installation.newMerchant({ fund: "1000.00" });
    const beneficiary_id = await merchant.addBeneficiary(SAVED);
    await set(merchant, { approveOverPaise: 20_000n, transferLimitPaise: 50_000n });
    const payoutRequests = ["300.00", "600.00", "1.00"].map((amount, index) => ({
      beneficiary_id,
      amount,
      reference_id: index,
    }));
    const [approved, rejected] = [
      await ask(merchant, payoutRequests),
      await ask(
        merchant,
        payoutRequests.map((payoutRequest) => ({ ...payoutRequest, reference_id: `no-${payoutRequest.reference_id}` })),
      ),
    ];
    const waiting = await read(merchant, approved);
    expect(waiting.batch).toMatchObject({ batch_status: "AWAITING_APPROVAL", outcomes: { WAITING: { count: 3 } } });
    expect(await merchant.post(`${BATCH}/cancel`, { batch_id: approved })).toBeRefusal({
      status: 409,
      code: "batch_state",
    });
    const decide = (how: string, id: string) =>
      nodalJson<Members>(
        installation.environment,
        "approval",
        how,
        "--merchant",
        merchant.id,
        "--approval",
        id,
        ...(how === "show" ? [] : ["--note", "Seen"]),
      );
    expect(await decide("show", approved)).toMatchObject({ kind: "payout_batch", payouts: "3", amount: "901.00" });
    await decide("approve", approved);
    await decide("reject", rejected);
    const { batch, lines } = await settled(merchant, approved);
    expect(lines.map(brief)).toEqual(["1 0 SUCCESS", "2 1 REFUSED limit_exceeded", "3 2 SUCCESS"]);
    expect(batch).toMatchObject({ batch_status: "FINISHED" });
    const refused = await settled(merchant, rejected);
    expect(refused.batch).toMatchObject({ batch_status: "REJECTED", outcomes: { REFUSED: { count: 3 } } });
    expect(await merchant.available()).toBe("699.00");
  });

  test("that waits for approval is not begun by cancelling one of its later days", async () => {
    const merchant = await installation.newMerchant({ fund: "1000.00" });
    const beneficiary_id = await merchant.addBeneficiary(SAVED);
    await set(merchant, { approveOverPaise: 20_000n });
    const inAWeek = Temporal.Now.plainDateISO("Asia/Kolkata").add({ days: 7 }).toString();
    const batchId = await ask(merchant, [
      { beneficiary_id, amount: "190.00", reference_id: "small-1" },
      { beneficiary_id, amount: "190.00", reference_id: "small-2" },
      { beneficiary_id, amount: "1.00", reference_id: "later", scheduled_for: inAWeek },
    ]);
    await expectNoChange(merchant, async () => {
      const cancelled = await merchant.post("/api/v1/beneficiary/transfer/cancel", { reference_id: "later" });
      expect(cancelled).toBeRefusal({ status: 409, code: "batch_state" });
    });
    // No worker takes it, and the database lets nobody say that it is due.
    const due = "update payout_batch set due_at = now() where batch_id = $1";
    await expect(installation.pool.query(due, [batchId])).rejects.toThrow(/payout_batch_waits/);
    const { batch } = await read(merchant, batchId);
    expect(batch).toMatchObject({ batch_status: "AWAITING_APPROVAL", outcomes: { WAITING: { count: 2 } } });
    expect(await merchant.available()).toBe("1000.00");
  });

  test("saves new payees as the policy has it: who waits for approval is not paid", async () => {
    const merchant = await installation.newMerchant({ fund: "10.00" });
    await set(merchant, { approvePayees: true });
    const payee = { name: "Uma", upi: "success@upi", amount: "1.00" };
    const { lines } = await settled(merchant, await ask(merchant, [{ ...payee, reference_id: "a" }]));
    expect(lines.map(brief)).toEqual(["1 a REFUSED beneficiary_not_approved"]);
  });
});

test("a merchant's many leave room for the single transfers of others", async () => {
  const [many, single] = [
    await installation.newMerchant({ fund: "4000.00" }),
    await installation.newMerchant({ fund: "1000.00" }),
  ];
  const [payee, beneficiary_id] = [await many.addBeneficiary(SAVED), await single.addBeneficiary(SAVED)];
  const payoutRequests = Array.from({ length: 4000 }, (_, index) => ({
    beneficiary_id: payee,
    amount: "1.00",
    reference_id: index,
  }));
  const batchId = await ask(many, payoutRequests);
  for (let place = 0; place < 5; place += 1) {
    const answer = await single.transfer({ beneficiary_id, amount: "1.00", reference_id: place });
    expect(answer.body).toMatchObject({ transfer_status: "SUCCESS" });
  }
  // They were answered while the other's were under way.
  expect((await read(many, batchId)).batch).toMatchObject({ batch_status: "RUNNING" });
  await many.post(`${BATCH}/cancel`, { batch_id: batchId });
  const { lines } = await settled(many, batchId);
  const cancelled = lines.filter(({ status }) => status === "CANCELLED");
  const paid = lines.length - cancelled.length;
  expect(cancelled.length).toBeGreaterThan(0);
  expect(lines.slice(0, paid).every(({ status }) => status === "SUCCESS")).toBe(true);
  expect(await many.available()).toBe(`${4000 - paid}.00`);
});

describe("a transfer of a later day", () => {
  const day = (days: number): string => Temporal.Now.plainDateISO("Asia/Kolkata").add({ days }).toString();
  const advance = (merchant: TestMerchant, to: string) =>
    nodalJson(installation.environment, "clock", "advance", "--merchant", merchant.id, "--to", to);

  test("is made on its day, once, and holds no money before", async () => {
    const merchant = await installation.newMerchant({ fund: "10.00" });
    const beneficiary_id = await merchant.addBeneficiary(SAVED);
    const payoutRequest = { beneficiary_id, amount: "4.00", reference_id: "rent", scheduled_for: day(2) };
    const answer = await merchant.transfer(payoutRequest);
    expect(answer.body).toMatchObject({
      transfer_status: "PENDING",
      success: expect.stringContaining(day(2)) as string,
    });
    const id = answer.body.transfer_id as string;
    expect((await merchant.transfer(payoutRequest)).body).toStrictEqual(answer.body);
    expect(await merchant.transfer({ ...payoutRequest, amount: "5.00" })).toBeRefusal({
      status: 409,
      code: "reference_conflict",
    });
    expect(await merchant.transfer({ ...payoutRequest, reference_id: "past", scheduled_for: day(0) })).toBeRefusal({
      status: 400,
      code: "validation_failed",
      fields: ["scheduled_for invalid"],
    });
    expect(await merchant.available()).toBe("10.00");
    expect(await merchant.record(id)).toMatchObject({
      referenceId: "rent",
      status: "PENDING",
      reason: `Scheduled for ${day(2)}.`,
    });
    const listed = (await merchant.get("/api/v1/beneficiary/transfer/scheduled")).body.success as Line[];
    expect(listed.map(({ transfer_id: found }) => found)).toEqual([id]);
    await advance(merchant, day(1));
    await advance(merchant, day(3));
    expect(await merchant.recordWith("SUCCESS", id)).toMatchObject({ referenceId: "rent", status: "SUCCESS" });
    expect(await merchant.available()).toBe("6.00");
    expect((await merchant.transfer(payoutRequest)).body).toMatchObject({
      transfer_status: "SUCCESS",
      transfer_id: id,
    });
  });

  test("of a batch is answered as before with its key, also once its day has come", async () => {
    const merchant = await installation.newMerchant({ fund: "10.00" });
    const beneficiary_id = await merchant.addBeneficiary(SAVED);
    const transfers = [{ beneficiary_id, amount: "4.00", reference_id: "rent", scheduled_for: day(1) }];
    const key = { "idempotency-key": "rents" };
    const first = await ask(merchant, transfers, key);
    await advance(merchant, day(2));
    expect(await ask(merchant, transfers, key)).toBe(first);
    const { lines } = await settled(merchant, first);
    expect(lines.map(brief)).toEqual(["1 rent SUCCESS"]);
    expect(await merchant.available()).toBe("6.00");
  });

  test("fails with a reason and an event where the balance is short; one that was cancelled is not made", async () => {
    const merchant = await installation.newMerchant({ fund: "10.00" });
    const beneficiary_id = await merchant.addBeneficiary(SAVED);
    const payoutRequest = { beneficiary_id, amount: "40.00", scheduled_for: day(1) };
    const ids = ["short", "not"].map(
      async (reference_id) => (await merchant.transfer({ ...payoutRequest, reference_id })).body,
    );
    const [short, not] = await Promise.all(ids);
    const cancel = (reference_id: string) => merchant.post("/api/v1/beneficiary/transfer/cancel", { reference_id });
    expect((await cancel("not")).body).toMatchObject({ status: "1", transfer_id: not!.transfer_id as string });
    expect(await cancel("not")).toBeRefusal({ status: 409, code: "batch_state" });
    expect(await cancel("other")).toBeRefusal({ status: 404, code: "transfer_not_found" });
    await advance(merchant, day(1));
    const record = await merchant.recordWith("REJECTED", short!.transfer_id as string);
    expect(record).toMatchObject({ status: "REJECTED", reason: expect.stringContaining("balance") as string });
    expect(await merchant.record(not!.transfer_id as string)).toMatchObject({ status: "REJECTED" });
    type Listed = { type: string; data: Members };
    const events = await nodalJson<Listed[]>(installation.environment, "event", "list", "--merchant", merchant.id);
    const told = events.filter(({ type }) => type.startsWith("scheduled_payout."));
    expect(told.map(({ type }) => type)).toEqual(
      ["requested", "requested", "cancelled", "failed"].map((what) => `scheduled_payout.${what}`),
    );
    expect(await merchant.available()).toBe("10.00");
  });
});

test("nothing of it troubles the books", async () => {
  expect(await installation.findProblems()).toEqual([]);
});
