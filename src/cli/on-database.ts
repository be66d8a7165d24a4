// Opens the installation for a command, and closes it, even if a signal interrupts.
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

/** The installation of a command: the database of the running server, or the same one started for the command. */
export type Installation = {
  /** PUBLIC_URL defaults to the running server's address, if the server has this data folder. */
  readonly config: Config;
  /** Connections with the server's rights. */
  readonly pool: Pool;
  /** Connections as the database's owner, for data that the server can't access, such as the simulated bank's book. */
  readonly ownerPool: Pool;
  readonly ids: IdSource;
};

/** The server's URL for browsers, as far as a command knows: the configured one, or the address it listens on. */
export function publicUrlOf({ PUBLIC_URL, HOST, PORT }: Config): string {
  return PUBLIC_URL ?? `http://${HOST.includes(":") ? `[${HOST}]` : HOST}:${PORT}`;
}

/** A function that opens the database: see ../database.ts. */
export type Open = (config: Config, logger: Logger) => Promise<OpenDatabase>;

/** Runs `work` on the installation's database, opened by `open`. */
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

/** Runs `work` as the owner of the installation's database, opened by `open` without changes. */
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

/** Opens a database, starts work on it, and closes both, even if a signal interrupts. */
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
    // After an interruption, the pools would wait for a running statement.
    if (!(error instanceof Interruption)) await Promise.all(pools.map((pool) => pool.end()));
    throw error;
  } finally {
    await database.release();
  }
}

/** Does the current command write, with output for people? */
let saysDatabase = false;

/** Sets whether the next command prints which database it uses. */
export function setPrintsDatabase(says: boolean): void {
  saysDatabase = says;
}

/** Prints on standard error which database a command uses, before it changes anything. */
export function printDatabase(config: Config): void {
  if (saysDatabase) console.error(`Database: ${describeDatabase(config)}`);
}

/** The log of a command: only problems, so that its output stays readable. */
export function createCommandLogger(config: Config): Logger {
  return createLogger(QUIET_LEVELS.includes(config.LOG_LEVEL) ? config.LOG_LEVEL : "warn");
}

/** A signal ended the command. Uncommitted changes are rolled back. */
export class Interruption extends Error {
  /** The exit code that shells expect after the signal. */
  readonly exitCode: number;

  constructor(signal: NodeJS.Signals) {
    super(`Interrupted by ${signal}.`);
    this.name = "Interruption";
    this.exitCode = 128 + constants.signals[signal];
  }
}

/** Handles the next signal, if somebody waits for it. */
let takeSignal: (() => void) | null = null;

/** For a command that runs until it is stopped: the first signal ends the wait, a further one interrupts. */
export async function untilSignalOr(event: Promise<void>): Promise<void> {
  const signal = new Promise<void>((resolve) => {
    takeSignal = resolve;
  });
  await Promise.race([event, signal]).finally(() => {
    takeSignal = null;
  });
}

/**
 * Rejects at the first signal that nobody waits for, so that a database that was started for the command is stopped
 * before the process ends.
 */
function awaitInterruption(): Promise<never> {
  const interruption = new Promise<never>((_resolve, reject) => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
      process.on(signal, () => (takeSignal ? takeSignal() : reject(new Interruption(signal))));
    }
  });
  // It may come before anybody awaits it.
  interruption.catch(() => {});
  return interruption;
}

/**
 * For Nodal, the command line is one person, no matter who types: no command can approve the request of another.
 * Otherwise `sudo` and a variable would make a second person. The operating system's user is recorded for information:
 * that of the process, followed by the claimed caller of `sudo`.
 */
export function commandOrigin(): Pick<Origin, "actor" | "address"> {
  const caller = process.env["SUDO_USER"];
  const users = caller ? [loginName(), caller] : [loginName()];
  return { actor: actorOf("command", "nodal"), address: addressOf(["local", ...users]) };
}

/** By the process's user id, not by a variable. A user without an entry, as in containers, is named by the id. */
function loginName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? "unknown");
  }
}
