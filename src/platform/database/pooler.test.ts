// Connections of a URL with PgBouncer, tested on PostgreSQL itself: nothing outlives a transaction, and nothing is
// allowed outside of one. The real PgBouncer is in test/pgbouncer.test.ts.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeMerchants, openLedgerDatabase, type LedgerDatabase } from "../../../test/support/ledger.ts";
import type { Merchant } from "../../merchants/index.ts";
import { ConnectionSettingsError } from "./check-connection.ts";
import {
  createPool,
  inTransaction,
  inTwoRoundTrips,
  type OwnedPool,
  type PoolOptions,
  type Queryable,
} from "./pool.ts";
import { actingAs, TenantDatabase } from "./tenant.ts";

const LOGIN = `pooled_${randomUUID().replaceAll("-", "")}`;
const STATE = `select current_user as role, current_setting('lock_timeout') as lock_timeout,
  current_setting('nodal.actor', true) as actor, current_setting('timezone') as timezone`;

let db: LedgerDatabase;
let merchants: Merchant[];
const pools: OwnedPool[] = [];

beforeAll(async () => {
  db = await openLedgerDatabase();
  merchants = await makeMerchants(db, 2);
  await db.owner.query(`create role ${LOGIN} login noinherit password 'p'`);
  await db.owner.query(`grant nodal_server, nodal_tenant, nodal_payouts to ${LOGIN}`);
});
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()));
  await db.owner.query(`drop role ${LOGIN}`);
  await db.close();
});

function open(options: Partial<PoolOptions> = {}): OwnedPool {
  const url = Object.assign(new URL(db.url), { username: LOGIN, password: "p", search: "pgbouncer=true" }).href;
  const settings = { lock_timeout: "1234" };
  const pool = createPool({ url, size: 1, role: "nodal_server", actor: "bank", settings, ...options });
  pools.push(pool);
  return pool;
}

const EXPECTED = { role: "nodal_server", lock_timeout: "1234ms", actor: "bank", timezone: "UTC" };

async function stateOf(db: Queryable): Promise<unknown> {
  return (await db.query(STATE)).rows[0];
}

test("a single statement, a transaction and one of two round trips have role and settings", async () => {
  const pool = open();
  expect(await stateOf(pool)).toEqual(EXPECTED);
  expect(await inTransaction(pool, stateOf)).toEqual(EXPECTED);
  let written: unknown;
  const read = await inTwoRoundTrips(pool, stateOf, (connection) => [
    async () => (written = await stateOf(connection)),
  ]);
  expect([read, written]).toEqual([EXPECTED, EXPECTED]);
});

test("outside of a transaction nothing of it is left, and nothing is allowed", async () => {
  const pool = open();
  expect(await stateOf(pool)).toEqual(EXPECTED);
  const connection = await pool.connect();
  try {
    expect(await stateOf(connection)).toMatchObject({ role: LOGIN, lock_timeout: "0" });
    await expect(connection.query("select from merchant")).rejects.toMatchObject({ code: "42501" });
    await expect(connection.query("delete from transfer")).rejects.toMatchObject({ code: "42501" });
  } finally {
    connection.release();
  }
});

test("who acts says so in the same transaction", async () => {
  const pool = actingAs(open(), "job:webhooks", "here");
  expect(await inTransaction(pool, stateOf)).toEqual({ ...EXPECTED, actor: "job:webhooks" });
  expect(await stateOf(pool)).toEqual(EXPECTED);
});

test("a request sees its own merchant's rows only", async () => {
  const tenants = new TenantDatabase(open({ role: "nodal_tenant", pipelined: true, size: 2 }));
  const seen = async (queryable: Queryable): Promise<unknown[]> =>
    (await queryable.query("select merchant_id from merchant")).rows;
  for (const { merchantId } of merchants) {
    const own = [{ merchant_id: merchantId }];
    expect(await seen(tenants.of({ merchantId }))).toEqual(own);
    expect(await inTransaction(tenants.of({ merchantId }), seen)).toEqual(own);
  }
  expect(await seen(open({ role: "nodal_tenant" }))).toEqual([]);
});

test("a statement that fails leaves no transaction open", async () => {
  const pool = open();
  await expect(pool.query("select 1 / 0")).rejects.toMatchObject({ code: "22012" });
  expect(await stateOf(pool)).toEqual(EXPECTED);
});

test("names of statements are left out where they would not be carried from connection to connection", async () => {
  const pool = open();
  const kept = "select name from pg_prepared_statements";
  expect((await pool.query({ name: "named", text: `${kept} where $1`, values: [true] })).rows).toEqual([]);
  const connection = await pool.connect();
  try {
    expect((await connection.query(kept)).rows).toEqual([]);
  } finally {
    connection.release();
  }
});

test("a user who may do something without a role is refused", async () => {
  const pool = createPool({ url: `${db.url}?pgbouncer=true`, size: 1, role: "nodal_tenant" });
  pools.push(pool);
  const refused: unknown = await pool.query("select 1").catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ConnectionSettingsError);
  expect((refused as Error).message).toMatch(
    /its user nodal can read or change rows without a role.*DATABASE_DIRECT_URL/,
  );
});

test("a user who may not take the role is refused", async () => {
  await expect(open({ role: "nodal_invoices" }).query("select 1")).rejects.toMatchObject({ code: "42501" });
});
