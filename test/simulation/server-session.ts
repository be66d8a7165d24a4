// Real connections to the PostgreSQL of a simulation, which simulated ones have one after the other, and the statements
// that run over them.
import type { Duplex } from "node:stream";
import pg from "pg";
import { noteRun } from "./changes.ts";
import { running as runningActor } from "./scheduler.ts";
import { real } from "./time.ts";

/** What a session is made for. */
type SessionOptions = {
  readonly connectionString: string;
  readonly sessionOptions: string;
  readonly types: pg.CustomTypesConfig;
};
export type ServerSession = { readonly key: string; readonly client: pg.Client; readonly pid: number };
type Statement = { readonly text: string; readonly values?: readonly unknown[]; readonly name?: string };

/** After so long it is looked whether a statement waits for a lock. */
const LOOK_AFTER_MS = 2;

/** Nobody looks at the data after a loss of power, and simulations ask for little at a time. */
const SETTINGS = "-c synchronous_commit=off -c jit=off";

const free = new Map<string, ServerSession[]>();
const all = new Set<pg.Client>();
let monitor: pg.Client | null = null;
/** Names for statements that have none, so that each is planned once. */
const names = new Map<string, string>();

/** A session with these options that nobody uses. */
export async function leaseServerSession(options: SessionOptions): Promise<ServerSession> {
  const key = `${options.connectionString} ${options.sessionOptions}`;
  const found = free.get(key)?.pop();
  if (found) return found;
  const client = await open(options);
  monitor ??= await open({ ...options, sessionOptions: "" });
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  return { key, client, pid: rows[0]!.pid };
}

/** Gives a session back, as a connection that ends does. */
export async function endServerSession(session: ServerSession, isInTransaction: boolean): Promise<void> {
  if (isInTransaction) await session.client.query("rollback");
  const others = free.get(session.key);
  if (others) others.push(session);
  else free.set(session.key, [session]);
}

/** Closes all sessions. */
export async function closeServerSessions(): Promise<void> {
  free.clear();
  monitor = null;
  await Promise.all([...all].map((client) => client.end()));
  all.clear();
}

async function open({ connectionString, sessionOptions, types }: SessionOptions): Promise<pg.Client> {
  return runningActor.exit(async () => {
    const client = new pg.Client({
      connectionString,
      options: `${sessionOptions} ${SETTINGS}`,
      types,
      pipeline: true,
    });
    all.add(client);
    await client.connect();
    return client;
  });
}

/** How a statement ended. */
export type Ended = { readonly error: Error } | { readonly error: null; readonly result: pg.QueryResult };

/** A statement that the server works on. */
export type Running = {
  readonly ended: Promise<void>;
  /** `null` while it goes on. Who runs it looks at it in turn: two that end at once come in any order. */
  readonly outcome: Ended | null;
  /** Resolves once it has ended, or waits for a lock. */
  untilEndedOrWaiting(): Promise<void>;
  /** Ends its wait for a lock. */
  cancel(): Promise<void>;
};

/** Reads a time in whole milliseconds, rounded down; infinity for none. */
export async function readTime(sql: string): Promise<number> {
  const { rows } = await monitor!.query<{ ms: string | null }>({ name: sql.slice(-60), text: sql });
  return rows[0]!.ms === null ? Infinity : Math.floor(Number(rows[0]!.ms));
}

/** Runs a statement, with others `before` it that answer nothing, such as the beginning of its transaction. */
export function run(session: ServerSession, asked: Statement, before: readonly string[] = []): Running {
  const { client, pid } = session;
  let outcome: Ended | null = null;
  let isCancelled = false;
  const fail = (error: Error): void => {
    if (isCancelled) Object.assign(error, { code: "55P03", message: "canceling statement due to lock timeout" });
    outcome = { error };
  };
  const ended = runningActor.exit(() =>
    send(client, asked, before).then((result) => {
      noteRun(session, asked.text, result.rowCount);
      outcome = { error: null, result };
    }, fail),
  );
  return {
    ended,
    get outcome() {
      return outcome;
    },
    async untilEndedOrWaiting() {
      for (;;) {
        await Promise.race([ended, new Promise((resolve) => real.setTimeout(resolve, LOOK_AFTER_MS))]);
        if (outcome) return;
        // Not by PostgreSQL's own work, such as autovacuum, which gives way.
        const { rows } = await monitor!.query<{ blockers: number }>(
          `select count(*)::integer as blockers from unnest(pg_blocking_pids($1)) as blocker (pid)
           join pg_stat_activity using (pid) where backend_type = 'client backend'`,
          [pid],
        );
        if (outcome || rows[0]!.blockers > 0) return;
      }
    },
    async cancel() {
      isCancelled = true;
      await monitor!.query("select pg_cancel_backend($1)", [pid]);
      await ended;
    },
  };
}

function send(
  client: pg.Client,
  { text, values, name }: Statement,
  before: readonly string[],
): Promise<pg.QueryResult> {
  const query = values ? { text, values: [...values], name: name ?? nameOf(text) } : { text, ...(name && { name }) };
  if (before.length === 0) return client.query(query);
  const { stream } = client.connection as unknown as { readonly stream: Duplex };
  stream.cork();
  const answers = [...before.map((each) => client.query(each)), client.query(query)];
  stream.uncork();
  return Promise.all(answers).then((all) => all.at(-1)!);
}

/** Goes back to a savepoint. */
export async function takeBack({ client }: ServerSession, savepoint: string): Promise<void> {
  await client.query(`rollback to savepoint ${savepoint}`);
}

function nameOf(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = `simulation-${names.size}`;
  names.set(text, name);
  return name;
}
