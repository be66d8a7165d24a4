// Which database an installation uses: the one of DATABASE_URL, or the embedded one under DATA_DIR.
// What belongs here: opening it for a server or a command, migrated. How each works is in platform/database.
import type { Config } from "./platform/config.ts";
import { openEmbeddedDatabase } from "./platform/database/embedded.ts";
import { migrate } from "./platform/database/migrate.ts";
import { createPool } from "./platform/database/pool.ts";
import type { Logger } from "./platform/log.ts";

export type InstallationDatabase = {
  /** The database, as its owner. */
  readonly url: string;
  /** Whether it is the embedded one, which only one server can use at a time. */
  readonly embedded: boolean;
  /** Whether this call made the embedded database. */
  readonly created: boolean;
  /** Where the embedded database's files are. */
  readonly dataDir: string | null;
  /** Lets go of it. Connections must have been closed. */
  release(): Promise<void>;
};

/**
 * Opens the installation's database and brings it to the newest schema.
 * @throws DatabaseInUseError, EmbeddedDatabaseError, or the driver's error when DATABASE_URL can't be reached
 */
export async function openDatabase(
  config: Config,
  purpose: "server" | "command",
  logger: Logger,
): Promise<InstallationDatabase> {
  const database = await locate(config, purpose, logger);
  const pool = createPool({ url: database.url, size: 1 });
  try {
    const applied = await migrate(pool);
    await pool.end();
    if (applied.length > 0) logger.info({ migrations: applied }, "database migrated");
    return database;
  } catch (error) {
    await pool.end();
    await database.release();
    throw error;
  }
}

async function locate(config: Config, purpose: "server" | "command", logger: Logger): Promise<InstallationDatabase> {
  if (config.DATABASE_URL) {
    return { url: config.DATABASE_URL, embedded: false, created: false, dataDir: null, release: async () => {} };
  }
  const embedded = await openEmbeddedDatabase({
    dataDir: config.DATA_DIR,
    isDefaultDataDir: config.DATA_DIR === DEFAULT_DATA_DIR,
    purpose,
    logger,
  });
  return {
    url: embedded.url,
    embedded: true,
    created: embedded.created,
    dataDir: embedded.dataDir,
    release: () => embedded.release(),
  };
}

const DEFAULT_DATA_DIR = "./data";
