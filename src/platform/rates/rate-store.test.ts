// Grants of the database, compared with a model that counts each request separately.
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openLedgerDatabase, type LedgerDatabase } from "../../../test/support/ledger.ts";
import { RateBook } from "../../../test/support/rate-book.ts";
import { forgetRates, takeRates, type RateAsk } from "./rate-store.ts";

const PLAIN = { limit: 3, windowMs: 60_000, wanted: 1, ahead: 0, leaseMs: 1000, back: null };

let db: LedgerDatabase;
beforeAll(async () => {
  db = await openLedgerDatabase();
});
afterAll(() => db.close());

/** The SQL function at a given time. */
async function takeAt(nowMs: number, { key, windowMs, limit, wanted, ahead, leaseMs, back }: RateAsk) {
  const { rows } = await db.server.query<Record<string, bigint | number>>(
    "select * from take_rate($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    [key, nowMs, windowMs, limit, wanted, ahead, leaseMs, back?.endMs ?? 0, back?.count ?? 0],
  );
  const numberOf = (name: string): number => Number(rows[0]![name]);
  return {
    granted: numberOf("granted"),
    endMs: numberOf("end_ms"),
    ahead: numberOf("granted_ahead"),
    aheadEndMs: numberOf("ahead_end_ms"),
    remaining: numberOf("remaining"),
    resetMs: numberOf("reset_ms"),
  };
}

test("gives what a count of each thing by itself gives, whatever is taken and given back", async () => {
  const step = fc.record({
    gapMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 20_000 })),
    wanted: fc.integer({ min: 0, max: 6 }),
    ahead: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 30 })),
    givesBack: fc.boolean(),
  });
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(1, 5, 70, 300), fc.array(step, { maxLength: 40 }), async (limit, steps) => {
      const book = new RateBook();
      const key = `model ${(run += 1)}`;
      let nowMs = 1_000_000;
      let last: { endMs: number; count: number } | null = null;
      const taken: { atMs: number; count: number }[] = [];
      for (const { gapMs, wanted, ahead, givesBack } of steps) {
        nowMs += gapMs;
        const ask = { ...PLAIN, key, limit, wanted, ahead, back: givesBack ? last : null };
        const grant = await takeAt(nowMs, ask);
        expect(grant).toEqual(book.takeOne(ask, nowMs));
        last = grant.ahead === 0 ? null : { endMs: grant.aheadEndMs, count: grant.ahead };
        taken.push({ atMs: nowMs, count: grant.granted });
        const inWindow = taken.filter(({ atMs }) => atMs > nowMs - PLAIN.windowMs);
        expect(inWindow.reduce((sum, { count }) => sum + count, 0)).toBeLessThanOrEqual(limit);
      }
    }),
    { numRuns: 40 },
  );
});

test("many keys in one statement are answered in their order; one key twice is counted twice", async () => {
  const keys = ["b", "a", "c", "a", "a", "a"];
  const grants = await takeRates(
    db.server,
    keys.map((key) => ({ ...PLAIN, key: `order ${key}` })),
  );
  expect(grants.map(({ granted }) => granted)).toEqual([1, 1, 1, 1, 1, 0]);
  expect(grants.map(({ remaining }) => remaining)).toEqual([2, 2, 2, 1, 0, 0]);
});

test("those who take the same keys at once, in whatever order, wait for each other and never give more than there is", async () => {
  const keys = Array.from({ length: 20 }, (_, index) => `at once ${index}`);
  const all = await Promise.all(
    Array.from({ length: 16 }, (_, index) => {
      const order = index % 2 === 0 ? keys : keys.toReversed();
      return takeRates(
        db.server,
        order.map((key) => ({ ...PLAIN, key })),
      );
    }),
  );
  expect(all.flat().filter(({ granted }) => granted === 1)).toHaveLength(keys.length * PLAIN.limit);
});

test("what has left the window is forgotten, and nothing else", async () => {
  await takeRates(db.server, [
    { ...PLAIN, key: "forget short", windowMs: 1, leaseMs: 0 },
    { ...PLAIN, key: "forget long" },
  ]);
  await new Promise((resolve) => setTimeout(resolve, 20));
  await forgetRates(db.server);
  const { rows } = await db.server.query("select rate_key from rate_count where rate_key like 'forget %'");
  expect(rows).toEqual([{ rate_key: "forget long" }]);
});
