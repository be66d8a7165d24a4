// Finding due messages when very many merchants have some: in turns for all merchants, reading few rows.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openLedgerDatabase, type LedgerDatabase } from "../../test/support/ledger.ts";
import { countRowsRead } from "../../test/support/rows-read.ts";
import { findDueNotifications, type DueQuery } from "./notification-store.ts";

const MANY = 5000;
const MAX_ROWS = 2 * MANY;
const LOOK: DueQuery = { limit: 8, ofOne: 2, leftOut: [], after: null };
let db: LedgerDatabase;

beforeAll(async () => {
  db = await openLedgerDatabase();
});
beforeEach(async () => {
  await db.owner.query("truncate notification");
});
afterAll(() => db.close());

/** Queues messages for each merchant in a range of numbers, due one after the other from a time on. */
async function owe(from: number, to: number, messages: number, due: string): Promise<void> {
  await db.owner.query(
    `insert into notification (bucket, merchant_id, notification_id, kind, subject_id, customer_id, due_at, created_at)
     select n % 128, n, message, 'invoice', 1, 1, now() + $4::interval + (n + message) * interval '1 ms', now()
     from generate_series($1::integer, $2::integer) as n
     cross join generate_series(1, $3::integer) as message`,
    [from, to, messages, due],
  );
  await db.owner.query("vacuum (analyze) notification");
}

async function find(look: Partial<DueQuery> = {}): Promise<{ merchants: number[]; next: DueQuery["after"] }> {
  const { due, next } = await findDueNotifications(db.server, { ...LOOK, ...look });
  return { merchants: due.map(({ merchantId }) => Number(merchantId)), next };
}

async function countRows(): Promise<number> {
  return countRowsRead(db.server, (connection) => findDueNotifications(connection, LOOK));
}

test("what is due is found at once beside what very many owe tomorrow", async () => {
  await owe(1, MANY, 1, "1 day");
  expect((await find()).merchants).toEqual([]);
  expect(await countRows()).toBeLessThan(MAX_ROWS);
  await owe(MANY + 127, MANY + 127, 3, "-1 minute");
  expect((await find()).merchants).toEqual([MANY + 127, MANY + 127]);
  expect(await countRows()).toBeLessThan(MAX_ROWS);
});

test("where very many owe something now, those that wait for longest come first, in few rows", async () => {
  await owe(1, MANY, 2, "-1 hour");
  expect((await find()).merchants).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(await countRows()).toBeLessThan(MAX_ROWS);
});

test("a merchant with very many messages, which wait for longest, keeps nobody from a turn", async () => {
  await owe(1, 1, 2000, "-1 day");
  await owe(2, 300, 1, "-1 hour");
  const found = new Set<number>();
  let after: DueQuery["after"] = null;
  for (let look = 0; look < 2; look += 1) {
    const { merchants, next } = await find({ limit: 1000, after });
    for (const merchant of merchants) found.add(merchant);
    after = next;
  }
  expect(found.size).toBe(300);
  expect(after).toBeNull();
  expect((await find({ leftOut: [1n] })).merchants).not.toContain(1);
});
