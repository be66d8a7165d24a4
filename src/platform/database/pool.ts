// Connections to PostgreSQL: pools, transactions, savepoints, and pipelined statements.
import { setTimeout as sleep } from "node:timers/promises";
import { callbackify } from "node:util";
import pg from "pg";
import type { Actor } from "../origin.ts";
import { readAddress } from "./address.ts";
import { checkConnection, checkPooledConnection, type ConnectionSpec } from "./check-connection.ts";
import { outOfRange, isRetryable } from "./failure.ts";
import { HostClient, Hosts, type HostClientConfig } from "./hosts.ts";
import { scopeOf } from "./pooler.ts";
import { queryWithin, setLocal, type Scope, type Setting } from "./scoped-query.ts";
import { isSpread, rememberOptions } from "./citus/spread.ts";
import { Silence } from "./silence.ts";
import { typeParsers } from "./values.ts";
import type { Duplex } from "node:stream";

/** A pool that its creator must close. Through PgBouncer it has a `scope`, as a `Pool` may. */
export type OwnedPool = pg.Pool & { readonly scope?: string; readonly forNodes?: string };
/**
 * Where statements and transactions run. A view of the pool `beneath`, or a pool through PgBouncer, sends `scope` at
 * the beginning of each transaction. `settings` are the settings in a view's scope. `forNodes` is what each transaction
 * sets on Citus nodes, which don't see a connection's settings: the actor, and the lock timeout.
 */
export type Pool = Pick<pg.Pool, "query" | "connect"> & {
  readonly scope?: string;
  readonly settings?: readonly Setting[];
  readonly beneath?: OwnedPool;
  readonly forNodes?: string;
};
export type Connection = pg.PoolClient;
/** Runs statements: a pool, or a connection inside a transaction. */
export type Queryable = Pick<Pool, "query" | "beneath"> | Pick<pg.PoolClient, "query">;

export type PoolOptions = {
  readonly url: string;
  readonly size: number;
  /** The database role of the connections, so that the database enforces their rights. */
  readonly role?: "nodal_server" | "nodal_tenant" | "nodal_payouts" | "nodal_invoices" | "nodal_simulator";
  /** The connections' name in `pg_stat_activity`. */
  readonly name?: string;
  /** The actor of changes, unless a transaction sets another one. */
  readonly actor?: Actor;
  /** The address of `actor`. */
  readonly address?: string | null;
  /** Server settings of these connections, such as planner switches. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Send statements without waiting for earlier answers? */
  readonly pipelined?: boolean;
  /** Do they lead to a Citus node, for statements that name its shards? */
  readonly isNode?: boolean;
  readonly onError?: (error: Error) => void;
};

/**
 * How long a server's connection may be idle in a transaction before PostgreSQL ends it. A stopped process keeps its
 * merchants' books locked until then. Transactions never wait for anything but the database.
 */
const IDLE_TRANSACTION_TIMEOUT_MS = 15_000;

/**
 * An unused connection is closed after this time. A new one costs 50 to 100 ms of processor time until its caches are
 * filled.
 */
const IDLE_MS = 60_000;

/**
 * A pool of connections. Errors of idle connections go to `onError`, and the pool replaces these connections. A
 * connection without the requested role and settings is never used: the caller gets a `ConnectionSettingsError`.
 */
export function createPool(options: PoolOptions): OwnedPool {
  const { urls, isPooled, needsPrimary } = readAddress(options.url);
  const settings: Record<string, string> = {
    timezone: "UTC",
    ...(options.role ? { idle_in_transaction_session_timeout: String(IDLE_TRANSACTION_TIMEOUT_MS) } : {}),
    ...options.settings,
  };
  if (options.actor) settings["nodal.actor"] = options.actor;
  if (options.address) settings["nodal.address"] = options.address;
  const asked = { role: options.role, settings, isNode: options.isNode ?? false };
  const hosts = needsPrimary ? Hosts.of(urls) : undefined;
  const config = {
    connectionString: urls[0],
    hosts,
    // The owner's work takes long, and no request waits for it.
    silence: options.role && silenceOf(urls, isPooled, hosts),
    Client: HostClient,
    max: options.size,
    types: typeParsers,
    keepAlive: true,
    pipeline: options.pipelined ?? false,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: IDLE_MS,
    application_name: options.name ?? "nodal",
  };
  const pool = isPooled ? createPooled(config, asked) : createDirect(config, asked);
  pool.on("error", (error) => {
    if (!pool.ending) options.onError?.(error);
  });
  // A connection that breaks while it is in use fails the statement under way; without a listener it would end the
  // process as well.
  pool.on("connect", (client) =>
    rememberOptions(
      client.on("error", () => {}),
      options,
    ),
  );
  return pool;
}

