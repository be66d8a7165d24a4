// The database driver of a simulation: each statement of a simulated process is an event, and so is its answer, over
// connections to a real PostgreSQL.
import { EventEmitter } from "node:events";
import type pg from "pg";
import { type Actor, running, scheduler, settle } from "./scheduler.ts";
import {
  endServerSession,
  leaseServerSession,
  readTime,
  run,
  takeBack,
  type Ended,
  type Running,
  type ServerSession,
} from "./server-session.ts";
import type { Dice } from "./dice.ts";
import { IdlePolls } from "./idle-polls.ts";
import { inOneOrder, withTiesDecided } from "./row-order.ts";

/** How long statements and answers take, in ms. */
const STATEMENT_MS = 1.2;
const SLOW_STATEMENT_MS = 400;
const SLOW_PERCENT = 1.5;
const ANSWER_MS = 0.4;
/** How long what was sent before a crash may take to be run after it. */
const ORPHAN_MS = 1500;

const BEGIN = /^\s*begin\s*$/i;
const END = /^\s*(?:commit|rollback)\s*$/i;
const NOTHING = { rows: [], rowCount: 0, command: "" } as unknown as pg.QueryResult;

type Given = { readonly text: string; readonly values?: readonly unknown[]; readonly name?: string };
type Statement = Given & {
  readonly resolve: (result: pg.QueryResult) => void;
  readonly reject: (error: Error) => void;
};

/** What all pools of a simulation share. */
export type DatabaseWorld = {
  readonly dice: Dice;
  readonly pools: Set<SimulatedPool>;
  /** Whether polls are asked of PostgreSQL also where they find nothing. */
  readonly isEveryPollDue: boolean;
};

let world: DatabaseWorld;
let idlePolls: IdlePolls;

/** Makes pools from now on those of this world. */
export function useDatabase(of: DatabaseWorld): void {
  world = of;
  idlePolls = new IdlePolls(of.isEveryPollDue);
}

/** The connections of others that are in a transaction, or wait for one, and may hold what a statement needs. */
const inTransaction = new Set<SimulatedConnection>();
const waiting = new Map<SimulatedConnection, Wait>();

/**
 * What waits for a lock. The server has the first of them only, `under` way: which of two it would let go on first depends on the
 * machine. The others it gets again when somebody may have let go.
 */
type Wait = { under: Running | null };
const TO_RUN_AGAIN = "before_waiting";

/** Whether a transaction of a process may hold rows: what is done beside the clock would wait for it for ever. */
export function isInTransaction(): boolean {
  return inTransaction.size > 0 || waiting.size > 0;
}

/** In the place of `pg.Pool`. */
export class SimulatedPool extends EventEmitter {
  readonly options: { readonly max: number };
  readonly connectionString: string;
  readonly sessionOptions: string;
  readonly types: pg.CustomTypesConfig;
  readonly isPipelined: boolean;
  readonly lockTimeoutMs: number;
  readonly actor: Actor | undefined = running.getStore();
  ending = false;
  readonly #idle: SimulatedConnection[] = [];
  readonly connections = new Set<SimulatedConnection>();
  readonly #waiting: ((connection: SimulatedConnection) => void)[] = [];

  constructor(config: pg.PoolConfig & { pipeline?: boolean; types: pg.CustomTypesConfig }) {
    super();
    this.options = { max: config.max ?? 10 };
    this.connectionString = config.connectionString!;
    const given = config.options ?? "";
    this.lockTimeoutMs = Number(/-c lock_timeout=([0-9]+)/.exec(given)?.[1] ?? 0);
    // Limits of time are kept by the simulated clock.
    this.sessionOptions = given.replaceAll(
      /-c (lock_timeout|statement_timeout|idle_in_transaction_session_timeout)=[0-9]+ ?/g,
      "",
    );
    this.types = config.types;
    this.isPipelined = config.pipeline ?? false;
    if (this.actor) world.pools.add(this);
  }

