// Statements that are sent at once: their order, their answers, and the effect of a failing one on the transaction.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openLedgerDatabase, type LedgerDatabase } from "../../../test/support/ledger.ts";
import { createPool, inTransaction, type OwnedPool, type Pool, inSavepointTogether, together } from "./pool.ts";

let db: LedgerDatabase;
const pools = new Map<string, OwnedPool>();

beforeAll(async () => {
  db = await openLedgerDatabase();
  await db.owner.query("create table word (word text primary key)");
  for (const pipelined of [true, false]) pools.set(String(pipelined), createPool({ url: db.url, size: 1, pipelined }));
});
afterAll(async () => {
  await Promise.all([...pools.values()].map((pool) => pool.end()));
  await db.close();
});

async function words(): Promise<string[]> {
  const { rows } = await db.owner.query<{ word: string }>("delete from word returning word");
  return rows.map(({ word }) => word).toSorted();
}

describe.each(["true", "false"])("on a connection that is pipelined: %s", (pipelined) => {
  const poolOf = (): Pool => pools.get(pipelined)!;

  test("works answer in order, whatever they answer", async () => {
    const answers = await inTransaction(poolOf(), (connection) =>
      together(
        connection,
        async () => (await connection.query<{ one: number }>("select 1 as one")).rows[0]!.one,
        async () => "nothing asked",
        async () => (await connection.query<{ two: number }>("select 2 as two")).rows[0]!.two,
      ),
    );
    expect(answers).toEqual([1, "nothing asked", 2]);
  });

  test("the first failure is what is told, after all have ended, and nothing is kept", async () => {
    const insert = "insert into word values ($1)";
    const work = inTransaction(poolOf(), (connection) =>
      together(
        connection,
        () => connection.query(insert, ["kept?"]),
        () => connection.query("select 1 / 0"),
        () => connection.query(insert, ["behind"]),
      ),
    );
    await expect(work).rejects.toThrow("division by zero");
    expect(await words()).toEqual([]);
    expect((await poolOf().query("select 1")).rowCount).toBe(1);
  });

  test("a savepoint takes back what failed in it, and the transaction goes on", async () => {
    const insert = "insert into word values ($1)";
    await inTransaction(poolOf(), async (connection) => {
      await connection.query(insert, ["first"]);
      const again = inSavepointTogether(connection, () =>
        together(
          connection,
          () => connection.query(insert, ["lost"]),
          () => connection.query(insert, ["first"]),
          () => connection.query(insert, ["behind"]),
        ),
      );
      await expect(again).rejects.toThrow("duplicate key");
      await connection.query(insert, ["second"]);
    });
    expect(await words()).toEqual(["first", "second"]);
  });

  test("a transaction whose beginning fails does nothing", async () => {
    const scoped: Pool = {
      scope: "set local nodal.merchant_id = 'no end",
      connect: poolOf().connect.bind(poolOf()),
      query: poolOf().query.bind(poolOf()),
    };
    let ended = false;
    const work = inTransaction(scoped, async (connection) => {
      await connection.query("select 1");
      ended = true;
    });
    await expect(work).rejects.toThrow("unterminated");
    // Pipelined connections have no rights outside of a scope, so it does no harm that the statement ran.
    expect(ended).toBe(pipelined === "true");
    expect((await poolOf().query("select 1")).rowCount).toBe(1);
  });
});
