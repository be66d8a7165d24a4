// Which database an installation uses: the one of DATABASE_URL, or the embedded one under DATA_DIR.
// What belongs here: opening it for a server or a command, migrated and encrypted. How each works is in platform/.
import { resolve } from "node:path";
import { DISPATCHER_NAME } from "./payouts/index.ts";
import { SETTINGS, type Config } from "./platform/config.ts";
import { findEmbeddedDatabaseUrl, openEmbeddedDatabase } from "./platform/database/embedded.ts";
import { migrate } from "./platform/database/migrate.ts";
import { createPool, isConnected } from "./platform/database/pool.ts";
import type { Logger } from "./platform/log.ts";
import {
  checkMasterKeys,
  MasterKeys,
  ownTransactions,
  prepareSecrets,
  Secrets,
  type InTransaction,
} from "./platform/secrets/index.ts";
import { SECRET_TABLES } from "./secret-tables.ts";

export type UnmigratedDatabase = {
  /** The database, as its owner. */
  readonly url: string;
  /** Where the embedded database's files are. */
  readonly dataDir: string | null;
  /** What is encrypted in it, for the connections of this process. */
  readonly secrets: Secrets;
  /** Lets go of it. Connections must have been closed. */
  release(): Promise<void>;
};

export type InstallationDatabase = UnmigratedDatabase & {
  /** Whether no server is using it: the embedded one, held by this process, with no other connected by its URL. */
  readonly alone: boolean;
  /** The names of the migrations that this call applied. */
  readonly migrations: readonly string[];
};

/**
 * Opens the installation's database and brings it to the newest schema, with everything encrypted that has to be.
 * @throws DatabaseInUseError, EmbeddedDatabaseError, or the driver's error when DATABASE_URL can't be reached;
 * SecretsError when the master key is not the database's, which is then as it was
 */
export async function openDatabase(
  config: Config,
  purpose: "server" | "command",
  logger: Logger,
): Promise<InstallationDatabase> {
  const database = await openUnmigratedDatabase(config, purpose, logger);
  const pool = createPool({ url: database.url, size: 1 });
  try {
    await checkMasterKeys(pool, database.secrets.masterKeys);
    const migrations = await migrate(pool);
    await encryptInstallation(ownTransactions(pool), database.secrets, logger);
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
): Promise<UnmigratedDatabase> {
  if (config.DATABASE_URL) {
    const secrets = new Secrets(masterKeysOf(config, resolve(config.DATA_DIR)));
    return { url: config.DATABASE_URL, dataDir: null, secrets, release: async () => {} };
  }
  const embedded = await openEmbeddedDatabase({ ...dataDirOptions(config), purpose, logger });
  return {
    url: embedded.url,
    dataDir: embedded.dataDir,
    secrets: new Secrets(masterKeysOf(config, embedded.dataDir)),
    release: () => embedded.release(),
  };
}

/**
 * Makes the data keys of a new database, and encrypts what an earlier release has stored. The connections' user must
 * own the database, which must be migrated.
 * @throws SecretsError where the master key is not the database's, or there is none
 */
export function encryptInstallation(run: InTransaction, secrets: Secrets, logger: Logger): Promise<void> {
  return prepareSecrets(run, secrets, SECRET_TABLES, (table, rows) =>
    logger.info({ table, rows }, "encrypted what was stored before there was encryption"),
  );
}

function masterKeysOf(config: Config, folder: string): MasterKeys {
  return new MasterKeys({
    given: config.NODAL_MASTER_KEY,
    next: config.NODAL_MASTER_KEY_NEW,
    folder,
    mayMake: config.NODAL_ENV !== "production",
  });
}

function dataDirOptions(config: Config): { dataDir: string; isDefaultDataDir: boolean } {
  return { dataDir: config.DATA_DIR, isDefaultDataDir: config.DATA_DIR === SETTINGS.DATA_DIR.fallback };
}
