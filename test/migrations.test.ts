// Migrations leave what the release before needs in place: its servers go on while the new ones start.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readMigrations } from "../src/platform/database/migrate.ts";
import { createPool, inTransaction, type OwnedPool } from "../src/platform/database/pool.ts";
import { createDatabase, type TestDatabase } from "./support/database-copy.ts";
import { LATER, laterMigrations } from "./support/later-release.ts";
import { makePreparedDatabase } from "./support/prepared-data.ts";
import { findBroken, readContents } from "./support/release-contents.ts";

let beside: TestDatabase;
let database: TestDatabase;
let owner: OwnedPool;
beforeAll(async () => {
  beside = await makePreparedDatabase();
  database = await createDatabase(beside.url, null);
  owner = createPool({ url: database.url, size: 1 });
});
afterAll(async () => {
  await owner.end();
  await database.release();
  await beside.release();
});

test("each migration of this release leaves what the one before it made", async () => {
  const [schema, ...later] = await readMigrations();
  await owner.query(schema!.sql);
  for (const { name, sql } of later) {
    const before = await readContents(owner);
    await owner.query(sql);
    expect([name, findBroken(before, await readContents(owner))]).toEqual([name, []]);
  }
  const { offers, demands } = await readContents(owner);
  expect([...offers]).toContain("column transfer.amount_paise bigint");
  expect([...demands.keys()]).toContain("transfer");
});

/** What a migration breaks, which is taken back. */
async function brokenBy(sql: string): Promise<string[]> {
  let broken: string[] = [];
  const taken = new Error("taken back");
  await inTransaction(owner, async (connection) => {
    const before = await readContents(connection);
    await connection.query(sql);
    broken = findBroken(before, await readContents(connection));
    throw taken;
  }).catch((error: unknown) => {
    if (error !== taken) throw error;
  });
  return broken;
}

describe("a migration is refused that", () => {
  test.each([
    ["takes a column away", "alter table transfer drop column narrative"],
    ["names a column anew", "alter table transfer rename column narrative to remark"],
    ["names a table anew", "alter table customer_group rename to customer_set"],
    ["changes a type", "alter table customer_group alter column name type varchar(10)"],
    ["takes a function away", "drop function nodal_actor()"],
    ["takes a right away", "revoke insert on customer_group from nodal_tenant"],
    ["wants a value that nobody gives", "alter table transfer add column colour text not null"],
    ["wants a value where none was needed", "alter table transfer alter column utr set not null"],
    ["wants more of a value", "alter table transfer add constraint small check (amount_paise < 100)"],
    ["wants a value to be the only one", "create unique index once on customer_group (bucket, merchant_id, name)"],
  ])("%s", async (_, sql) => {
    expect(await brokenBy(sql)).not.toEqual([]);
  });
});

test("columns, tables and indexes may come", async () => {
  const { sql } = (await readMigrations(laterMigrations())).find(({ name }) => name === LATER)!;
  expect(await brokenBy(sql)).toEqual([]);
  expect(await brokenBy("create index more on transfer (bucket, merchant_id, amount_paise)")).toEqual([]);
});
