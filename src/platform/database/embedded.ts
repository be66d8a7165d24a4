// The embedded PostgreSQL: used when DATABASE_URL is not set. One cluster per data folder, for server and commands. The
// steps are in embedded/.
import type { Logger } from "../log.ts";
import { findBinaries } from "./embedded/binaries.ts";
import { clusterAt, createCluster } from "./embedded/cluster.ts";
import { readConnection, urlOf } from "./embedded/connection.ts";
import { accountOfExisting, type DataDirOptions, findHome, locate } from "./embedded/location.ts";
import { findPostmaster } from "./embedded/postmaster.ts";
import { Session } from "./embedded/session.ts";

export { DatabaseInUseError, EmbeddedDatabaseError } from "./embedded/errors.ts";

export type EmbeddedDatabase = {
  /** URL of the database, as its owner. It stays the same while the database is held, also when PostgreSQL restarts. */
  readonly url: string;
  /** Did this call create the cluster? */
  readonly created: boolean;
  /** The folder that actually has the data. */
  readonly dataDir: string;
  /**
   * Releases the database; release every connection first. If no other Nodal process uses it, stops PostgreSQL and
   * waits for its end. Further calls wait for the same end.
   */
  release(): Promise<void>;
};

export type EmbeddedDatabaseOptions = DataDirOptions & {
  /** A server has the data folder to itself and restarts PostgreSQL if it dies; a command shares a running one. */
  readonly purpose: "server" | "command";
  readonly logger: Logger;
};

/**
 * Opens the database of a data folder: creates the cluster where there is none, starts PostgreSQL where none runs,
 * attaches to it where it does.
 * @throws DatabaseInUseError when a second server is started on the folder.
 * @throws EmbeddedDatabaseError when the database can't be created, reached or started.
 */
export async function openEmbeddedDatabase(options: EmbeddedDatabaseOptions): Promise<EmbeddedDatabase> {
  const { purpose, logger } = options;
  const location = await locate(options, logger);
  const created = !location.exists && (await createCluster(location, await findBinaries(location.account), logger));
  const cluster = clusterAt(location.home, location.account);
  const session = await Session.open({ cluster, dataDir: location.dataDir, purpose, logger });
  return { url: session.url, created, dataDir: location.dataDir, release: () => session.release() };
}

/**
 * The URL of the database of a data folder, as its owner, whether PostgreSQL runs or not; null when there is no cluster
 * yet. Starts and creates nothing.
 * @throws EmbeddedDatabaseError when the folder may not be read.
 */
export async function findEmbeddedDatabaseUrl(options: DataDirOptions): Promise<string | null> {
  const home = await findHome(options);
  if (home === null) return null;
  await accountOfExisting(home);
  const connection = await readConnection(home);
  const postmaster = await findPostmaster(clusterAt(home, undefined));
  return urlOf({ ...connection, port: postmaster?.port ?? connection.port });
}