  connect(): Promise<SimulatedConnection> {
    if (this.ending) return Promise.reject(new Error("Cannot use a pool after calling end on the pool"));
    const idle = this.#idle.pop();
    if (idle) return Promise.resolve(this.#lend(idle));
    if (this.connections.size >= this.options.max) return new Promise((resolve) => this.#waiting.push(resolve));
    const made = new SimulatedConnection(this);
    this.connections.add(made);
    this.emit("connect", made);
    return Promise.resolve(this.#lend(made));
  }

  async query(given: string | Given, values?: readonly unknown[]): Promise<pg.QueryResult> {
    const connection = await this.connect();
    try {
      return await connection.query(given, values);
    } finally {
      connection.release();
    }
  }

  async end(): Promise<void> {
    this.ending = true;
    for (const connection of this.connections) await connection.close();
    world.pools.delete(this);
  }

  async #serveNext(): Promise<void> {
    // As with pg's, what waits while the pool ends gets no connection.
    const next = this.ending ? undefined : this.#waiting.shift();
    if (next) next(await this.connect());
  }

  #lend(connection: SimulatedConnection): SimulatedConnection {
    connection.release = (broken) => {
      connection.release = () => {
        throw new Error("Release called on client which has already been released to the pool.");
      };
      if (broken || connection.isLost) {
        this.connections.delete(connection);
        void connection.abandon(0);
        void this.#serveNext();
        return;
      }
      const next = this.#waiting.shift();
      if (next) next(this.#lend(connection));
      else this.#idle.push(connection);
    };
    return connection;
  }
}

/** In the place of `pg.PoolClient`. */
export class SimulatedConnection extends EventEmitter {
  readonly pipeline: boolean;
  /** What `together` asks of the driver. */
  readonly connection = { stream: { cork: () => {}, uncork: () => {} } };
  release: (broken?: Error | boolean) => void = () => {};
  isLost = false;
  readonly #pool: SimulatedPool;
  #session: ServerSession | null = null;
  /** Sent, and not run yet; the first is next. */
  #sent: Statement[] = [];
  /** Run, and not answered yet. */
  readonly #unanswered = new Set<Statement>();
  #earlier: Promise<void> = Promise.resolve();
  #isRunning = false;
  #isAbandoned = false;
  /** A transaction that was begun here, and not yet at the server: it begins there with its first statement. */
  #hasToBegin = false;

  constructor(pool: SimulatedPool) {
    super();
    this.#pool = pool;
    this.pipeline = pool.isPipelined;
  }

  get isBusy(): boolean {
    return this.#isRunning || this.#sent.length > 0 || inTransaction.has(this);
  }

  query(given: string | Given, values?: readonly unknown[]): Promise<pg.QueryResult> {
    const plain = typeof given === "string" ? { text: given, ...(values && { values }) } : given;
    if (this.isLost) return Promise.reject(new Error("Client has encountered a connection error and is not queryable"));
    // The bank of the sandbox has nothing to do: nobody here is in the sandbox.
    if (this.#pool.sessionOptions.includes("nodal_simulator"))
      return Promise.resolve({ rows: [], rowCount: 0 } as unknown as pg.QueryResult);
    return new Promise((resolve, reject) => {
      const statement = { ...withSimulatedNow(withTiesDecided(plain)), resolve, reject };
      if (!this.#pool.actor) return void (this.#earlier = this.#runAtOnce(statement));
      this.#sent.push(statement);
      if (this.#sent.length === 1 && !this.#isRunning) this.#schedule();
    });
  }

  /** Ends it in good order. */
  async close(): Promise<void> {
    await this.#earlier;
    await this.abandon(0);
  }

  /**
   * The client is gone, or the connection between. What it had sent may still be run, the first `stillRun` of it; then the
   * server rolls back. To a client that is still there, all statements without an answer fail.
   */
  async abandon(stillRun: number): Promise<void> {
    if (this.#isAbandoned) return;
    this.#isAbandoned = true;
    this.isLost = true;
    if (this.#pool.actor?.isAlive) {
      for (const statement of [...this.#unanswered, ...this.#sent])
        statement.reject(new Error("Connection terminated unexpectedly"));
    }
    this.#unanswered.clear();
    this.#sent = this.#sent.slice(0, this.#isRunning ? Math.max(1, stillRun) : stillRun);
    if (this.#sent.length === 0) await this.#end();
  }

  /** How many statements are under way. */
  get sentCount(): number {
    return this.#sent.length;
  }

  /** What stands still in a transaction for too long is ended by the server. */
  async endTransaction(): Promise<void> {
    if (inTransaction.has(this) && !this.#isRunning && this.#sent.length === 0) await this.abandon(0);
  }

  async #end(): Promise<void> {
    const session = this.#session;
    this.#session = null;
    const wasIn = inTransaction.delete(this);
    if (!session) return;
    await endServerSession(session, wasIn && !this.#hasToBegin);
    if (wasIn) await wakeWaiting();
  }

  #schedule(): void {
    const { dice } = world;
    const most = this.#isAbandoned ? ORPHAN_MS : dice.percent(SLOW_PERCENT) ? SLOW_STATEMENT_MS : STATEMENT_MS;
    scheduler().add(dice.random() * most, null, () => this.#runNext());
  }

  async #runNext(): Promise<void> {
    const statement = this.#sent[0];
    if (!statement) return;
    this.#isRunning = true;
    const unasked = this.#answerUnasked(statement);
    if (unasked) return this.#after(statement, { error: null, result: unasked });
    this.#session ??= await leaseServerSession(this.#pool);
    const others = inTransaction.size - (inTransaction.has(this) ? 1 : 0) + waiting.size;
    const under = this.#run(statement);
    await (others > 0 ? under.untilEndedOrWaiting() : under.ended);
    if (under.outcome) return this.#noteIdle(statement, under.outcome);
    scheduler().note(this.#label, `waits for a lock: ${describe(statement)}`);
    const wait: Wait = { under };
    await this.#mayGiveWay(wait);
    waiting.set(this, wait);
    const { lockTimeoutMs } = this.#pool;
    if (lockTimeoutMs > 0) scheduler().add(lockTimeoutMs, null, () => this.#giveUp(wait, statement));
  }

  /** Has the server run it, so that it can be run again where it may come to wait behind others. */
  #run(statement: Statement): Running {
    const before = this.#hasToBegin ? ["begin"] : [];
    this.#hasToBegin = false;
    if (waiting.size > 0 && inTransaction.has(this)) before.push(`savepoint ${TO_RUN_AGAIN}`);
    return run(this.#session!, statement, before);
  }

  /** Takes back from the server what waits there, where something else does too. */
  async #mayGiveWay(wait: Wait): Promise<void> {
    if (![...waiting.values()].some((other) => other !== wait && other.under !== null)) return;
    await wait.under!.cancel();
    // It may have ended meanwhile.
    if (wait.under!.outcome?.error === null) return;
    wait.under = null;
    if (inTransaction.has(this)) await takeBack(this.#session!, TO_RUN_AGAIN);
  }

  /** What the server would answer, where that is sure. */
  #answerUnasked(statement: Statement): pg.QueryResult | null {
    const isIn = inTransaction.has(this);
    if (!isIn && BEGIN.test(statement.text)) {
      this.#hasToBegin = true;
      return NOTHING;
    }
    if (this.#hasToBegin && END.test(statement.text)) {
      this.#hasToBegin = false;
      return NOTHING;
    }
    // What nobody waits for takes its turns, among those of who learns meanwhile that the connection is gone.
    if (isIn || this.#isAbandoned) return null;
    return idlePolls.findsNothing(statement, this.#pool.sessionOptions) ? NOTHING : null;
  }

  async #noteIdle(statement: Statement, outcome: Ended): Promise<void> {
    if (outcome.error === null && !inTransaction.has(this))
      await idlePolls.note(statement, this.#pool.sessionOptions, outcome.result, readTime);
    return this.#after(statement, outcome);
  }

  async #giveUp(wait: Wait, statement: Statement): Promise<void> {
    if (waiting.get(this) !== wait) return;
    const under = wait.under ?? this.#run(statement);
    await under.untilEndedOrWaiting();
    if (!under.outcome) await under.cancel();
    waiting.delete(this);
    await this.#after(statement, under.outcome!);
  }

  /** It waited for a lock, and may have it now. */
  async wake(wait: Wait): Promise<void> {
    const statement = this.#sent[0]!;
    wait.under ??= this.#run(statement);
    const { under } = wait;
    await under.untilEndedOrWaiting();
    if (!under.outcome) return this.#mayGiveWay(wait);
    waiting.delete(this);
    await this.#after(statement, under.outcome);
  }

  /** The statement is over: what comes next of this connection and of those that waited for it. */
  async #after(statement: Statement, outcome: Ended): Promise<void> {
    this.#finish(statement, outcome);
    this.#isRunning = false;
    this.#sent.shift();
    const verb = /^\s*(begin|commit|rollback\s*$|rollback;?$)/i.exec(statement.text)?.[1]?.toLowerCase();
    if (verb === "begin") inTransaction.add(this);
    const hasEnded = verb !== undefined && verb !== "begin" && inTransaction.delete(this);
    if (this.#sent.length > 0) this.#schedule();
    else if (this.#isAbandoned) await this.#end();
    if (hasEnded || !inTransaction.has(this)) await wakeWaiting();
  }

  #finish(statement: Statement, outcome: Ended): void {
    const said = outcome.error
      ? `fails: ${(outcome.error as { code?: string }).code ?? outcome.error.message}`
      : `${outcome.result.rowCount ?? 0} rows`;
    scheduler().note(this.#label, `${describe(statement)} ${said}${this.#isAbandoned ? " (to nobody)" : ""}`);
    if (this.#isAbandoned) return;
    this.#unanswered.add(statement);
    scheduler().add(world.dice.random() * ANSWER_MS, this.#pool.actor!, () => {
      if (this.#unanswered.delete(statement)) answer(statement, outcome);
    });
  }

  /** Of what sets the stage: without the clock going on. */
  async #runAtOnce(statement: Statement): Promise<void> {
    await this.#earlier;
    this.#session ??= await leaseServerSession(this.#pool);
    const under = run(this.#session, statement);
    await under.ended;
    answer(statement, under.outcome!);
  }

  get #label(): string {
    return `${this.#pool.actor!.name} db`;
  }
}

/** Those that wait for locks go on where they have them now. */
async function wakeWaiting(): Promise<void> {
  if (waiting.size === 0) return;
  for (const [connection, wait] of waiting) await connection.wake(wait);
  await settle();
}

function answer({ text, resolve, reject }: Statement, outcome: Ended): void {
  if (outcome.error) reject(outcome.error);
  // That of several statements in one is a list, and none of them finds rows.
  else if (Array.isArray(outcome.result)) resolve(outcome.result);
  else resolve(Object.assign(outcome.result, { rows: inOneOrder(outcome.result.rows, text) }));
}

function describe({ name, text }: Given): string {
  return name?.replace(/[0-9]+$/, "") ?? text.replaceAll(/\s+/g, " ").trim().slice(0, 60);
}

/** The database's own clock is the simulated one. */
function withSimulatedNow(given: Given): Given {
  if (!given.text.includes("now()")) return given;
  const values = [...(given.values ?? [])];
  const time = new Date(Math.floor(scheduler().nowMs)).toISOString();
  return {
    ...given,
    text: given.text.replaceAll("now()", `$${values.length + 1}::timestamptz`),
    values: [...values, time],
  };
}