function silenceOf(urls: readonly [string, ...string[]], isPooled: boolean, hosts: Hosts | undefined): Silence {
  return hosts ? Silence.ofHosts(urls, () => hosts.lookForPrimary()) : Silence.of(urls[0], isPooled);
}

type PoolConfig = pg.PoolConfig & HostClientConfig;

/** Direct connections to PostgreSQL, which get role and settings once, at the start. */
function createDirect(config: PoolConfig, asked: ConnectionSpec): OwnedPool {
  const { role, settings } = asked;
  const pool: OwnedPool = new pg.Pool({
    ...config,
    options: Object.entries(role === undefined ? settings : { ...settings, role })
      .map(([name, value]) => `-c ${name}=${value.replaceAll(/[\\ ]/g, "\\$&")}`)
      .join(" "),
    verify: callbackify((client: pg.PoolClient) => checkConnection(client, asked)),
  });
  const told = Object.entries(settings).filter(([name]) => name.startsWith("nodal.") || name === "lock_timeout");
  const once = pool.query.bind(pool);
  const query = (...statement: [string]): Promise<pg.QueryResult> =>
    config.pipeline && isSpread(pool) ? inOneRoundTrip(known, statement) : givingWay(() => once(...statement));
  const known: OwnedPool = Object.assign(pool, { query: query as pg.Pool["query"], forNodes: setLocal(told) });
  return known;
}

/**
 * Connections through PgBouncer, pipelined: each transaction sets role and settings in its first round trip.
 */
function createPooled(config: PoolConfig, asked: ConnectionSpec): OwnedPool {
  const scope = scopeOf(asked);
  const pool = new pg.Pool({
    ...config,
    pipeline: true,
    verify: callbackify(async (client: pg.PoolClient) => {
      (client as unknown as HostClient).carriesNames = await checkPooledConnection(client, asked, scope);
    }),
  });
  const query = (...statement: [string]): Promise<pg.QueryResult> => inOneRoundTrip(pooled, statement);
  const pooled: OwnedPool = Object.assign(pool, { scope, query: query as pg.Pool["query"] });
  return pooled;
}

/** The beginning of a transaction over these connections that has the scope `scope`. */
export function scopeWithin(pool: OwnedPool, scope: string): string {
  return pool.scope === undefined ? scope : `${pool.scope}; ${scope}`;
}

/** How often a transaction is tried if others keep conflicting with it. */
const TRIES = 5;
const RETRY_DELAY_MS = 20;

/**
 * Runs `work` in one transaction: committed when it returns, rolled back when it throws. `work` must only use the
 * database: it is run again if PostgreSQL ends the transaction in favour of another one, such as in a deadlock.
 */
export function inTransaction<T>(
  pool: Pool,
  work: (connection: Connection) => Promise<T>,
  begin = "begin",
): Promise<T> {
  return givingWay(() => tryTransaction(pool, work, begin));
}

/**
 * Runs one statement in a transaction with the pool's scope, all in one round trip. Only for connections without rights
 * outside of a scope: if the beginning fails, the statement still runs.
 */
export function inOneRoundTrip(pool: Pool, statement: [string]): Promise<pg.QueryResult> {
  return givingWay(() => tryOneRoundTrip(pool, statement));
}

/**
 * Reads, then writes, in one transaction whose commit is sent with the writes. It takes two round trips if the
 * connections are pipelined and `read` sends all its statements at once. Returns what was read. The works that `write`
 * returns must only send prepared statements: if one failed before sending, the rest would be committed without it.
 */
export async function inTwoRoundTrips<T>(
  pool: Pool,
  read: (connection: Connection) => Promise<T>,
  write: (connection: Connection, found: T) => Works,
): Promise<T> {
  const connection = await pool.connect();
  let broken: Error | undefined;
  try {
    const scope = scopeOn(connection, pool);
    const [, found] = await together(
      connection,
      () => beginOn(connection, "begin", scope),
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

/** Runs a transaction, and repeats it if PostgreSQL ended it in favour of another one: see `inTransaction`. */
export async function givingWay<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!isRetryable(error) || tries === TRIES) throw outOfRange(error) ?? error;
      // A random delay, so that the conflicting transactions don't meet again.
      await sleep(Math.random() * RETRY_DELAY_MS * tries);
    }
  }
}

