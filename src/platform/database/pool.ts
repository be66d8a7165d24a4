// Connections to PostgreSQL: how they are made and how its values become ours (bigint, timestamptz, date).
// What belongs here: pools and transactions. SQL text belongs to the stores.
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Actor } from "../origin.ts";
import { beyondRange, hasGivenWay } from "./failure.ts";
import { together } from "./together.ts";

/** Connections that belong to whoever made them, and are closed there. */
export type OwnedPool = pg.Pool;
/**
 * Where statements and transactions run. `scope` is said at the beginning of each transaction, where this is a view of
 * the connections `beneath`.
 */
export type Pool = Pick<pg.Pool, "query" | "connect"> & { readonly scope?: string; readonly beneath?: OwnedPool };
export type Connection = pg.PoolClient;
/** Whatever can run a statement: a pool, or a connection inside a transaction. */
export type Queryable = Pick<Pool, "query" | "beneath"> | Pick<pg.PoolClient, "query">;

const { types } = pg;
const BIGINT = 20;
const BIGINT_ARRAY = 1016;
const DATE = 1082;
const TIMESTAMPTZ = 1184;

/** PostgreSQL prints `2026-11-21 09:12:33.123+00`; Temporal reads that with the hour offset written out. */
function parseInstant(text: string): Temporal.Instant {
  return Temporal.Instant.from(text.replace(" ", "T").replace(/([+-]\d\d)$/, "$1:00"));
}

const parsers = new Map<number, (text: string) => unknown>([
  [BIGINT, BigInt],
  [
    BIGINT_ARRAY,
    (text) =>
      text === "{}"
        ? []
        : text
            .slice(1, -1)
            .split(",")
            .map((item) => (item === "NULL" ? null : BigInt(item))),
  ],
  [DATE, (text) => Temporal.PlainDate.from(text)],
  [TIMESTAMPTZ, parseInstant],
]);

const typeParsers: pg.CustomTypesConfig = {
  getTypeParser: (id: number, format?: "text" | "binary") =>
    (format !== "binary" && parsers.get(id)) || types.getTypeParser(id, format),
};

export type PoolOptions = {
  readonly url: string;
  readonly size: number;
  /** The database role that the connections take, so that the database itself refuses what they may not do. */
  readonly role?: "nodal_server" | "nodal_tenant" | "nodal_payouts" | "nodal_simulator";
  /** What the connections are called in `pg_stat_activity`. */
  readonly name?: string;
  /** Who changes what these connections change, where no transaction says somebody else. */
  readonly actor?: Actor;
  /** From where, beside `actor`. */
  readonly address?: string | null;
  /** Server settings of these connections, such as planner switches. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Whether statements are sent without waiting for the answers to those before them. */
  readonly pipelined?: boolean;
  readonly onError?: (error: Error) => void;
};

/** A pool of connections. Errors of idle connections go to `onError`; the pool replaces those connections by itself. */
export function createPool(options: PoolOptions): OwnedPool {
  const settings: Record<string, string> = { timezone: "UTC", ...options.settings };
  if (options.role) settings.role = options.role;
  if (options.actor) settings["nodal.actor"] = options.actor;
  if (options.address) settings["nodal.address"] = options.address;
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.size,
    types: typeParsers,
    keepAlive: true,
    pipeline: options.pipelined ?? false,
    connectionTimeoutMillis: 10_000,
    application_name: options.name ?? "nodal",
    options: Object.entries(settings)
      .map(([name, value]) => `-c ${name}=${value.replaceAll(/[\\ ]/g, "\\$&")}`)
      .join(" "),
  });
  pool.on("error", (error) => {
    if (!pool.ending) options.onError?.(error);
  });
  // A connection that breaks while it is in use fails the statement under way; without a listener it would end the
  // process as well.
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}

/** How often a transaction is tried that keeps giving way to others. */
const TRIES = 5;
const RETRY_DELAY_MS = 20;

/**
 * Runs `work` in one transaction: committed when it returns, rolled back when it throws. `work` does nothing but use the
 * database: where PostgreSQL ends the transaction in favour of another one (a deadlock, say), it is run again.
 */
