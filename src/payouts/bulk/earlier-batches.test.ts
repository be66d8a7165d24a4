// Earlier rows of batches and lines that are restored with SQL, including their proofs: cancelled and refused payouts are not paid.
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { changeMerchants } from "../../../test/support/reprove.ts";
import { keepingRows, type EarlierRows } from "../../../test/support/earlier-rows.ts";
import {
  addVendor,
  BENEFICIARY_ID,
  makeMerchants,
  openLedgerDatabase,
  type LedgerDatabase,
} from "../../../test/support/ledger.ts";
import { todayOf, type Merchant } from "../../merchants/index.ts";
import { NodalError } from "../../platform/errors.ts";
import { createLogger } from "../../platform/log.ts";
import { verify } from "../verify/verify.ts";
import type { OrderedAnswer, OrderedRequest } from "../request-transfer.ts";
import { cancelBatch, cancelScheduled } from "./end-batch.ts";
import { beginLines } from "./line-store.ts";
import { dayBegins } from "./payout-batch.ts";
import { requestBatch } from "./request-batch.ts";
import { BatchWorker } from "./work-batches.ts";

const REFUSAL = new NodalError("insufficient_balance", "Too little.");

let db: LedgerDatabase;
let merchant: Merchant;

beforeAll(async () => {
  db = await openLedgerDatabase();
});
beforeEach(async () => {
  await db.owner.query("delete from payout_batch_line; delete from payout_batch");
  [merchant] = (await makeMerchants(db, 1, 1000n)) as [Merchant];
  await addVendor(db, [merchant]).catch(() => {});
});
afterAll(() => db.close());

const context = () => ({ pool: db.server, ids: db.ids, merchant });
const tomorrow = () => todayOf(merchant).add({ days: 1 });

/** A batch whose lines have these references, each with a day or none. */
async function ask(lines: Readonly<Record<string, Temporal.PlainDate | null>>): Promise<bigint> {
  const payee = { beneficiaryId: BENEFICIARY_ID, payeeName: "", accountNumber: null, ifsc: null, upi: null };
  const asked = Object.entries(lines).map(([referenceId, scheduledFor]) => {
    return { ...payee, amountPaise: 100n, referenceId, mode: null, narrative: "", scheduledFor };
  });
  const { answer } = await requestBatch({ ...context(), idempotency: null }, { name: "x", file: null, lines: asked });
  return BigInt(answer.batchId);
}

type Answer = (request: OrderedRequest) => OrderedAnswer | NodalError;
const made: Answer = ({ transferId }) => ({ transferId, isEarlier: false });

/** When the worker looks again at a batch that waits for tomorrow: where that day begins first, and then here. */
const daysBegin = (): string[] =>
  ["1970-01-01T00:00:00Z", "9999-12-31T00:00:00Z"].map((now) =>
    dayBegins(tomorrow(), merchant.timeZone, Temporal.Instant.from(now)).toString(),
  );

/** Runs a worker until the batch has had three turns, is finished, or waits for tomorrow. Returns the references that it requests. */
async function work(batchId: bigint, answer: Answer = made): Promise<string[]> {
  const asked: string[] = [];
  const requestInOrder = async (_: unknown, requests: readonly OrderedRequest[]) => {
    asked.push(...requests.map(({ referenceId }) => referenceId));
    return requests.map(answer);
  };
  const worker = new BatchWorker({
    pool: db.server,
    ids: db.ids,
    desk: { requestInOrder },
    logger: createLogger("silent"),
  });
  const { rows } = await db.owner.query<{ turn: bigint }>("select turn from payout_batch where batch_id = $1", [
    batchId,
  ]);
  const waits = "select from payout_batch where batch_id = $1 and turn < $2 and due_at <> all ($3)";
  await worker.start(true);
  await vi.waitFor(async () => {
    expect((await db.owner.query(waits, [batchId, rows[0]!.turn + 3n, daysBegin()])).rowCount).toBe(0);
  }, 60_000);
  await worker.stop();
  return asked;
}

async function keeping(attack: (batches: EarlierRows, lines: EarlierRows) => Promise<void>): Promise<void> {
  const key = ["bucket", "merchant_id", "batch_id"];
  await keepingRows(db.owner, "payout_batch", key, (batches) =>
    keepingRows(db.owner, "payout_batch_line", [...key, "line_no"], (lines) => attack(batches, lines)),
  );
}

