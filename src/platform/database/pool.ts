// Connections to PostgreSQL: how they are made, transactions and parts of them, and statements that leave together.
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

/** Connections that belong to their maker, and are closed there. Through PgBouncer they have a `scope`, as a `Pool` may. */
export type OwnedPool = pg.Pool & { readonly scope?: string; readonly forNodes?: string };
/**
 * Where statements and transactions run. `scope` is said at the beginning of each transaction, where this is a view of
 * the connections `beneath`, or leads through PgBouncer. `settings` are what it says, where it is such a view. `forNodes`
 * is what each transaction tells the nodes of Citus, which know nothing of a connection's own settings: who acts, and for how
 * long to wait for rows that are held.
 */
export type Pool = Pick<pg.Pool, "query" | "connect"> & {
  readonly scope?: string;
  readonly settings?: readonly Setting[];
  readonly beneath?: OwnedPool;
  readonly forNodes?: string;
};
export type Connection = pg.PoolClient;
/** Whatever can run a statement: a pool, or a connection inside a transaction. */
export type Queryable = Pick<Pool, "query" | "beneath"> | Pick<pg.PoolClient, "query">;

export type PoolOptions = {
  readonly url: string;
  readonly size: number;
  /** The database role that the connections take, so that the database itself refuses what they may not do. */
  readonly role?: "nodal_server" | "nodal_tenant" | "nodal_payouts" | "nodal_invoices" | "nodal_simulator";
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
  /** Whether they lead to a node of Citus itself, for statements that name its shards. */
  readonly isNode?: boolean;
  readonly onError?: (error: Error) => void;
};

/**
 * How long a server's connection may stand still within a transaction before PostgreSQL ends it: a process that is stopped, or
 * whose machine is gone, holds its merchants' books until then. Nothing but the database is waited for in a transaction.
 */
const IDLE_TRANSACTION_TIMEOUT_MS = 15_000;

/** A connection that nobody has used for so long is closed. A new one takes 50 to 100 ms of processor time until it has read what it needs. */
const IDLE_MS = 60_000;

/**
 * A pool of connections. Errors of idle connections go to `onError`; the pool replaces those connections by itself. A
 * connection that does not have what was asked for is never used: whoever asks for it gets a `ConnectionSettingsError`.
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
    // What owners do takes long, and nobody waits for it with a request.
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

/** Connections of PostgreSQL's own: they get all that is asked for when they start, once and for all. */
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
 * Connections through PgBouncer: each transaction is told what is asked for by its beginning, which goes with what follows.
 * For that, all of them are pipelined.
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

/** What a transaction over these connections begins with, where it says `scope` itself. */
export function scopeWithin(pool: OwnedPool, scope: string): string {
  return pool.scope === undefined ? scope : `${pool.scope}; ${scope}`;
}

/** How often a transaction is tried that keeps giving way to others. */
const TRIES = 5;
const RETRY_DELAY_MS = 20;

/**
 * Runs `work` in one transaction: committed when it returns, rolled back when it throws. `work` does nothing but use
 * the database: where PostgreSQL ends the transaction in favour of another one (a deadlock, say), it is run again.
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
 * Reads, then writes what follows from it, in one transaction whose commit leaves with the writes: two round trips where the
 * pool's connections are pipelined and `read` sends all its statements at once. Returns what was read. What `write`
 * returns must only send what is ready: where it failed before sending, the rest would be committed without it.
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

/** Runs a transaction, and runs it again where PostgreSQL ended it in favour of another one: see `inTransaction`. */
export async function givingWay<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!isRetryable(error) || tries === TRIES) throw outOfRange(error) ?? error;
      // Those that met must not meet in step again.
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
 * Runs `work` behind the beginning of its transaction: where there is a scope, without waiting for it, since nothing is
 * shown or allowed to pipelined connections outside of one.
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

/** What a transaction says at its beginning; what it says of its own comes last, and counts. */
function scopeOn(connection: Connection, pool: Pool): Scope | undefined {
  // One to a group of shards has its own.
  const { scope } = connection as { readonly scope?: pg.QueryConfig };
  if (scope !== undefined) return scope;
  if (!isSpread(connection)) return pool.scope;
  return [(pool.beneath ?? pool).forNodes, pool.scope].filter(Boolean).join("; ") || undefined;
}

async function beginOn(connection: Connection, begin: string, scope: Scope | undefined): Promise<void> {
  if (scope === undefined) await connection.query(begin);
  // Citus tells its nodes the whole text of which a `set local` is a part.
  else if (typeof scope !== "string" || isSpread(connection))
    await Promise.all([connection.query(begin), connection.query(scope as string)]);
  else await connection.query(`${begin}; ${scope}`);
}

async function tryOneRoundTrip(pool: Pool, statement: [string]): Promise<pg.QueryResult> {
  const connection = await pool.connect();
  let broken: Error | undefined;
  try {
    const { settings, beneath } = pool;
    // PgBouncer may not know the scope by its name, and Citus tells other nodes of `set local` alone.
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

/** Runs `work` in the caller's transaction. What it wrote is taken back, and its locks are given up, when it throws. */
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

/** The same for a work that sends all its statements at once: they leave with the savepoint. */
export async function inSavepointTogether(connection: Connection, work: () => Promise<unknown>): Promise<void> {
  try {
    await together(
      connection,
      () => connection.query("savepoint attempt"),
      work,
      () => connection.query("release savepoint attempt"),
    );
  } catch (error) {
    // Where this fails too, the first failure says why.
    await connection.query("rollback to savepoint attempt").catch(() => {});
    throw error;
  }
}

/** Runs `work` in the caller's transaction, and takes back what it wrote in any case. Returns what it returned. */
export async function inTrial<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  await connection.query("savepoint trial");
  try {
    return await work();
  } finally {
    await connection.query("rollback to savepoint trial");
  }
}

/** Statements to send: each is sent when it is called, before anything is waited for. */
export type Works = readonly (() => Promise<unknown>)[];

/** The works that send these statements. */
export function worksOf(connection: Queryable, statements: readonly pg.QueryConfig[]): Works {
  return statements.map((statement) => () => connection.query(statement));
}

type Answers<W extends Works> = { -readonly [Index in keyof W]: Awaited<ReturnType<W[Index]>> };
/** What the driver has of a connection beside its types. */
type Pipelined = { readonly pipeline?: boolean; readonly connection: { readonly stream: Duplex } };

/**
 * Runs works whose statements need no answers of the works before them, and returns what they answered, in order. The
 * database sees the statements in order; on a pipelined connection no work waits for another, elsewhere they run one
 * after the other.
 * @throws what the first of them failed with, once all have ended: in a transaction, the others then fail of that
 */
export async function together<const W extends Works>(connection: pg.PoolClient, ...works: W): Promise<Answers<W>> {
  const { pipeline, connection: wire } = connection as unknown as Pipelined;
  const answers: unknown[] = [];
  if (!pipeline) {
    for (const work of works) answers.push(await work());
    return answers as Answers<W>;
  }
  // One write for all of them: each costs a call of the system, and may wake the database for nothing more.
  wire.stream.cork();
  const underWay = works.map((work) => work());
  process.nextTick(() => wire.stream.uncork());
  for (const ended of await Promise.allSettled(underWay)) {
    if (ended.status === "rejected") throw ended.reason;
    answers.push(ended.value);
  }
  return answers as Answers<W>;
}

/** All rows, one after the other: `read` finds the next ones, at most `pageRows`, after the last one of the page before. */
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
