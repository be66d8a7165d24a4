// Connects to a cluster in any state: running, starting, stopping, stopped, crashed. session.ts has locks and supervision.
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Logger } from "../../log.ts";
import { findBinaries } from "./binaries.ts";
import { type Cluster, checkVersion } from "./cluster.ts";
import { chooseFreePort, isPortFree, readConnection, urlOf, writeConnection } from "./connection.ts";
import { EmbeddedDatabaseError, hasCode, messageOf } from "./errors.ts";
import { POLL_INTERVAL_MS, type StartedPostmaster, findPostmaster, readLogEnd, startPostmaster } from "./postmaster.ts";

const CONNECT_TIMEOUT_MS = 5_000;
/** How long a running PostgreSQL may refuse connections: it may be recovering from a crash, or stopping. */
const PATIENCE_MS = 300_000;
/** How long to retry failing starts: the remaining processes of a killed PostgreSQL need a moment to end. */
const FAILED_STARTS_TIMEOUT_MS = 8_000;
const START_DELAY_MAXIMUM_MS = 2_000;

export type Target = {
  readonly cluster: Cluster;
  readonly logger: Logger;
  /** The port that others already use; null if it may still change. */
  readonly port: number | null;
  /** Once aborted, no further PostgreSQL is started. */
  readonly signal: AbortSignal;
};

export type Reached = { readonly client: pg.Client; readonly port: number; readonly url: string };

/** Does a connection's error only mean that PostgreSQL is starting, stopping, crashing or full? Then try again. */
export function isPassing(error: unknown): boolean {
  return (
    hasCode(error, "ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "57P01", "57P02", "57P03", "53300") ||
    /Connection terminated|timeout expired|not queryable/.test(messageOf(error))
  );
}

async function tryConnect({ cluster }: Target, port: number): Promise<Reached | null> {
  const { password } = await readConnection(cluster.home);
  const url = urlOf({ port, password });
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    application_name: "nodal lock",
  });
  // Without a listener a broken connection would end the process. The session listens for "end".
  client.on("error", () => {});
  try {
    await client.connect();
    return { client, port, url };
  } catch (error) {
    await client.end().catch(() => {});
    if (isPassing(error)) return null;
    throw new EmbeddedDatabaseError(`The database in ${cluster.home} refuses Nodal: ${messageOf(error)}.`, error);
  }
}

/** The port to start on; null if another process's PostgreSQL is already using it. */
async function portToStartOn({ cluster, logger, port }: Target): Promise<number | null> {
  if (port !== null) return port;
  const connection = await readConnection(cluster.home);
  if (await isPortFree(connection.port)) return connection.port;
  if (await findPostmaster(cluster)) return null;
  const other = await chooseFreePort();
  await writeConnection(cluster.home, { ...connection, port: other }, cluster.account);
  logger.warn(
    { port: other },
    `port ${connection.port} is in use by another program: PostgreSQL moves to port ${other}`,
  );
  return other;
}

async function start(target: Target): Promise<StartedPostmaster | null> {
  const binaries = await findBinaries(target.cluster.account);
  await checkVersion(target.cluster, binaries);
  const port = await portToStartOn(target);
  return port === null ? null : startPostmaster(target.cluster, binaries, port);
}

/**
 * Connects to the cluster: starts PostgreSQL if it is not running, or waits if it is starting or stopping. @throws
 * EmbeddedDatabaseError if it does not start or refuses connections; the signal's reason once that is aborted and no
 * PostgreSQL runs.
 */
export async function reach(target: Target): Promise<Reached> {
  const { cluster, signal } = target;
  const patienceEnds = Date.now() + PATIENCE_MS;
  const startsEnd = Date.now() + FAILED_STARTS_TIMEOUT_MS;
  let started: StartedPostmaster | null = null;
  for (let starts = 0; ;) {
    const postmaster = await findPostmaster(cluster);
    if (postmaster?.status === "ready" && postmaster.port !== null) {
      const reached = await tryConnect(target, postmaster.port);
      if (reached) return reached;
    } else if (!postmaster && (started?.hasEnded() ?? true)) {
      signal.throwIfAborted();
      if (Date.now() > startsEnd) {
        throw new EmbeddedDatabaseError(
          `PostgreSQL did not start; its log ${cluster.logFile} ends with: ${await readLogEnd(cluster)}`,
        );
      }
      if (starts > 0) await sleep(Math.min(50 * 2 ** starts, START_DELAY_MAXIMUM_MS), undefined, { signal });
      started = await start(target);
      starts += 1;
    }
    if (Date.now() > patienceEnds) {
      throw new EmbeddedDatabaseError(
        `PostgreSQL in ${cluster.home} has accepted no connections for ${PATIENCE_MS / 1000} seconds ` +
          `(${postmaster?.status ?? "starting"}); see its log ${cluster.logFile}.`,
      );
    }
    await sleep(POLL_INTERVAL_MS);
  }
}