async function statesOf(batchId: bigint): Promise<string[]> {
  const { rows } = await db.owner.query<{ state: string }>(
    "select state from payout_batch_line where batch_id = $1 order by line_no",
    [batchId],
  );
  return rows.map(({ state }) => state);
}

const findings = async () => (await verify(db.owner, merchant)).violations.map(({ check }) => check);

test("a cancelled batch that SQL sets running again, with its lines, is not paid", async () => {
  await keeping(async (batches, lines) => {
    const batchId = await ask({ one: null, two: null });
    expect(await cancelBatch(context(), batchId)).toBe(2);
    expect(await findings()).toEqual([]);
    await batches.putBack(`batch_id = ${batchId} and proof is not null`);
    for (const place of [1, 2]) await lines.putBack(`batch_id = ${batchId} and line_no = ${place}`);
    expect(await findings()).toEqual(expect.arrayContaining(["batch_ended", "line_ended"]));
    expect(await work(batchId)).toEqual([]);
  });
});

test("lines of a cancelled batch that SQL puts back are not paid; the one that was being requested is", async () => {
  await keeping(async (_batches, lines) => {
    const batchId = await ask({ one: null, two: null });
    await beginLines(db.server, { ...merchant, batchId }, todayOf(merchant), 1);
    expect(await cancelBatch(context(), batchId)).toBe(1);
    expect(await findings()).toEqual([]);
    await lines.putBack(`batch_id = ${batchId} and line_no = 2`);
    expect(await findings()).toContain("line_ended");
    expect(await work(batchId)).toEqual(["one"]);
    expect(await statesOf(batchId)).toEqual(["requested", "refused"]);
  });
});

test("a planted entry lets no line of a cancelled batch be paid", async () => {
  await keeping(async (_batches, lines) => {
    const batchId = await ask({ one: null, two: null });
    await beginLines(db.server, { ...merchant, batchId }, todayOf(merchant), 1);
    await cancelBatch(context(), batchId);
    await lines.putBack(`batch_id = ${batchId} and line_no = 2`);
    await db.owner.query(
      `update journal set after = jsonb_set(after, '{lines}', '[1, 2]') where type = 'payout_batch.cancelled' and subject_id = $1`,
      [batchId],
    );
    expect(await work(batchId)).toEqual([]);
  });
});

test("a cancelled payout of a later day that SQL puts back is not paid on its day", async () => {
  await keeping(async (_batches, lines) => {
    const batchId = await ask({ one: tomorrow(), two: tomorrow() });
    await cancelScheduled(context(), "one");
    await lines.putBack(`batch_id = ${batchId} and line_no = 1`);
    expect(await findings()).toContain("line_ended");
    await changeMerchants(db.owner, "update merchant set clock_date = $2 where merchant_id = $1", [
      merchant.merchantId,
      tomorrow().toString(),
    ]);
    await db.owner.query("update payout_batch set due_at = now() where batch_id = $1", [batchId]);
    expect(await work(batchId)).toEqual(["two"]);
    expect(await statesOf(batchId)).toEqual(["refused", "requested"]);
    await changeMerchants(db.owner, "update merchant set clock_date = null where merchant_id = $1", [
      merchant.merchantId,
    ]);
  });
});

test.each([null, "later"])(
  "a refused line that SQL puts back is not paid, whether its batch is over or waits for another day (%s)",
  async (other) => {
    await keeping(async (batches, lines) => {
      const batchId = await ask({ one: null, ...(other === null ? {} : { [other]: tomorrow() }) });
      expect(await work(batchId, () => REFUSAL)).toEqual(["one"]);
      expect(await findings()).toEqual([]);
      await batches.putBack(`batch_id = ${batchId} and status = 'running'`);
      await lines.putBack(`batch_id = ${batchId} and line_no = 1 and state = 'waiting'`);
      await db.owner.query("update payout_batch set due_at = now() where batch_id = $1", [batchId]);
      expect(await findings()).toContain("line_ended");
      expect(await work(batchId)).toEqual([]);
    });
  },
);
