// Connections shared between merchants: one with locked rows leaves enough for the others, and takes turns with them.
// Isolation of rows is in test/wire/tenants.test.ts.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { openLedgerDatabase, type LedgerDatabase } from "../../../test/support/ledger.ts";
import { actorOf } from "../origin.ts";
import { actingAs, TenantDatabase } from "./tenant.ts";
import { isLockTimeout } from "./failure.ts";
import { createPool, inTransaction, type Connection, type OwnedPool, type Pool } from "./pool.ts";

const HOSTILE = { merchantId: 1n };
const GOOD = { merchantId: 2n };
const SIZE = 4;
const LOCK_TIMEOUT_MS = 1500;

let db: LedgerDatabase;
const open: OwnedPool[] = [];

beforeAll(async () => {
  db = await openLedgerDatabase();
  await db.owner.query("create table shelf (merchant_id bigint primary key)");
  await db.owner.query("grant select, update on shelf to nodal_tenant, nodal_server");
  await db.owner.query("insert into shelf values (1), (2)");
});
afterEach(() => Promise.all(open.splice(0).map((pool) => pool.end())));
afterAll(() => db.close());

function openPool(role: "nodal_tenant" | "nodal_server"): OwnedPool {
  const pool = createPool({
    url: db.url,
    size: SIZE,
    role,
    name: "places under test",
    pipelined: role === "nodal_tenant",
    settings: { lock_timeout: String(LOCK_TIMEOUT_MS) },
  });
  open.push(pool);
  return pool;
}

const HOLD = "select from shelf where merchant_id = $1 for update";

function hold(pool: Pool, { merchantId }: typeof HOSTILE): Promise<unknown> {
  return inTransaction(pool, (connection) => connection.query(HOLD, [merchantId]));
}

/** The number of connections that wait for a lock. */
async function countWaiting(): Promise<number> {
  const { rows } = await db.owner.query<{ count: number }>(
    `select count(*)::integer as count from pg_stat_activity
     where application_name = 'places under test' and wait_event_type = 'Lock' and datname = current_database()`,
  );
  return rows[0]!.count;
}

/** Locks the hostile merchant's row during `work`. */
function whileHeld<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
  return inTransaction(db.owner, async (connection) => {
    await connection.query(HOLD, [HOSTILE.merchantId]);
    return work(connection);
  });
}

test("a merchant whose row is held has half of the connections, is refused in time, and others go on", async () => {
  const tenants = new TenantDatabase(openPool("nodal_tenant"));
  let answered = 0;
  await whileHeld(async () => {
    const hostile = Array.from({ length: 10 }, () =>
      hold(tenants.of(HOSTILE), HOSTILE).finally(() => {
        answered += 1;
      }),
    );
    const outcomes = Promise.allSettled(hostile);
    await expect.poll(countWaiting).toBe(SIZE / 2);
    for (let count = 0; count < 20; count += 1) await hold(tenants.of(GOOD), GOOD);
    expect(answered).toBe(0);
    expect(await countWaiting()).toBe(SIZE / 2);
    await expect(hostile[0]).rejects.toSatisfy(isLockTimeout);
    for (const outcome of await outcomes) expect(outcome).toMatchObject({ status: "rejected" });
  });
  await hold(tenants.of(HOSTILE), HOSTILE);
});

test("a merchant that waits for a place takes turns with others, and every place comes free again", async () => {
  const tenants = new TenantDatabase(openPool("nodal_tenant"));
  const order: string[] = [];
  const ask = (of: typeof HOSTILE, name: string) =>
    tenants
      .of(of)
      .query("select pg_sleep(0.05)")
      .then(() => order.push(name));
  const hostile = Array.from({ length: 20 }, () => ask(HOSTILE, "hostile"));
  const others = [3n, 4n, 5n].map((merchantId) => ask({ merchantId }, "other"));
  await Promise.all([...hostile, ...others]);
  // Two of the hostile one run at first and two others beside them; the third other has the next turn.
  expect(order.slice(0, 7).filter((name) => name === "other")).toHaveLength(3);
  await Promise.all(Array.from({ length: SIZE }, (_, index) => ask({ merchantId: BigInt(index) }, "again")));
});

test("schedules together have half of the server's connections, so that callers can be looked up", async () => {
  const pool = openPool("nodal_server");
  await whileHeld(async () => {
    const jobs = ["notifications", "webhooks"].flatMap((name) =>
      Array.from({ length: 5 }, () => hold(actingAs(pool, actorOf("job", name)), HOSTILE)),
    );
    const outcomes = Promise.allSettled(jobs);
    await expect.poll(countWaiting).toBe(SIZE / 2);
    const single = actingAs(pool, actorOf("job", "subscriptions")).query("select 1 as one");
    expect((await pool.query("select 2 as two")).rows).toEqual([{ two: 2 }]);
    expect(await countWaiting()).toBe(SIZE / 2);
    await outcomes;
    expect((await single).rows).toEqual([{ one: 1 }]);
  });
});