export function inTransaction<T>(
  pool: Pool,
  work: (connection: Connection) => Promise<T>,
  begin = "begin",
): Promise<T> {
  return givingWay(() => tryTransaction(pool, work, begin));
}

/**
 * Runs one statement in a transaction that begins with the pool's scope, all in one round trip. Only for connections
 * to which nothing outside of such a scope is shown or allowed: where the beginning fails, the statement still runs.
 */
export function inOneRoundTrip(pool: Pool, statement: [string]): Promise<pg.QueryResult> {
  return givingWay(() => tryOneRoundTrip(pool, statement));
}

/**
 * Reads, then writes what follows from it, in one transaction: two round trips where the pool's connections are pipelined,
 * if both send all their statements before they wait for anything. Answers what was read. What `write` answers must do
 * nothing but send what is ready: where it failed before sending, the rest would be committed without it.
 */
export async function inTwoRoundTrips<T>(
  pool: Pool,
  read: (connection: Connection) => Promise<T>,
  write: (connection: Connection, found: T) => readonly (() => Promise<unknown>)[],
): Promise<T> {
  const connection = await pool.connect();
  let broken: Error | undefined;
  try {
    const [, found] = await together(
      connection,
      () => connection.query("begin"),
      () => read(connection),
    );
    // A commit after a statement that failed rolls back.
    await together(connection, ...write(connection, found), () => connection.query("commit"));
    return found;
  } catch (error) {
    await connection.query("rollback").catch((rollbackError: Error) => {
      broken = rollbackError;
    });
    throw error;
  } finally {
    connection.release(broken);
  }
}

async function givingWay<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!hasGivenWay(error) || tries === TRIES) throw beyondRange(error) ?? error;
      // Those that met must not meet in step again.
      await sleep(Math.random() * RETRY_DELAY_MS * tries);
    }
  }
}

async function tryTransaction<T>(pool: Pool, work: (connection: Connection) => Promise<T>, begin: string): Promise<T> {
  const connection = await pool.connect();
  let broken: Error | undefined;
  try {
    const result = await begun(connection, pool.scope, begin, () => work(connection));
    await connection.query("commit");
    return result;
  } catch (error) {
    await connection.query("rollback").catch((rollbackError: Error) => {
      broken = rollbackError;
    });
    throw error;
  } finally {
    connection.release(broken);
  }
}

/**
 * Runs `work` behind the beginning of its transaction: where there is a scope, without waiting for it, since nothing is
 * shown or allowed to pipelined connections outside of one.
 */
async function begun<T>(
  connection: Connection,
  scope: string | undefined,
  begin: string,
  work: () => Promise<T>,
): Promise<T> {
  if (scope !== undefined) {
    return (await together(connection, () => connection.query(`${begin}; ${scope}`), work))[1];
  }
  await connection.query(begin);
  return work();
}

async function tryOneRoundTrip(pool: Pool, statement: [string]): Promise<pg.QueryResult> {
  const connection = await pool.connect();
  let broken: Error | undefined;
  try {
    // A commit after a statement that failed rolls back.
    const [begin, done, ended] = await Promise.allSettled([
      connection.query(`begin; ${pool.scope}`),
      connection.query(...statement),
      connection.query("commit"),
    ]);
    if (ended.status === "rejected") broken = ended.reason as Error;
    for (const each of [begin, done, ended]) if (each.status === "rejected") throw each.reason;
    return (done as PromiseFulfilledResult<pg.QueryResult>).value;
  } finally {
    connection.release(broken);
  }
}

/** Whether anybody is connected to this database under a name. The pool's user must own the database. */
export async function isConnected(pool: Pool, name: string): Promise<boolean> {
  const { rows } = await pool.query<{ connected: boolean }>(
    `select exists (
       select from pg_stat_activity where datname = current_database() and application_name = $1
     ) as connected`,
    [name],
  );
  return rows[0]!.connected;
}

/** Resolves when the database answers. */
export async function ping(pool: Pool): Promise<void> {
  await pool.query("select 1");
}
