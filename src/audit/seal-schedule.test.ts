// The books that the sealing job checks: recently changed ones, found among very many without a scan.
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  accept,
  makeMerchants,
  newTransfer,
  openLedgerDatabase,
  type LedgerDatabase,
} from "../../test/support/ledger.ts";
import { countRowsRead } from "../../test/support/rows-read.ts";
import { recordEvents } from "../ledger/index.ts";
import type { Merchant } from "../merchants/index.ts";
import { inTransaction, type Connection } from "../platform/database/pool.ts";
import { sealBooks, sealSchedule } from "./seal-books.ts";
import { findUnsealed, listUnsealedBuckets } from "./seal-store.ts";

const MANY = 4000;
const LATELY_MS = 60_000;
let db: LedgerDatabase;
let merchant: Merchant;

beforeAll(async () => {
  db = await openLedgerDatabase();
  [merchant] = (await makeMerchants(db, 1, 1_000_000n)) as [Merchant];
  await db.owner.query(
    `insert into ledger_book (bucket, merchant_id, last_entry_no, changed_at)
     select n % 128, 2 ^ 52 + n, 1, now() - interval '1 day' from generate_series(1, $1::integer) as n`,
    [MANY],
  );
  await db.owner.query(
    `insert into sealed_book (bucket, merchant_id, seal_no, last_entry_no, things, seal)
     select bucket, merchant_id, 1, 1, 0, '' from ledger_book where merchant_id > 2 ^ 52`,
  );
  // As after autovacuum: the BRIN index then covers each page.
  await db.owner.query("vacuum (analyze) ledger_book, sealed_book");
});
afterAll(() => db.close());

async function transfer(reference: string): Promise<void> {
  await accept(db.server, [newTransfer(merchant, await db.ids.next(), 100n, reference)]);
}

async function countUnsealed(): Promise<number> {
  return (await findUnsealed(db.server, null, 200, 1000)).length;
}

/** As after a very long transaction. */
function changedLongAgo(): Promise<unknown> {
  const text = "update ledger_book set changed_at = now() - interval '1 hour' where merchant_id = $1";
  return db.owner.query(text, [merchant.merchantId]);
}

test("what changed lately is found among few of very many books", async () => {
  await sealBooks(db.server);
  await transfer("lately");
  const rows = await countRowsRead(db.server, async (connection) => {
    expect((await listUnsealedBuckets(connection, LATELY_MS)).done).toHaveLength(1);
    const found = await findUnsealed(connection, null, 200, 1000, LATELY_MS);
    expect(found.map(({ merchantId }) => merchantId)).toEqual([merchant.merchantId]);
  });
  expect(rows).toBeLessThan(MANY / 2);
  await sealBooks(db.server);
  const idle = await countRowsRead(db.server, async (connection) => {
    expect(await listUnsealedBuckets(connection, LATELY_MS)).toEqual({ done: [], failure: null });
  });
  expect(idle).toBeLessThan(MANY / 4);
});

test("the first run also seals what changed long ago, the next ones what changed since", async () => {
  const run = (of: ReturnType<typeof sealSchedule>) => of.run(db.server, new AbortController().signal);
  const schedule = sealSchedule();
  await transfer("before");
  await changedLongAgo();
  await run(schedule);
  expect(await countUnsealed()).toBe(0);
  await transfer("since");
  await run(schedule);
  expect(await countUnsealed()).toBe(0);
  await transfer("in a long transaction");
  await changedLongAgo();
  await run(schedule);
  expect(await countUnsealed()).toBe(1);
  await run(sealSchedule());
  expect(await countUnsealed()).toBe(0);
});

test("a book that says that it changed stays in its page, so that no index of its key grows", async () => {
  await changedLongAgo();
  const about = { type: "merchant.changed", subjectId: merchant.merchantId };
  await inTransaction(db.server, async (connection) => {
    const before = await countUpdates(connection);
    await recordEvents(connection, merchant, [about]);
    const after = await countUpdates(connection);
    expect([after.all - before.all, after.inPage - before.inPage]).toEqual([1n, 1n]);
  });
});

async function countUpdates(connection: Connection): Promise<{ all: bigint; inPage: bigint }> {
  const { rows } = await connection.query<{ all_updates: bigint; in_page: bigint }>(
    `select
       pg_stat_get_xact_tuples_updated('ledger_book'::regclass) as all_updates,
       pg_stat_get_xact_tuples_hot_updated('ledger_book'::regclass) as in_page`,
  );
  return { all: rows[0]!.all_updates, inPage: rows[0]!.in_page };
}
