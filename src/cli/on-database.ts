// The installation that a command works on, opened for it and let go of, also where a signal interrupts.
import { constants, userInfo } from "node:os";
import { describeDatabase, type OpenDatabase } from "../database.ts";
import type { Config } from "../platform/config.ts";
import { IdSource } from "../platform/database/ids.ts";
import { createPool, type OwnedPool, type Pool } from "../platform/database/pool.ts";
import { createLogger, type Logger } from "../platform/log.ts";
import { actorOf, addressOf, type Origin } from "../platform/origin.ts";
import { withSecrets, type Secrets } from "../platform/secrets/index.ts";
import { readServerAddress } from "../platform/server-address.ts";
import { readSettings } from "../platform/settings-file.ts";

const QUIET_LEVELS = ["error", "fatal", "silent"];

/** What a command works on: the database of the running server, or the same one started for the command alone. */
export type Installation = {
  /** Its PUBLIC_URL is the running server's address, where none is set and the server has this data folder. */
  readonly config: Config;
  /** Connections that may do what the server may. */
  readonly pool: Pool;
  /** Connections as the database's owner, for what the server must not see, such as the simulated bank's book. */
  readonly ownerPool: Pool;
  readonly ids: IdSource;
};

/** The address under which browsers reach the server, as a command can tell: that which is set, or where it is to listen. */
export function publicUrlOf({ PUBLIC_URL, HOST, PORT }: Config): string {
  return PUBLIC_URL ?? `http://${HOST.includes(":") ? `[${HOST}]` : HOST}:${PORT}`;
}

/** How a command opens the database: ../database.ts says which are for whom. */
export type Open = (config: Config, logger: Logger) => Promise<OpenDatabase>;

/** Runs `work` on the installation's database, which `open` opens. */
export async function withInstallation<T>(open: Open, work: (installation: Installation) => Promise<T>): Promise<T> {
  const config = readSettings(process.env);
  const origin = commandOrigin();
  return withDatabase(config, open, ({ url, ownerUrl, secrets, dataDir }) => {
    const running = dataDir === null ? null : readServerAddress(dataDir);
    const pool = withSecrets(createPool({ url, size: 2, role: "nodal_server", ...origin }), secrets);
    const ownerPool = withSecrets(createPool({ url: ownerUrl, size: 1, ...origin }), secrets);
    const answer = work({
      config: { ...config, PUBLIC_URL: config.PUBLIC_URL ?? running },
      pool,
      ownerPool,
      ids: new IdSource(pool),
    });
    return { answer, pools: [pool, ownerPool] };
  });
}

/** Runs `work` as the owner of the installation's database, which `open` opens as it is. */
export async function withOwnDatabase<T>(
  config: Config,
  open: Open,
  work: (ownerPool: Pool, secrets: Secrets) => Promise<T>,
): Promise<T> {
  return withDatabase(config, open, ({ ownerUrl, secrets }) => {
    const ownerPool = withSecrets(createPool({ url: ownerUrl, size: 1 }), secrets);
    return { answer: work(ownerPool, secrets), pools: [ownerPool] };
  });
}

type Work<T> = { readonly answer: Promise<T>; readonly pools: readonly OwnedPool[] };

/** Opens a database, begins work on it, and lets go of both, also where a signal interrupts. */
async function withDatabase<T>(config: Config, open: Open, begin: (database: OpenDatabase) => Work<T>): Promise<T> {
  const interruption = awaitInterruption();
  const database = await open(config, createCommandLogger(config));
  printDatabase(config);
  const { answer, pools } = begin(database);
  try {
    const result = await Promise.race([answer, interruption]);
    await Promise.all(pools.map((pool) => pool.end()));
    return result;
  } catch (error) {
    // After an interruption a statement is still running, which the pools would wait for.
    if (!(error instanceof Interruption)) await Promise.all(pools.map((pool) => pool.end()));
    throw error;
  } finally {
    await database.release();
  }
}

/** Whether the command that runs changes something, and people read what it says. */
let saysDatabase = false;

/** Has the command that is about to run say which database it is about, or not. */
export function setPrintsDatabase(says: boolean): void {
  saysDatabase = says;
}

/** Says on standard error which database a command is about, before it changes anything there. */
export function printDatabase(config: Config): void {
  if (saysDatabase) console.error(`Database: ${describeDatabase(config)}`);
}

/** The log of a command: only what is wrong, so that what it says stays readable. */
export function createCommandLogger(config: Config): Logger {
  return createLogger(QUIET_LEVELS.includes(config.LOG_LEVEL) ? config.LOG_LEVEL : "warn");
}

/** A signal asked the command to end. What it had not committed is undone. */
export class Interruption extends Error {
  /** The exit code that shells expect after the signal. */
  readonly exitCode: number;

  constructor(signal: NodeJS.Signals) {
    super(`Interrupted by ${signal}.`);
    this.name = "Interruption";
    this.exitCode = 128 + constants.signals[signal];
  }
}

/** Who has asked for the next signal. */
let takeSignal: (() => void) | null = null;

/** For a command that goes on until it is told to end: the first signal ends the wait, and a further one interrupts. */
export async function untilSignalOr(event: Promise<void>): Promise<void> {
  const signal = new Promise<void>((resolve) => {
    takeSignal = resolve;
  });
  await Promise.race([event, signal]).finally(() => {
    takeSignal = null;
  });
}

/**
 * Rejects at the first signal that nobody has asked for, so that a database that was started for the command is stopped before the process ends.
 */
function awaitInterruption(): Promise<never> {
  const interruption = new Promise<never>((_resolve, reject) => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
      process.on(signal, () => (takeSignal ? takeSignal() : reject(new Interruption(signal))));
    }
  });
  // It may come while nobody waits for it yet.
  interruption.catch(() => {});
  return interruption;
}

/**
 * The command line is one person to Nodal, no matter who types: what a command has asked for, no command can approve, or
 * `sudo` and a variable would make a second person. The operating system's user is kept for information: that of the
 * process, and behind it the one who says to have called `sudo`.
 */
export function commandOrigin(): Pick<Origin, "actor" | "address"> {
  const caller = process.env["SUDO_USER"];
  const users = caller ? [loginName(), caller] : [loginName()];
  return { actor: actorOf("command", "nodal"), address: addressOf(["local", ...users]) };
}

/** By the process's number, not by a variable. A user without an entry, as containers have them, is that number. */
function loginName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? "unknown");
  }
}
