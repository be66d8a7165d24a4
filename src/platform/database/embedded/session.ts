// One process's use of the embedded database: its locks and supervision of PostgreSQL, until release. reach.ts connects to it.
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { Logger } from "../../log.ts";
import type { Cluster } from "./cluster.ts";
import { DatabaseInUseError, hasCode, messageOf } from "./errors.ts";
import { POLL_INTERVAL_MS, findPostmaster, limitLog, stopPostmaster } from "./postmaster.ts";
import { type Reached, isPassing, reach } from "./reach.ts";

// Advisory locks, all of one database. They are in PostgreSQL so that its end releases them too.
const LOCK_SPACE = 0x4e6f6461;
/** Held exclusively by the server of the data folder. */
const SERVER_LOCK = 1;
/** Shared by every process that uses the cluster; exclusive for the one that stops it. */
const USE_LOCK = 2;

/** How long a start waits for a server that was killed a moment ago to lose its lock. */
const SERVER_LOCK_TIMEOUT_MS = 1_000;
const RETRY_MAXIMUM_MS = 5_000;
/** After this long without a crash, the next one counts as the first again. */
const CALM_MS = 10_000;
const LOG_CHECK_INTERVAL_MS = 3_600_000;

export type SessionOptions = {
  readonly cluster: Cluster;
  /** The data folder as configured, for messages. */
  readonly dataDir: string;
  readonly purpose: "server" | "command";
  readonly logger: Logger;
};

async function tryLock(
  client: pg.Client,
  method: "pg_try_advisory_lock" | "pg_try_advisory_lock_shared",
  lock: number,
) {
  const { rows } = await client.query<{ taken: boolean }>(`select ${method}($1, $2) as taken`, [LOCK_SPACE, lock]);
  return rows[0]?.taken === true;
}

/** A process's use of the cluster, from `open` to `release`. */
export class Session {
  readonly #options: SessionOptions;
  readonly #stopping = new AbortController();
  #client: pg.Client | null = null;
  #port: number | null = null;
  #url = "";
  #connectedAtMs = 0;
  #setbacks = 0;
  #recovery: Promise<void> = Promise.resolve();
  #released: Promise<void> | null = null;
  #logCheck: NodeJS.Timeout | undefined;

  private constructor(options: SessionOptions) {
    this.#options = options;
  }

  /**
   * Reaches the cluster and takes the locks.
   * @throws DatabaseInUseError for a second server; EmbeddedDatabaseError when PostgreSQL does not run.
   */
  static async open(options: SessionOptions): Promise<Session> {
    const session = new Session(options);
    try {
      await session.#connect();
    } catch (error) {
      await session.release();
      throw error;
    }
    if (options.purpose === "server") {
      session.#logCheck = setInterval(() => {
        limitLog(options.cluster).catch((error: unknown) =>
          options.logger.warn({ err: error }, "could not truncate PostgreSQL's log"),
        );
      }, LOG_CHECK_INTERVAL_MS).unref();
    }
    return session;
  }

  get url(): string {
    return this.#url;
  }

  /** Stops supervising, gives the locks back, and stops PostgreSQL when no other process uses it. */
  release(): Promise<void> {
    this.#released ??= this.#letGo();
    return this.#released;
  }

  async #connect(): Promise<void> {
    const { cluster, logger } = this.#options;
    for (;;) {
      const reached = await reach({ cluster, logger, port: this.#port, signal: this.#stopping.signal });
      try {
        if (await this.#takeLocks(reached)) return;
      } catch (error) {
        await reached.client.end().catch(() => {});
        if (!isPassing(error)) throw error;
      }
      await sleep(POLL_INTERVAL_MS);
    }
  }

  /** Takes the locks on a fresh connection. False if PostgreSQL is about to be stopped by its last user. */
  async #takeLocks({ client, port, url }: Reached): Promise<boolean> {
    let ended = false;
    client.once("end", () => {
      ended = true;
      if (this.#client === client) this.#onLost();
    });
    if (!(await tryLock(client, "pg_try_advisory_lock_shared", USE_LOCK))) {
      await client.end();
      return false;
    }
    if (this.#options.purpose === "server" && !this.#stopping.signal.aborted) await this.#takeServerLock(client);
    if (ended) return false;
    if (this.#port !== null && this.#port !== port) {
      this.#options.logger.fatal(
        { port },
        `PostgreSQL moved from port ${this.#port} to ${port} while Nodal is running: restart Nodal`,
      );
    }
    this.#client = client;
    this.#port ??= port;
    this.#url ||= url;
    this.#connectedAtMs = Date.now();
    return true;
  }

  async #takeServerLock(client: pg.Client): Promise<void> {
    const deadline = Date.now() + SERVER_LOCK_TIMEOUT_MS;
    while (!(await tryLock(client, "pg_try_advisory_lock", SERVER_LOCK))) {
      if (Date.now() > deadline) throw new DatabaseInUseError(this.#options.dataDir);
      await sleep(POLL_INTERVAL_MS);
    }
  }

  #onLost(): void {
    this.#client = null;
    if (this.#stopping.signal.aborted || this.#options.purpose === "command") return;
    if (Date.now() - this.#connectedAtMs > CALM_MS) this.#setbacks = 0;
    this.#recovery = this.#recover();
  }

  async #recover(): Promise<void> {
    const { logger } = this.#options;
    const { signal } = this.#stopping;
    logger.warn("PostgreSQL has stopped: restarting it");
    while (!signal.aborted) {
      try {
        if (this.#setbacks > 0)
          await sleep(Math.min(100 * 2 ** this.#setbacks, RETRY_MAXIMUM_MS), undefined, { signal });
        this.#setbacks += 1;
        await this.#connect();
        logger.info("PostgreSQL is running again");
        return;
      } catch (error) {
        if (!signal.aborted) logger.error({ err: error }, `PostgreSQL is not running yet: ${messageOf(error)}`);
      }
    }
  }

  async #letGo(): Promise<void> {
    const { cluster, logger } = this.#options;
    clearInterval(this.#logCheck);
    this.#stopping.abort();
    await this.#recovery;
    const client = this.#client;
    if (!client) return;
    this.#client = null;
    try {
      // Released before the exclusive attempt: if two processes release at once, the later one then succeeds.
      await client.query("select pg_advisory_unlock_shared($1, $2)", [LOCK_SPACE, USE_LOCK]);
      if (await tryLock(client, "pg_try_advisory_lock", USE_LOCK)) {
        if (!(await stopPostmaster(cluster))) logger.warn(`PostgreSQL is still stopping; see ${cluster.logFile}`);
      }
    } catch (error) {
      // The connection broke: PostgreSQL has crashed or was stopped from outside, so there is nothing to stop.
      if (!isPassing(error) && !hasCode(error, "ESRCH")) throw error;
      if (await findPostmaster(cluster))
        logger.warn("PostgreSQL keeps running: its connection was lost while stopping");
    } finally {
      await client.end().catch(() => {});
    }
  }
}
