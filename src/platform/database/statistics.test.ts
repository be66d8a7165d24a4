// Tables without statistics are analyzed, the others are not.
import { afterAll, beforeAll, expect, test } from "vitest";
import { openLedgerDatabase, type LedgerDatabase } from "../../../test/support/ledger.ts";
import { analyzeUnknown } from "./statistics-store.ts";

let db: LedgerDatabase;
beforeAll(async () => {
  db = await openLedgerDatabase();
  await db.owner.query("create table filled (number integer) with (autovacuum_enabled = off)");
  await db.owner.query("create table little (number integer) with (autovacuum_enabled = off)");
});
afterAll(() => db.close());

async function fill(table: string, rows: number): Promise<void> {
  await db.owner.query(`insert into ${table} select generate_series(1, $1::integer)`, [rows]);
}

async function rowsOf(table: string): Promise<number> {
  const { rows } = await db.owner.query<{ known: number }>(
    "select reltuples::integer as known from pg_class where oid = $1::regclass",
    [table],
  );
  return rows[0]!.known;
}

test("a table that was filled is counted once, and again when it has grown; a small one is not", async () => {
  await fill("filled", 10_000);
  await fill("little", 10);
  expect(await analyzeUnknown(db.owner)).toContain("public.filled");
  expect([await rowsOf("filled"), await rowsOf("little")]).toEqual([10_000, -1]);
  expect(await analyzeUnknown(db.owner)).not.toContain("public.filled");
  await fill("filled", 30_000);
  // Write counts become visible after a moment.
  await expect.poll(() => analyzeUnknown(db.owner)).toContain("public.filled");
  expect(await rowsOf("filled")).toBe(40_000);
});
