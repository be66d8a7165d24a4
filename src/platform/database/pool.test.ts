// Conflicting transactions: which are retried, and the error of a unique violation.
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openLedgerDatabase, type LedgerDatabase } from "../../../test/support/ledger.ts";
import { isConnectionLost, violates } from "./failure.ts";
import { connect, createServer, type AddressInfo, type Server } from "node:net";
import { ConnectionSettingsError } from "./check-connection.ts";
import { leadsToSpread, markSpread } from "./citus/spread.ts";
import { createPool, inOneRoundTrip, inTransaction, type Connection, type OwnedPool, type Pool } from "./pool.ts";

let db: LedgerDatabase;
let pool: OwnedPool;

beforeAll(async () => {
  db = await openLedgerDatabase();
  pool = createPool({ url: db.url, size: 4 });
  await pool.query(
    "create table meeting (place integer, visits integer not null, constraint once unique (place, visits))",
  );
  await pool.query("insert into meeting select place, 0 from generate_series(1, 2) as place");
});
afterAll(async () => {
  await pool.end();
  await db.close();
});

async function visit(connection: Connection, place: number): Promise<void> {
  await connection.query("update meeting set visits = visits + 1 where place = $1", [place]);
}

test("two transactions that wait for each other both end well", async () => {
  let tries = 0;
  const arrivals = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const crossing = (own: number): Promise<void> =>
    inTransaction(pool, async (connection) => {
      tries += 1;
      await visit(connection, own + 1);
      arrivals[own]!.resolve();
      await arrivals[1 - own]!.promise;
      await visit(connection, 2 - own);
    });
  await Promise.all([crossing(0), crossing(1)]);
  const { rows } = await pool.query("select visits from meeting order by place");
  // The rolled-back transaction may lock its first row again before the other one does: then it is rolled back once more.
  expect(tries).toBeGreaterThan(2);
  expect(rows).toEqual([{ visits: 2 }, { visits: 2 }]);
});

test("a conflict that does not go away is thrown in the end, after a few tries", async () => {
  let tries = 0;
  const hopeless = inTransaction(pool, async (connection) => {
    tries += 1;
    await connection.query("do $$ begin raise exception 'no' using errcode = '40001'; end $$");
  });
  await expect(hopeless).rejects.toMatchObject({ code: "40001" });
  expect(tries).toBe(5);
});

test("a transaction that stands still is ended where that is set, and counts as a lost connection", async () => {
  const settings = { idle_in_transaction_session_timeout: "100" };
  const impatient = createPool({ url: db.url, size: 1, settings });
  const standing = (query: boolean): Promise<unknown> =>
    inTransaction(impatient, async (connection) => {
      await visit(connection, 1);
      // In the second case the process itself is idle, so that it notices the end only with its next statement.
      if (query) await new Promise((resolve) => setTimeout(resolve, 300));
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
      await visit(connection, 1);
    }).catch((error: unknown) => error);
  const { rows: before } = await pool.query("select visits from meeting where place = 1");
  expect([isConnectionLost(await standing(true)), isConnectionLost(await standing(false))]).toEqual([true, true]);
  expect((await pool.query("select visits from meeting where place = 1")).rows).toEqual(before);
  await impatient.end();
});

test("any other failure is thrown at once", async () => {
  let tries = 0;
  const failing = inTransaction(pool, async () => {
    tries += 1;
    throw new Error("mine");
  });
  await expect(failing).rejects.toThrow("mine");
  expect(tries).toBe(1);
});

describe("a single statement in a transaction of its own", () => {
  let single: OwnedPool;
  const within = (scope: string): Pool => ({
    scope,
    connect: () => single.connect(),
    query: single.query.bind(single),
  });
  const SETTING = "select current_setting('nodal.test', true) as value";

  beforeAll(() => {
    single = createPool({ url: db.url, size: 1, pipelined: true });
  });
  afterAll(() => single.end());

  test("sees what its scope says, and leaves nothing of it on the connection", async () => {
    const { rows } = await inOneRoundTrip(within("set local nodal.test = 'seven'"), [SETTING]);
    expect(rows).toEqual([{ value: "seven" }]);
    expect((await single.query(SETTING)).rows).toEqual([{ value: "" }]);
  });

  test("that fails is thrown as it is, and leaves no transaction open", async () => {
    const again = "insert into meeting (place, visits) select place, visits from meeting";
    await expect(inOneRoundTrip(within("select 1"), [again])).rejects.toMatchObject({ code: "23505" });
    expect((await single.query("select now() = statement_timestamp() as alone")).rows).toEqual([{ alone: true }]);
  });

  test("does nothing where its scope is refused", async () => {
    const insert = "insert into meeting (place, visits) values (8, 8)";
    await expect(inOneRoundTrip(within("select 1 / 0"), [insert])).rejects.toMatchObject({ code: "22012" });
    expect((await single.query("select * from meeting where place = 8")).rows).toEqual([]);
  });

  test("is run again where it gave way, a few times", async () => {
    await single.query("create sequence tries");
    await single.query(`create function give_way() returns void language plpgsql as $$
      begin perform nextval('tries'); raise exception 'no' using errcode = '40001'; end $$`);
    const failing = inOneRoundTrip(within("select 1"), ["select give_way()"]);
    await expect(failing).rejects.toMatchObject({ code: "40001" });
    expect((await single.query("select last_value from tries")).rows).toEqual([{ last_value: 5n }]);
  });
});

