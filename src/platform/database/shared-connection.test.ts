// A transaction that several tenants share: each statement sees its own tenant's rows, and is in its own name.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openLedgerDatabase, type LedgerDatabase } from "../../../test/support/ledger.ts";
import { actorOf, type Origin } from "../origin.ts";
import { actInTurn } from "./acting-pool.ts";
import { hasWaitedInVain } from "./failure.ts";
import { createPool, inTransaction, type Connection, type OwnedPool } from "./pool.ts";
import { TenantDatabase } from "./tenant.ts";

const TENANTS = [1n, 2n, 3n];

let db: LedgerDatabase;
let pool: OwnedPool;
let tenants: TenantDatabase;

beforeAll(async () => {
  db = await openLedgerDatabase();
  await db.owner.query("create table parcel (merchant_id bigint, parcel text)");
  await db.owner.query("grant select, insert, update on parcel to nodal_server");
  await db.owner.query("select protect_tenant_table('parcel')");
  pool = createPool({ url: db.url, size: 2, role: "nodal_tenant", pipelined: true });
  tenants = new TenantDatabase(pool);
});
beforeEach(() => db.owner.query("delete from parcel"));
afterAll(async () => {
  await pool.end();
  await db.close();
});

function originOf(merchantId: bigint): Origin {
  // The second has no address: that of the first must not be its.
  return {
    actor: actorOf("key", `k${merchantId}`),
    address: merchantId === 2n ? null : `192.0.2.${merchantId}`,
    mayMoveMoney: merchantId !== 2n,
  };
}

function shared<T>(work: (connection: Connection, merchantId: bigint) => Promise<T>): Promise<T[]> {
  return tenants.share(
    TENANTS.map((merchantId) => ({
      merchantId,
      origin: originOf(merchantId),
      work: (connection) => work(connection, merchantId),
    })),
  );
}

async function parcels(): Promise<string[]> {
  const { rows } = await db.owner.query<{ parcel: string }>("select parcel from parcel order by parcel");
  return rows.map(({ parcel }) => parcel);
}

const insert = (connection: Connection, merchantId: bigint, parcel: string) =>
  connection.query("insert into parcel values ($1, $2)", [merchantId, parcel]);

test("each sees its own rows and no others, whatever stands between its statements, and all is kept together", async () => {
  const seen = await shared(async (connection, merchantId) => {
    const found: string[] = [];
    for (let turn = 0; turn < 5; turn += 1) {
      await insert(connection, merchantId, `${merchantId}-${turn}`);
      await Promise.resolve();
      const { rows } = await connection.query<{ parcel: string }>("select parcel from parcel order by parcel");
      found.push(rows.map(({ parcel }) => parcel).join(" "));
      expect(await parcels()).toEqual([]);
    }
    return found.at(-1)!;
  });
  expect(seen).toEqual(TENANTS.map((id) => [0, 1, 2, 3, 4].map((turn) => `${id}-${turn}`).join(" ")));
  expect(await parcels()).toHaveLength(15);
});

test("none writes for another, and one that fails takes all back", async () => {
  const foreign = shared((connection, merchantId) =>
    insert(connection, merchantId === 3n ? 1n : merchantId, "foreign"),
  );
  await expect(foreign).rejects.toThrow("row-level security");
  expect(await parcels()).toEqual([]);
  const failing = shared(async (connection, merchantId) => {
    await insert(connection, merchantId, "first");
    if (merchantId === 2n) throw new Error("not this one");
    await insert(connection, merchantId, "second");
  });
  await expect(failing).rejects.toThrow("not this one");
  expect(await parcels()).toEqual([]);
  await shared((connection, merchantId) => insert(connection, merchantId, "after"));
  expect(await parcels()).toHaveLength(3);
});

test("each acts in its own name, also where one changes it meanwhile", async () => {
  type Acting = { actor: string; address: string | null; may: string };
  const text = `select nodal_actor() as actor, nodal_address() as address, current_setting('nodal.may_move_money', true) as may`;
  const other: Origin = { actor: actorOf("user", "9"), address: null, mayMoveMoney: true };
  const acted = await shared(async (connection, merchantId) => {
    const { rows: before } = await connection.query<Acting>(text);
    if (merchantId === 1n) await actInTurn(connection, other);
    const { rows: after } = await connection.query<Acting>(text);
    return [...before, ...after];
  });
  const ofSecond = { actor: "key:k2", address: null, may: "off" };
  const ofThird = { actor: "key:k3", address: "192.0.2.3", may: "on" };
  expect(acted).toEqual([
    [
      { actor: "key:k1", address: "192.0.2.1", may: "on" },
      { actor: "user:9", address: null, may: "on" },
    ],
    [ofSecond, ofSecond],
    [ofThird, ofThird],
  ]);
  // Nothing of it stays with the connection.
  const { rows } = await pool.query<Acting>(text);
  expect(rows).toEqual([{ actor: null, address: null, may: expect.toBeOneOf([null, ""]) }]);
});

test("a row that something else holds is waited for a moment only", async () => {
  await insert(db.owner as unknown as Connection, 1n, "held");
  await inTransaction(db.owner, async (connection) => {
    await connection.query("select from parcel for update");
    const startedAtMs = performance.now();
    const waiting = shared((each) => each.query("update parcel set parcel = 'changed'"));
    await expect(waiting).rejects.toSatisfy(hasWaitedInVain);
    expect(performance.now() - startedAtMs).toBeLessThan(2000);
  });
});
