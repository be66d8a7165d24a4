// A running transaction as a pool: use cases that open transactions become parts of it, and are committed with it.
import type pg from "pg";
import type { Connection, OwnedPool, Pool } from "./pool.ts";

const NO_ANSWER = { rows: [], rowCount: 0 } as unknown as pg.QueryResult;

/**
 * Statements run on `connection`, which is in a transaction of `pool`. Each transaction of the joined pool is a
 * savepoint, so a failing one only rolls back its own changes. Several at once take turns; a nested one would wait
 * forever.
 */
export function joinedPool(pool: Pool, connection: Connection): Pool {
  let last: Promise<void> = Promise.resolve();
  const connect = async (): Promise<Connection> => {
    const { promise, resolve: leave } = Promise.withResolvers<void>();
    const before = last;
    last = promise;
    await before;
    return partOf(connection, leave);
  };
  return {
    query: connection.query.bind(connection),
    connect: connect as Pool["connect"],
    beneath: pool.beneath ?? (pool as OwnedPool),
  };
}

/** A connection whose transaction is a savepoint. Its scope is empty, since the outer transaction has set the merchant. */
function partOf(connection: Connection, release: () => void): Connection {
  const query = (given: string | pg.QueryConfig, ...rest: []): Promise<pg.QueryResult> => {
    if (given === "") return Promise.resolve(NO_ANSWER);
    if (given === "commit") return connection.query("release savepoint part");
    if (given === "rollback") return takeBack(connection);
    if (typeof given === "string" && /^begin\b/.test(given)) return connection.query("savepoint part");
    return connection.query(given as pg.QueryConfig, ...rest);
  };
  const { beneath = connection } = connection as { readonly beneath?: Connection };
  return Object.assign(Object.create(connection) as Connection, { query, release, scope: "", beneath });
}

async function takeBack(connection: Connection): Promise<pg.QueryResult> {
  await connection.query("rollback to savepoint part");
  return connection.query("release savepoint part");
}
