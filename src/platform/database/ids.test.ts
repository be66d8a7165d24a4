// The order of ids from several processes.
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { openLedgerDatabase, type LedgerDatabase } from "../../../test/support/ledger.ts";
import { IdSource } from "./ids.ts";

let db: LedgerDatabase;
let nowMs: number;
beforeAll(async () => {
  db = await openLedgerDatabase();
});
afterAll(() => db.close());
beforeEach(() => {
  nowMs = 0;
});

const newSource = () => new IdSource(db.owner, () => nowMs);

test("one process gives them without a gap, and asks once a second and for each thousand", async () => {
  const query = vi.spyOn(db.owner, "query");
  try {
    const source = newSource();
    const first = await source.next();
    for (nowMs = 1; nowMs < 1000; nowMs += 1) expect(await source.next()).toBe(first + BigInt(nowMs));
    expect(query).toHaveBeenCalledTimes(1);
    const second = await source.next();
    expect([second > first + 999n, query.mock.calls.length]).toEqual([true, 2]);
    nowMs += 10_000;
    expect(await Promise.all([source.next(), source.next()])).toEqual([second + 1n, second + 2n]);
    expect(query).toHaveBeenCalledTimes(3);
  } finally {
    query.mockRestore();
  }
});

test("of two processes the one that comes later has the greater ids, a second after the other's", async () => {
  const [one, other] = [newSource(), newSource()];
  let last = await one.next();
  for (let turn = 1; turn <= 6; turn += 1) {
    nowMs += 1001;
    const next = await (turn % 2 === 0 ? one : other).next();
    expect(next).toBeGreaterThan(last);
    last = next;
  }
});
