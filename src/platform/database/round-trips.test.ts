// Isolation costs no further round trips: a transaction sets its merchant together with its first statement.
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeMerchants, openLedgerDatabase, type LedgerDatabase } from "../../../test/support/ledger.ts";
import { countRoundTrips } from "../../../test/support/round-trips.ts";
import type { Merchant } from "../../merchants/index.ts";
import { actorOf } from "../origin.ts";
import { createPool, inTransaction, inTwoRoundTrips, type OwnedPool, type Pool } from "./pool.ts";
import { TenantDatabase, TenantGroups } from "./tenant.ts";

const READ = "select merchant_id from merchant where bucket = $1 and merchant_id = $2";
const ORIGIN = { actor: actorOf("key", "round trips"), address: "203.0.113.1", mayMoveMoney: true };

let db: LedgerDatabase;
let merchant: Merchant;
let tenants: OwnedPool;
let payouts: OwnedPool;

beforeAll(async () => {
  db = await openLedgerDatabase();
  [merchant] = (await makeMerchants(db, 1)) as [Merchant];
  tenants = createPool({ url: db.url, size: 1, role: "nodal_tenant", pipelined: true });
  payouts = createPool({ url: db.url, size: 1, role: "nodal_payouts", pipelined: true });
});
afterAll(async () => {
  await tenants.end();
  await payouts.end();
  await db.close();
});

const read = (pool: Pick<Pool, "query">) => (): Promise<unknown> =>
  pool.query({ name: "round-trips-read", text: READ, values: [merchant.bucket, merchant.merchantId] });

test("a single statement takes one round trip, as it does without a merchant", async () => {
  const tenant = new TenantDatabase(tenants).of(merchant, ORIGIN);
  expect(await countRoundTrips(tenants, read(tenants))).toBe(1);
  expect(await countRoundTrips(tenants, read(tenant))).toBe(1);
});

test("a transaction of one statement takes two, fewer than one that waits for its beginning", async () => {
  const tenant = new TenantDatabase(tenants).of(merchant, ORIGIN);
  const once = (pool: Pool) => () => inTransaction(pool, (connection) => read(connection)());
  expect(await countRoundTrips(tenants, once(tenants))).toBe(3);
  expect(await countRoundTrips(tenants, once(tenant))).toBe(2);
});

test("a transaction of several merchants that reads and then writes takes two", async () => {
  const group = new TenantGroups(payouts).of([merchant]);
  const both = () =>
    inTwoRoundTrips(
      group,
      (connection) => connection.query("select current_setting('nodal.merchant_ids')"),
      (connection) => [() => connection.query("select 1")],
    );
  expect(await countRoundTrips(payouts, both)).toBe(2);
});
