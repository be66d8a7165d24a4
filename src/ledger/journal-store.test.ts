// The outbox: events are numbered in order without gaps, beside those of postings, and read in that order.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { fund, makeSilentMerchants, openLedgerDatabase, type LedgerDatabase } from "../../test/support/ledger.ts";
import { TEST_ACTOR } from "../../test/support/secrets.ts";
import type { Merchant } from "../merchants/index.ts";
import { inTransaction, inTwoRoundTrips } from "../platform/database/pool.ts";
import { eventWrites, findEvents, listEvents, recordEvents, type NewEvent } from "./index.ts";

let db: LedgerDatabase;
let merchant: Merchant;
let other: Merchant;
beforeAll(async () => {
  db = await openLedgerDatabase();
});
afterAll(() => db.close());
beforeEach(async () => {
  [merchant, other] = (await makeSilentMerchants(db, 2)) as [Merchant, Merchant];
});

function record(of: Merchant, ...events: NewEvent[]): Promise<void> {
  return inTransaction(db.server, (connection) => recordEvents(connection, of, events));
}

/** A merchant's events after a number: number, type and subject of each. */
async function list(of: Merchant, after = 0n, limit = 100): Promise<unknown[]> {
  const events = await listEvents(db.server, of, { after, limit });
  return events.map(({ eventNo, type, subjectId }) => [eventNo, type, subjectId]);
}

const saved = (subjectId: bigint): NewEvent => ({ type: "invoice.saved", subjectId });

test("events go on from those before, in the order in which they happened", async () => {
  const { fundingId } = await fund(db, merchant, 100n, "opening");
  await record(merchant, saved(12n), { type: "invoice.paid", subjectId: 12n }, saved(11n));
  await record(other, saved(99n));
  const { fundingId: second } = await fund(db, merchant, 100n, "second");
  await record(merchant, saved(13n));
  expect(await list(merchant)).toEqual([
    [1n, "balance.funded", fundingId],
    [2n, "invoice.saved", 12n],
    [3n, "invoice.paid", 12n],
    [4n, "invoice.saved", 11n],
    [5n, "balance.funded", second],
    [6n, "invoice.saved", 13n],
  ]);
  expect(await list(other)).toEqual([[1n, "invoice.saved", 99n]]);
});

test("nothing that happened is no event, and uses no number up", async () => {
  await record(merchant);
  await record(merchant, saved(1n));
  expect(await list(merchant)).toEqual([[1n, "invoice.saved", 1n]]);
});

test("events that leave with the commit are refused where a merchant has no book, or money moves", async () => {
  const write = (given: readonly (NewEvent & { bucket: number; merchantId: bigint })[]) =>
    inTwoRoundTrips(
      db.server,
      (connection) => eventWrites(connection, given),
      (_connection, writes) => writes,
    );
  const { bucket, merchantId } = merchant;
  await expect(write([{ ...saved(1n), bucket, merchantId: merchantId + 1_000_000n }])).rejects.toThrow("entry_no");
  const money = { kind: "funds_in", amountPaise: 1n } as const;
  await expect(write([{ ...saved(1n), bucket, merchantId, money }])).rejects.toThrow("can't leave with the commit");
  await write([{ ...saved(2n), bucket, merchantId }]);
  expect(await list(merchant)).toEqual([[1n, "invoice.saved", 2n]]);
});

test("what is taken back has not happened", async () => {
  const failing = inTransaction(db.server, async (connection) => {
    await recordEvents(connection, merchant, [saved(1n)]);
    throw new Error("taken back");
  });
  await expect(failing).rejects.toThrow("taken back");
  await record(merchant, saved(2n));
  expect(await list(merchant)).toEqual([[1n, "invoice.saved", 2n]]);
});

test("many at once leave no gap", async () => {
  await Promise.all(Array.from({ length: 20 }, (_, index) => record(merchant, saved(BigInt(index)), saved(1000n))));
  const events = await listEvents(db.server, merchant, { after: 0n, limit: 100 });
  expect(events.map(({ eventNo }) => eventNo)).toEqual(Array.from({ length: 40 }, (_, index) => BigInt(index + 1)));
  expect(new Set(events.map(({ subjectId }) => subjectId)).size).toBe(21);
});

test("they are listed after a number, so many at most", async () => {
  await record(merchant, saved(1n), saved(2n), saved(3n), saved(4n));
  expect(await list(merchant, 1n, 2)).toEqual([
    [2n, "invoice.saved", 2n],
    [3n, "invoice.saved", 3n],
  ]);
  expect(await list(merchant, 4n)).toEqual([]);
  expect(await list(other)).toEqual([]);
});

test("they are listed of some types, too", async () => {
  await record(merchant, saved(1n), { type: "invoice.paid", subjectId: 1n }, saved(2n));
  const listed = await listEvents(db.server, merchant, { after: 0n, limit: 2, types: ["invoice.saved"] });
  expect(listed.map(({ eventNo, subjectId }) => [eventNo, subjectId])).toEqual([
    [1n, 1n],
    [3n, 2n],
  ]);
  expect(await listEvents(db.server, merchant, { after: 0n, limit: 2, types: [] })).toEqual([]);
});

test("they keep what was before and after, and who did it", async () => {
  const change = { before: { amount: "1.00" }, after: { amount: "2.00" } };
  await record(merchant, { ...saved(1n), ...change }, saved(2n), { ...saved(3n), before: null, after: change.after });
  const { rows } = await db.owner.query<Record<string, unknown>>(
    "select before, after, actor, address from journal where bucket = $1 and merchant_id = $2 order by entry_no",
    [merchant.bucket, merchant.merchantId],
  );
  const whose = { actor: TEST_ACTOR, address: null };
  expect(rows).toEqual([
    { ...change, ...whose },
    { before: null, after: null, ...whose },
    { before: null, after: change.after, ...whose },
  ]);
});

test("they are found by their numbers, in order, and only by their merchant", async () => {
  const before = Temporal.Now.instant();
  await record(merchant, saved(1n), saved(2n), saved(3n));
  const found = await findEvents(db.server, merchant, [3n, 1n, 9n]);
  expect(found).toMatchObject([
    { eventNo: 1n, type: "invoice.saved", subjectId: 1n },
    { eventNo: 3n, type: "invoice.saved", subjectId: 3n },
  ]);
  // PostgreSQL keeps microseconds.
  const since = found.map(({ createdAt }) => createdAt.until(Temporal.Now.instant()).sign);
  expect(since).toEqual([1, 1]);
  expect(Temporal.Instant.compare(found[0]!.createdAt.add({ microseconds: 1 }), before)).toBe(1);
  expect(found[0]!.createdAt).toEqual(found[1]!.createdAt);
  expect(await listEvents(db.server, merchant, { after: 2n, limit: 1 })).toEqual([found[1]]);
  expect(await findEvents(db.server, other, [1n])).toEqual([]);
  expect(await findEvents(db.server, merchant, [])).toEqual([]);
});
