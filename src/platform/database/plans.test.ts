// Prepared statements whose tables get another column: they are run again, once, without duplicate effects.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openLedgerDatabase, type LedgerDatabase } from "../../../test/support/ledger.ts";
import { runBatch } from "../batcher.ts";
import { currentEdition } from "./plans.ts";
import {
  createPool,
  inOneRoundTrip,
  inTransaction,
  inTwoRoundTrips,
  together,
  type OwnedPool,
  type Pool,
} from "./pool.ts";

const READ = { name: "read notes", text: "select * from note order by word" };
const write = (word: string) => ({
  name: "write a note",
  text: "insert into note (word) values ($1) returning *",
  values: [word],
});

let db: LedgerDatabase;
const pools: OwnedPool[] = [];
let columns = 0;

beforeAll(async () => {
  db = await openLedgerDatabase();
  await db.owner.query("create table note (word text not null)");
  await db.owner.query("grant select, insert on note to nodal_server");
});
afterEach(() => db.owner.query("delete from note"));
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()));
  await db.close();
});

/** What a migration does. */
async function addColumn(): Promise<void> {
  columns += 1;
  await db.owner.query(`alter table note add column more_${columns} text not null default 'm'`);
}

async function words(): Promise<string[]> {
  return (await db.owner.query<{ word: string }>("select word from note")).rows.map(({ word }) => word).toSorted();
}

function open(pipelined: boolean): OwnedPool {
  const pool = createPool({ url: db.url, size: 3, role: "nodal_server", pipelined });
  pools.push(pool);
  return pool;
}

/** All connections of a pool of three keep both statements. */
async function keepStatements(pool: Pool): Promise<void> {
  const ready = Promise.withResolvers<void>();
  let count = 0;
  const keep = (): Promise<void> =>
    inTransaction(pool, async (connection) => {
      await connection.query(READ);
      await connection.query(write("kept"));
      if ((count += 1) === 3) ready.resolve();
      await ready.promise;
    });
  await Promise.all([keep(), keep(), keep()]);
  await db.owner.query("delete from note");
}

describe.each([false, true])("over connections that are pipelined: %s", (isPipelined) => {
  let pool: OwnedPool;
  beforeAll(() => {
    pool = open(isPipelined);
  });

  test("single statements answer with the new column, also many at once", async () => {
    await keepStatements(pool);
    await addColumn();
    const given = ["a", "b", "c", "d", "e"];
    const written = await Promise.all(given.map((word) => pool.query(write(word))));
    for (const { rows } of written) expect(rows[0]).toHaveProperty(`more_${columns}`, "m");
    expect((await pool.query(READ)).rows[0]).toHaveProperty(`more_${columns}`, "m");
    expect(await words()).toEqual(given);
  });

  test("a transaction is run again as a whole, and what it had written before is not kept twice", async () => {
    await keepStatements(pool);
    await addColumn();
    let tries = 0;
    const work = async (): Promise<void> =>
      inTransaction(pool, async (connection) => {
        tries += 1;
        await connection.query("insert into note (word) values ('before')");
        await together(
          connection,
          () => connection.query(write("in it")),
          () => connection.query("insert into note (word) values ('after')"),
        );
      });
    await work();
    expect([tries, await words()]).toEqual([2, ["after", "before", "in it"]]);
  });

  test("it is found once for all connections", async () => {
    await keepStatements(pool);
    await addColumn();
    await pool.query(READ);
    const edition = currentEdition();
    await Promise.all(["a", "b", "c", "d", "e", "f"].map((word) => pool.query(write(word))));
    expect(currentEdition()).toBe(edition);
  });

  test("a name that the connection has lost is not used any more", async () => {
    await keepStatements(pool);
    await inTransaction(pool, (connection) => connection.query("deallocate all"));
    await Promise.all(["a", "b", "c", "d"].map((word) => pool.query(write(word))));
    expect(await words()).toEqual(["a", "b", "c", "d"]);
  });
});

test("what is sent in one round trip, or in two, is written once", async () => {
  const pool = open(true);
  const view: Pool = { scope: "select 1", connect: () => pool.connect(), query: pool.query.bind(pool) };
  await keepStatements(pool);
  await addColumn();
  await inOneRoundTrip(view, [write("one") as unknown as string]);
  await addColumn();
  const group = (): Promise<string[]> =>
    inTwoRoundTrips(
      view,
      async (connection) => (await connection.query<{ word: string }>(READ)).rows.map(({ word }) => word),
      (connection) => [() => connection.query(write("two")), () => connection.query(write("three"))],
    );
  // As group commits send it.
  const [found] = await runBatch(["item"], async () => [(await group()).join()], 0);
  expect([found, await words()]).toEqual(["one", ["one", "three", "two"]]);
});
