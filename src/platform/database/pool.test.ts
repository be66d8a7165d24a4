// Transactions that meet others: which are run again, and what a unique violation says.
// What belongs here: what needs PostgreSQL and none of Nodal's tables.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openLedgerDatabase, type LedgerDatabase } from "../../../test/support/ledger.ts";
import { violates } from "./failure.ts";
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
  expect([tries, rows]).toEqual([3, [{ visits: 2 }, { visits: 2 }]]);
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
});