async function tryTransaction<T>(pool: Pool, work: (connection: Connection) => Promise<T>, begin: string): Promise<T> {
  const connection = await pool.connect();
  let broken: Error | undefined;
  try {
    const result = await begun(connection, scopeOn(connection, pool), begin, () => work(connection));
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
 * Runs `work` after the beginning of its transaction. With a scope it does not wait for the beginning, since pipelined
 * connections have no rights outside of one.
 */
async function begun<T>(
  connection: Connection,
  scope: Scope | undefined,
  begin: string,
  work: () => Promise<T>,
): Promise<T> {
  if (scope !== undefined) {
    return (await together(connection, () => beginOn(connection, begin, scope), work))[1];
  }
  await connection.query(begin);
  return work();
}

/** The statements at a transaction's beginning. Its own settings come last, and win. */
function scopeOn(connection: Connection, pool: Pool): Scope | undefined {
  // A connection to a group of shards has a separate scope.
  const { scope } = connection as { readonly scope?: pg.QueryConfig };
  if (scope !== undefined) return scope;
  if (!isSpread(connection)) return pool.scope;
  return [(pool.beneath ?? pool).forNodes, pool.scope].filter(Boolean).join("; ") || undefined;
}

async function beginOn(connection: Connection, begin: string, scope: Scope | undefined): Promise<void> {
  if (scope === undefined) await connection.query(begin);
  // Citus sends its nodes the whole text that contains a `set local`.
  else if (typeof scope !== "string" || isSpread(connection))
    await Promise.all([connection.query(begin), connection.query(scope as string)]);
  else await connection.query(`${begin}; ${scope}`);
}

async function tryOneRoundTrip(pool: Pool, statement: [string]): Promise<pg.QueryResult> {
  const connection = await pool.connect();
  let broken: Error | undefined;
  try {
    const { settings, beneath } = pool;
    // PgBouncer may not know the prepared scope, and Citus only passes `set local` on to its nodes.
    if (settings && beneath?.scope === undefined && !isSpread(connection)) {
      return await queryWithin(connection, settings, ...statement);
    }
    // A commit after a statement that failed rolls back.
    const [begin, done, ended] = await Promise.allSettled([
      beginOn(connection, "begin", scopeOn(connection, pool)),
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

/** Is there a connection with this name to the database? The pool's user must own the database. */
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

/** Runs `work` in a savepoint of the caller's transaction. If it throws, its changes are rolled back and its locks released. */
export async function inSavepoint<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  await connection.query("savepoint attempt");
  try {
    const result = await work();
    await connection.query("release savepoint attempt");
    return result;
  } catch (error) {
    await connection.query("rollback to savepoint attempt");
    throw error;
  }
}

/** The same for work that sends all its statements at once: they are sent with the savepoint. */
export async function inSavepointTogether(connection: Connection, work: () => Promise<unknown>): Promise<void> {
  try {
    await together(
      connection,
      () => connection.query("savepoint attempt"),
      work,
      () => connection.query("release savepoint attempt"),
    );
  } catch (error) {
    // If this fails too, the first error has the cause.
    await connection.query("rollback to savepoint attempt").catch(() => {});
    throw error;
  }
}

/** Runs `work` in the caller's transaction, and always rolls back its changes. Returns its result. */
export async function inTrial<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  await connection.query("savepoint trial");
  try {
    return await work();
  } finally {
    await connection.query("rollback to savepoint trial");
  }
}

/** Works to send: each sends its statements when called, before waiting for anything. */
export type Works = readonly (() => Promise<unknown>)[];

/** The works that send these statements. */
export function worksOf(connection: Queryable, statements: readonly pg.QueryConfig[]): Works {
  return statements.map((statement) => () => connection.query(statement));
}

type Answers<W extends Works> = { -readonly [Index in keyof W]: Awaited<ReturnType<W[Index]>> };
/** Members of a connection that the driver's types lack. */
type Pipelined = { readonly pipeline?: boolean; readonly connection: { readonly stream: Duplex } };

/**
 * Runs works whose statements don't depend on each other's answers, and returns their results in order. The database
 * runs the statements in order. On a pipelined connection no work waits for another; elsewhere they run one after the
 * other.
 * @throws the error of the first that failed, once all have ended: in a transaction, the others then fail too
 */
export async function together<const W extends Works>(connection: pg.PoolClient, ...works: W): Promise<Answers<W>> {
  const { pipeline, connection: wire } = connection as unknown as Pipelined;
  const answers: unknown[] = [];
  if (!pipeline) {
    for (const work of works) answers.push(await work());
    return answers as Answers<W>;
  }
  // One write for all: each write is a system call, and may wake the database.
  wire.stream.cork();
  const underWay = works.map((work) => work());
  process.nextTick(() => wire.stream.uncork());
  for (const ended of await Promise.allSettled(underWay)) {
    if (ended.status === "rejected") throw ended.reason;
    answers.push(ended.value);
  }
  return answers as Answers<W>;
}

/** Iterates over all rows. `read` returns the next page, at most `pageRows`, after the last row of the page before. */
export async function* everyRow<T>(
  pageRows: number,
  read: (last: T | null, limit: number) => Promise<readonly T[]>,
): AsyncGenerator<T> {
  let page: readonly T[] = [];
  do {
    page = await read(page.at(-1) ?? null, pageRows);
    yield* page;
  } while (page.length === pageRows);
}
