// A transaction as a pool: its transactions are savepoints, and are all rolled back if the whole fails.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openLedgerDatabase, type LedgerDatabase } from "../../../test/support/ledger.ts";
import { actorOf } from "../origin.ts";
import { joinedPool } from "./joined-pool.ts";
import { createPool, inTransaction, inTwoRoundTrips, type OwnedPool, type Pool } from "./pool.ts";
import { TenantDatabase } from "./tenant.ts";

let db: LedgerDatabase;
let owned: OwnedPool;
let tenant: Pool;

beforeAll(async () => {
  db = await openLedgerDatabase();
  await db.owner.query("create table note (text text primary key)");
  await db.owner.query("grant select, insert on note to nodal_tenant");
  owned = createPool({ url: db.url, size: 2, role: "nodal_tenant", pipelined: true });
  tenant = new TenantDatabase(owned).of(
    { merchantId: 1n },
    { actor: actorOf("job", "test"), address: null, mayMoveMoney: true },
  );
});
beforeEach(() => db.owner.query("delete from note"));
afterAll(async () => {
  await owned.end();
  await db.close();
});

const write = (pool: Pool, text: string): Promise<unknown> =>
  inTransaction(pool, (connection) => connection.query("insert into note values ($1)", [text]));
const written = async (): Promise<string[]> =>
  (await db.owner.query<{ text: string }>("select text from note order by text")).rows.map(({ text }) => text);
const join = <T>(work: (pool: Pool) => Promise<T>): Promise<T> =>
  inTransaction(tenant, (connection) => work(joinedPool(tenant, connection)));

test("what its transactions wrote is committed with the whole, and seen by all of them before", async () => {
  const seen = await join(async (pool) => {
    await write(pool, "a");
    await Promise.all([write(pool, "b"), write(pool, "c")]);
    await inTwoRoundTrips(
      pool,
      (connection) => connection.query("select from note"),
      (connection) => [() => connection.query("insert into note values ('d')")],
    );
    expect(await written()).toEqual([]);
    return (await pool.query("select from note")).rowCount;
  });
  expect(seen).toBe(4);
  expect(await written()).toEqual(["a", "b", "c", "d"]);
});

test("one that fails takes back its own changes only", async () => {
  await join(async (pool) => {
    await write(pool, "a");
    await expect(write(pool, "a")).rejects.toThrow("duplicate");
    const broken = inTwoRoundTrips(
      pool,
      (connection) => connection.query("select from note"),
      (connection) => [
        () => connection.query("insert into note values ('b')"),
        () => connection.query("insert into note values ('a')"),
      ],
    );
    await expect(broken).rejects.toThrow("duplicate");
    await write(pool, "c");
  });
  expect(await written()).toEqual(["a", "c"]);
});

test("nothing stays where the whole fails", async () => {
  const whole = join(async (pool) => {
    await write(pool, "a");
    throw new Error("the end of the process");
  });
  await expect(whole).rejects.toThrow("the end of the process");
  expect(await written()).toEqual([]);
  await write(tenant, "b");
  expect(await written()).toEqual(["b"]);
});