test("a unique violation tells its constraint", async () => {
  const insert = "insert into meeting (place, visits) values (7, 7), (7, 7)";
  const error: unknown = await pool.query(insert).catch((thrown: unknown) => thrown);
  expect(violates(error, "once")).toBe(true);
  expect(violates(error, "on")).toBe(true);
  expect(violates(error, "twice")).toBe(false);
  expect(violates(new Error("once"), "once")).toBe(false);
  // A Citus node only reports the name of the shard's constraint, in the message.
  const ofShard = new pg.DatabaseError('duplicate key value violates unique constraint "once_102317"', 0, "error");
  ofShard.code = "23505";
  expect([violates(ofShard, "once"), violates(ofShard, "twice")]).toEqual([true, false]);
});

test("on Citus a transaction says itself for how long it waits: nodes know nothing of a connection's own settings", async () => {
  const settings = { lock_timeout: "123" };
  const spread = createPool({ url: db.url, size: 1, actor: "bank", settings, pipelined: true });
  const connection = await spread.connect();
  // As on a node, which has none of these settings.
  await connection.query("set lock_timeout = 0");
  await connection.query("set nodal.actor = ''");
  markSpread(connection);
  connection.release();
  expect(await leadsToSpread(spread)).toBe(true);
  const said = "select current_setting('lock_timeout') as waits, current_setting('nodal.actor') as actor";
  const told = { waits: "123ms", actor: "bank" };
  expect((await inTransaction(spread, (within) => within.query(said))).rows).toEqual([told]);
  expect((await spread.query(said)).rows).toEqual([told]);
  const view: Pool = {
    beneath: spread,
    query: spread.query.bind(spread),
    connect: () => spread.connect(),
    scope: "set local lock_timeout = 5",
  };
  expect((await inTransaction(view, (within) => within.query(said))).rows).toEqual([{ ...told, waits: "5ms" }]);
  await spread.end();
});

describe("a connection that does not have what was asked for", () => {
  /** A proxy between Nodal and PostgreSQL that drops the start-up options, as PgBouncer can be configured to. */
  let pooler: Server;
  let url: string;
  beforeAll(async () => {
    const { hostname, port } = new URL(db.url);
    pooler = createServer((client) => {
      const server = connect(Number(port), hostname);
      client.once("data", (startUp: Buffer) => {
        server.write(withoutOptions(startUp));
        client.pipe(server);
      });
      server.pipe(client);
      client.on("error", () => server.destroy());
      server.on("error", () => client.destroy());
    });
    await new Promise<void>((resolve) => pooler.listen(0, "127.0.0.1", resolve));
    url = Object.assign(new URL(db.url), { port: String((pooler.address() as AddressInfo).port) }).href;
  });
  afterAll(() => new Promise((resolve) => pooler.close(resolve)));

  async function refusalOf(options: Omit<Parameters<typeof createPool>[0], "size">): Promise<unknown> {
    const through = createPool({ size: 1, ...options });
    try {
      return await through.query("select 1").catch((error: unknown) => error);
    } finally {
      await through.end();
    }
  }

  test("is not used: it would be the owner's, with no wall between merchants", async () => {
    const refused = await refusalOf({ url, role: "nodal_tenant", actor: "bank", pipelined: true });
    expect(refused).toBeInstanceOf(ConnectionSettingsError);
    expect((refused as Error).message).toMatch(/the role nodal, not nodal_tenant.*timezone is not set.*nodal.actor/);
  });

  test("is not used for want of a time limit either", async () => {
    const refused = await refusalOf({ url, settings: { statement_timeout: "5000" } });
    expect((refused as Error).message).toContain("statement_timeout is not set");
  });

  test("is used where it has all of it", async () => {
    const settings = { statement_timeout: "5000", plan_cache_mode: "force_generic_plan" };
    const found = await refusalOf({ url: db.url, role: "nodal_tenant", actor: "bank", settings });
    expect(found).toMatchObject({ rowCount: 1 });
  });

  test("is not used where row-level security does not bind its role", async () => {
    await db.owner.query("alter table merchant disable row level security");
    try {
      expect(await refusalOf({ url: db.url, role: "nodal_tenant" })).toMatchObject({
        message: expect.stringContaining("row-level security is off for nodal_tenant") as string,
      });
    } finally {
      await db.owner.query("alter table merchant enable row level security");
    }
  });
});

/** A start-up message without its parameter `options`. */
function withoutOptions(message: Buffer): Buffer {
  const parts = message.subarray(8).toString("utf8").split("\0");
  const kept: string[] = [];
  for (let at = 0; parts[at]; at += 2) if (parts[at] !== "options") kept.push(parts[at]!, parts[at + 1]!);
  const body = Buffer.from(`${kept.join("\0")}\0\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(body.length + 8, 0);
  message.copy(head, 4, 4, 8);
  return Buffer.concat([head, body]);
}

test("a transaction over a connection with a beginning of its own says that, prepared, behind `begin`", async () => {
  const stay = { name: "stay", text: "select nodal_stay($1)", values: ["7"] };
  const sent: unknown[] = [];
  const connection = {
    scope: stay,
    connection: { stream: {} },
    query: async (statement: unknown) => void sent.push(statement),
    release: () => {},
  };
  const pool = { connect: async () => connection } as unknown as Pool;
  await inTransaction(pool, (each) => each.query("select 1"));
  await inOneRoundTrip(pool, ["select 2"]);
  expect(sent).toEqual(["begin", stay, "select 1", "commit", "begin", stay, "select 2", "commit"]);
});
