// Which database an installation uses: the one of DATABASE_URL, or the embedded one under DATA_DIR.
// What belongs here: opening it for a server or a command, migrated. How each works is in platform/database.
import { DISPATCHER_NAME } from "./payouts/index.ts";
import { SETTINGS, type Config } from "./platform/config.ts";
import { findEmbeddedDatabaseUrl, openEmbeddedDatabase } from "./platform/database/embedded.ts";
import { migrate } from "./platform/database/migrate.ts";
import { createPool, isConnected } from "./platform/database/pool.ts";
import type { Logger } from "./platform/log.ts";

export type InstallationDatabase = {
  /** The database, as its owner. */
  readonly url: string;
  /** Whether no server is using it: the embedded one, held by this process, with no other connected by its URL. */
  readonly alone: boolean;
  /** The names of the migrations that this call applied. */
  readonly migrations: readonly string[];
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
  const database = await openUnmigratedDatabase(config, purpose, logger);
  const pool = createPool({ url: database.url, size: 1 });
  try {
    const migrations = await migrate(pool);
    const alone = database.dataDir !== null && purpose === "server" && !(await isConnected(pool, DISPATCHER_NAME));
    await pool.end();
    if (migrations.length > 0) logger.info({ migrations }, "database migrated");
    return { ...database, alone, migrations };
  } catch (error) {
    await pool.end();
    await database.release();
    throw error;
  }
}

/** The URL of the installation's database, as its owner; `null` when there is none yet. Starts and creates nothing. */
export async function findDatabaseUrl(config: Config): Promise<string | null> {
  return config.DATABASE_URL ?? findEmbeddedDatabaseUrl(dataDirOptions(config));
}

/** Opens the installation's database as it is, for what must see it before it is migrated. */
export async function openUnmigratedDatabase(
  config: Config,
  purpose: "server" | "command",
  logger: Logger,
): Promise<Omit<InstallationDatabase, "migrations" | "alone">> {
  if (config.DATABASE_URL) {
    return { url: config.DATABASE_URL, dataDir: null, release: async () => {} };
  }
  const embedded = await openEmbeddedDatabase({ ...dataDirOptions(config), purpose, logger });
  return {
    url: embedded.url,
    dataDir: embedded.dataDir,
    release: () => embedded.release(),
  };
}

function dataDirOptions(config: Config): { dataDir: string; isDefaultDataDir: boolean } {
  return { dataDir: config.DATA_DIR, isDefaultDataDir: config.DATA_DIR === SETTINGS.DATA_DIR.fallback };
}
