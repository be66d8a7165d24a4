// Migrations leave what the release before needs in place: its servers go on while the new ones start.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { migrate, MigrationError, readMigrations, type Patience } from "../src/platform/database/migrate.ts";
import { createPool, inTransaction, type Connection, type OwnedPool } from "../src/platform/database/pool.ts";
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

describe("a migration behind a long transaction", () => {
  const patience: Patience = { lockTimeoutMs: 300, pauseMs: 300, tries: 3 };
  let target: TestDatabase;
  let migrator: OwnedPool;
  let others: OwnedPool;
  let holder: Connection;
  let pid: number;
  beforeEach(async () => {
    target = await makePreparedDatabase();
    migrator = createPool({ url: target.url, size: 1 });
    others = createPool({ url: target.url, size: 3, name: "a long report" });
    holder = await others.connect();
    await holder.query("begin");
    pid = (await holder.query<{ pid: number }>("select pg_backend_pid() as pid, count(*) from customer_group")).rows[0]!
      .pid;
  });
  afterEach(async () => {
    await holder.query("rollback");
    holder.release();
    await Promise.all([migrator.end(), others.end()]);
    await target.release();
  });

  test("gives up after some tries, says who is in the way, and has changed nothing", async () => {
    const failure = await migrate(migrator, laterMigrations(), patience).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(MigrationError);
    expect((failure as Error).message).toMatch(
      new RegExp(
        `3 times in a row \\(canceling statement due to lock timeout\\).* process ${pid} of PostgreSQL \\(a long report, `,
      ),
    );
    const { rows } = await others.query("select to_regclass('colour') as colour");
    expect(rows).toEqual([{ colour: null }]);
  });

  test("lets others go first, and is applied when it has ended", async () => {
    const migrating = migrate(migrator, laterMigrations(), { ...patience, tries: 100 });
    // Once it waits, what comes behind it waits too, and is answered before it is applied.
    await expect.poll(() => isWaiting(), { timeout: 180_000, interval: 20 }).toBe(true);
    await others.query("select count(*) from customer_group");
    expect((await others.query("select to_regclass('colour') as colour")).rows).toEqual([{ colour: null }]);
    await holder.query("commit");
    expect(await migrating).toEqual([LATER]);
  });

  test("gives way to those with whom it is deadlocked, however often, and is applied in the end", async () => {
    await holder.query("rollback");
    // The migration finds a deadlock first, and so is the one that PostgreSQL ends.
    await migrator.query("set deadlock_timeout = '100ms'");
    const other = await others.connect();
    const readers = [holder, other];
    try {
      for (const reader of readers) await reader.query("set deadlock_timeout = '30s'");
      await beginWithInvoice(holder);
      const migrating = migrate(
        migrator,
        laterMigrations({ "0003_notes.sql": "alter table invoice add column note text not null default ''" }),
        { ...patience, lockTimeoutMs: 10_000, tries: 100 },
      );
      // More often than a transaction is run again at once.
      for (let round = 0; round < 8; round += 1) {
        const [reader, next] = [readers[round % 2]!, readers[(round + 1) % 2]!];
        await expect.poll(() => isWaiting("invoice"), { timeout: 180_000, interval: 20 }).toBe(true);
        const begun = beginWithInvoice(next);
        await reader.query("select count(*) from customer_group");
        await Promise.all([begun, reader.query("commit")]);
      }
      await holder.query("commit");
      expect(await migrating).toEqual([LATER, "0003_notes.sql"]);
      await expect.poll(countDeadlocks).toBeGreaterThan(5);
    } finally {
      other.release();
    }
  });

  async function countDeadlocks(): Promise<number> {
    const { rows } = await others.query<{ deadlocks: number }>(
      "select deadlocks::integer from pg_stat_database where datname = current_database()",
    );
    return rows[0]!.deadlocks;
  }

  async function beginWithInvoice(reader: Connection): Promise<void> {
    await reader.query("begin");
    await reader.query("select count(*) from invoice");
  }

  async function isWaiting(table = "customer_group"): Promise<boolean> {
    const { rows } = await others.query<{ waiting: boolean }>(
      "select exists (select from pg_locks where not granted and relation = $1::regclass) as waiting",
      [table],
    );
    return rows[0]!.waiting;
  }
});
