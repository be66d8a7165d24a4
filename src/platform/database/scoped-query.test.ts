// A statement that sets its merchant in the same request: visible rows, remaining settings, and failures.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openLedgerDatabase, type LedgerDatabase } from "../../../test/support/ledger.ts";
import { createPool, inOneRoundTrip, type OwnedPool, type Pool } from "./pool.ts";
import type { Setting } from "./scoped-query.ts";

let db: LedgerDatabase;
let pool: OwnedPool;
beforeAll(async () => {
  db = await openLedgerDatabase();
  pool = createPool({ url: db.url, size: 1, pipelined: true });
  await pool.query("create table shelf (place integer primary key)");
});
afterAll(async () => {
  await pool.end();
  await db.close();
});

const within = (...settings: Setting[]): Pool => ({
  scope: "select 1 / 0",
  settings,
  beneath: pool,
  connect: () => pool.connect(),
  query: pool.query.bind(pool),
});
const SETTINGS = "select current_setting('nodal.one', true) as one, current_setting('nodal.two', true) as two";
const run = (settings: Setting[], ...statement: unknown[]): Promise<{ rows: unknown[] }> =>
  inOneRoundTrip(within(...settings), statement as [string]);

describe.each([
  ["its text", [SETTINGS]],
  ["a text and values", [`${SETTINGS}, $1::integer as three`, [3]]],
  ["a name", [{ name: "settings", text: SETTINGS }]],
  ["a name and values", [{ name: "settings of", text: `${SETTINGS}, $1::integer as three`, values: [3] }]],
])("a statement given by %s", (_, statement) => {
  const three = JSON.stringify(statement).includes("three") ? { three: 3 } : {};

  test("sees what is said, and leaves nothing of it on the connection", async () => {
    for (const one of ["1", "o'ne", "एक"]) {
      expect((await run([["nodal.one", one]], ...statement)).rows).toMatchObject([{ one, ...three }]);
    }
    const settings: Setting[] = [
      ["nodal.one", "first"],
      ["nodal.two", "second"],
    ];
    expect((await run(settings, ...statement)).rows).toEqual([{ one: "first", two: "second", ...three }]);
    expect((await pool.query(SETTINGS)).rows).toEqual([{ one: "", two: "" }]);
  });
});

test("many at once on one connection each see their own", async () => {
  const connection = await pool.connect();
  const alone: Pool = { ...within(), connect: (() => Promise.resolve(connection)) as Pool["connect"] };
  // Its place is released at the end.
  const release = connection.release.bind(connection);
  connection.release = () => {};
  const all = Array.from({ length: 200 }, (_, number) =>
    inOneRoundTrip({ ...alone, settings: [["nodal.one", String(number)]] }, [SETTINGS]),
  );
  const seen = (await Promise.all(all)).map(({ rows }) => rows[0].one);
  release();
  expect(seen).toEqual(Array.from({ length: 200 }, (_, number) => String(number)));
});

test("a statement that fails changes nothing, is thrown as it is, and leaves no transaction open", async () => {
  const insert = { name: "fill", text: "insert into shelf select unnest($1::integer[])", values: [[1, 1]] };
  await expect(run([["nodal.one", "1"]], insert)).rejects.toMatchObject({ code: "23505", constraint: "shelf_pkey" });
  await expect(run([["nodal.one", "1"]], { name: "wrong", text: "select nothing" })).rejects.toMatchObject({
    code: "42703",
  });
  expect((await pool.query("select now() = statement_timestamp() as alone")).rows).toEqual([{ alone: true }]);
  expect((await run([["nodal.one", "1"]], { ...insert, values: [[1, 2]] })).rows).toEqual([]);
  expect((await pool.query("select place from shelf order by place")).rows).toEqual([{ place: 1 }, { place: 2 }]);
});

test("a statement whose table has changed is run again, and so is what comes after it", async () => {
  await pool.query("create table rack (place integer)");
  await pool.query("insert into rack values (1)");
  const look = { name: "rack", text: "select * from rack" };
  const sees = async (row: object): Promise<void> => {
    for (const settings of [
      ["nodal.one", "1"],
      ["nodal.two", "2"],
    ] as const) {
      expect((await run([settings], look)).rows).toEqual([row]);
    }
    expect((await run([["nodal.three", "3"]], SETTINGS)).rows).toHaveLength(1);
  };
  await sees({ place: 1 });
  await pool.query("alter table rack add column height integer");
  await sees({ place: 1, height: null });
  await pool.query("alter table rack add column depth integer");
  await sees({ place: 1, height: null, depth: null });
});

test("where a setting is refused, nothing is run", async () => {
  const insert = "insert into shelf values (8)";
  await expect(run([["statement_timeout", "never"]], insert)).rejects.toMatchObject({ code: "22023" });
  await expect(run([["statement_timeout", "never"]], insert)).rejects.toMatchObject({ code: "22023" });
  expect((await pool.query("select from shelf where place = 8")).rows).toEqual([]);
});
