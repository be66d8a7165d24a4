// What every command shares: the installation it works on, how its answer is printed, and how an interruption ends it.
// What belongs here: the mechanism. What a command does is in the file of its name; sentences for errors in failure.ts.
import { constants } from "node:os";
import type { Command } from "commander";
import { openDatabase, prepareDatabase, type OpenDatabase } from "../database.ts";
import { readConfig, type Config } from "../platform/config.ts";
import { IdSource } from "../platform/database/ids.ts";
import { createPool, type OwnedPool, type Pool } from "../platform/database/pool.ts";
import { createLogger, type Logger } from "../platform/log.ts";
import { withSecrets, type Secrets } from "../platform/secrets/index.ts";
import { commandOrigin } from "./command-origin.ts";
import { isClosedPipe } from "./closed-pipes.ts";
import type { GivenOptions } from "./options.ts";

/** What a command works on: the database of the running server, or the same one started for the command alone. */
export type Installation = {
  readonly config: Config;
  /** Connections that may do what the server may. */
  readonly pool: Pool;
  /** Connections as the database's owner, for what the server must not see, such as the simulated bank's book. */
  readonly ownerPool: Pool;
  readonly ids: IdSource;
};

/** What a command has to say. */
export type Answer = {
  /** The one value of `--json`. Ids and amounts are strings in it: a bigint here is an error. */
  readonly json: unknown;
  /** The same for people, without the last line break. */
  readonly text: string;
  /** 1 where the answer itself is bad news, such as violations that were found. */
  readonly exitCode?: 0 | 1;
};

/** The address under which browsers reach the server, as a command can tell: that which is set, or where it is to listen. */
export function publicUrlOf({ PUBLIC_URL, HOST, PORT }: Config): string {
  return PUBLIC_URL ?? `http://${HOST.includes(":") ? `[${HOST}]` : HOST}:${PORT}`;
}

const QUIET_LEVELS = ["error", "fatal", "silent"];

/** An action for commander that prints what `work` answers. */
export function answering(
  work: (given: GivenOptions) => Promise<Answer>,
): (given: GivenOptions, command: Command) => Promise<void> {
  return async (given, command) => {
    const answer = await work(given);
    const { json } = command.optsWithGlobals<{ json?: true }>();
    process.exitCode = answer.exitCode ?? 0;
    await write(`${json ? JSON.stringify(answer.json) : answer.text}\n`);
  };
}

/** Writes to standard output. That its reader stops reading, as `head` does, is no failure; a full disk is one. */
function write(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error && !isClosedPipe(error) ? reject(error) : resolve()));
  });
}

/**
 * An action for commander that runs `work` on the installation and prints what it answers. `read` checks the options
 * first, so that a slip of the pen starts no database.
 */
export function onInstallation<Options>(
  read: (given: GivenOptions) => Options,
  work: (installation: Installation, options: Options) => Promise<Answer>,
): (given: GivenOptions, command: Command) => Promise<void> {
  return onDatabase(openDatabase, read, work);
}

/** The same for a command that makes the installation where there is none, and brings it to the newest schema. */
export function onPreparedInstallation<Options>(
  read: (given: GivenOptions) => Options,
  work: (installation: Installation, options: Options) => Promise<Answer>,
): (given: GivenOptions, command: Command) => Promise<void> {
  return onDatabase((config, logger) => prepareDatabase(config, "command", logger), read, work);
}

/** How a command opens the database: ../database.ts says which are for whom. */
type Open = (config: Config, logger: Logger) => Promise<OpenDatabase>;

function onDatabase<Options>(
  open: Open,
  read: (given: GivenOptions) => Options,
  work: (installation: Installation, options: Options) => Promise<Answer>,
): (given: GivenOptions, command: Command) => Promise<void> {
  return answering(async (given) => {
    const options = read(given);
    return withInstallation(open, (installation) => work(installation, options));
  });
}

async function withInstallation<T>(open: Open, work: (installation: Installation) => Promise<T>): Promise<T> {
  const config = readConfig(process.env);
  const origin = commandOrigin();
  return withDatabase(
    () => open(config, createCommandLogger(config)),
    ({ url, secrets }) => {
      const pool = withSecrets(createPool({ url, size: 2, role: "nodal_server", ...origin }), secrets);
      const ownerPool = withSecrets(createPool({ url, size: 1, ...origin }), secrets);
      const answer = work({ config, pool, ownerPool, ids: new IdSource(pool) });
      return { answer, pools: [pool, ownerPool] };
    },
  );
}

/** Runs `work` as the owner of the installation's database, which `open` opens as it is. */
export async function withOwnDatabase<T>(
  config: Config,
  open: Open,
  work: (ownerPool: Pool, secrets: Secrets) => Promise<T>,
): Promise<T> {
  return withDatabase(
    () => open(config, createCommandLogger(config)),
    ({ url, secrets }) => {
      const ownerPool = withSecrets(createPool({ url, size: 1 }), secrets);
      return { answer: work(ownerPool, secrets), pools: [ownerPool] };
    },
  );
}

type Work<T> = { readonly answer: Promise<T>; readonly pools: readonly OwnedPool[] };

/** Opens a database, begins work on it, and lets go of both, also where a signal interrupts. */
async function withDatabase<T>(
  open: () => Promise<OpenDatabase>,
  begin: (database: OpenDatabase) => Work<T>,
): Promise<T> {
  const interruption = awaitInterruption();
  const database = await open();
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

/**
 * Rejects at the first signal, so that a database that was started for the command is stopped before the process ends.
 */
function awaitInterruption(): Promise<never> {
  const interruption = new Promise<never>((_resolve, reject) => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
      process.on(signal, () => reject(new Interruption(signal)));
    }
  });
  // It may come while nobody waits for it yet.
  interruption.catch(() => {});
  return interruption;
}
