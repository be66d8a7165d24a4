// The order of ids that several processes hand out.
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openLedgerDatabase, type LedgerDatabase } from "../../../test/support/ledger.ts";
import { IdSource } from "./ids.ts";

let db: LedgerDatabase;
beforeAll(async () => {
  db = await openLedgerDatabase();
});
afterAll(() => db.close());

/** A source of ids, and how often it asked the database. */
function newSource() {
  const query = vi.spyOn(db.owner, "query");
  query.mockClear();
  return { source: new IdSource(db.owner), query };
}

test("one process gives them without a gap, and asks once a second and for each thousand", async () => {
  const { source, query } = newSource();
  const clock = vi.spyOn(performance, "now").mockReturnValue(1_000_000);
  try {
    const first = await source.next();
    for (let count = 1n; count < 1000n; count += 1n) {
      clock.mockReturnValue(1_000_000 + Number(count));
      expect(await source.next()).toBe(first + count);
    }
    expect(query).toHaveBeenCalledTimes(1);
    const second = await source.next();
    expect([second > first + 999n, query.mock.calls.length]).toEqual([true, 2]);
    clock.mockReturnValue(1_010_000);
    expect(await Promise.all([source.next(), source.next()])).toEqual([second + 1n, second + 2n]);
    expect(query).toHaveBeenCalledTimes(3);
  } finally {
    clock.mockRestore();
  }
});

test("of two processes the one that comes later has the greater ids, a second after the other's", async () => {
  const [{ source: one }, { source: other }] = [newSource(), newSource()];
  const clock = vi.spyOn(performance, "now").mockReturnValue(2_000_000);
  try {
    let last = await one.next();
    for (let turn = 1; turn <= 6; turn += 1) {
      clock.mockReturnValue(2_000_000 + turn * 1001);
      const next = await (turn % 2 === 0 ? one : other).next();
      expect(next).toBeGreaterThan(last);
      last = next;
    }
  } finally {
    clock.mockRestore();
  }
});
