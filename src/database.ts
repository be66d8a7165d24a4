// The database of an installation: the one of DATABASE_URL, or the embedded one under DATA_DIR. platform/ implements each kind.
import { resolve } from "node:path";
import { LRUCache } from "lru-cache";
import { insertInstallationSecret } from "./merchants/index.ts";
import { DISPATCHER_NAME } from "./payouts/index.ts";
import { SETTINGS, type Config } from "./platform/config.ts";
import { describeAddress } from "./platform/database/address.ts";
import {
  distribute,
  isAllDistributed,
  isDistributed,
  requireCitus,
  withNodes,
} from "./platform/database/citus/index.ts";
import { isConnectionLost } from "./platform/database/failure.ts";
import { findEmbeddedDatabaseUrl, openEmbeddedDatabase } from "./platform/database/embedded.ts";
import {
  compareSchema,
  migrate,
  MigrationError,
  requireServerVersion,
  type Migration,
} from "./platform/database/migrate.ts";
import { IdSource } from "./platform/database/ids.ts";
import { createPool, isConnected, type Pool } from "./platform/database/pool.ts";
import { Reports } from "./platform/database/reports.ts";
import { TenantDatabase, TenantGroups } from "./platform/database/tenant.ts";
import type { Logger } from "./platform/log.ts";
import {
  checkMasterKeys,
  hasDataKeys,
  MasterKeys,
  ownTransactions,
  prepareSecrets,
  Secrets,
  withSecrets,
} from "./platform/secrets/index.ts";

export type OpenDatabase = {
  /** The database as servers use it, by roles that they take. */
  readonly url: string;
  /** The database itself, as its owner, even if `url` leads through PgBouncer: for tasks that need a direct connection. */
  readonly ownerUrl: string;
  /** The folder of the embedded database's files. */
  readonly dataDir: string | null;
  /** Its secrets, for the connections of this process. */
  readonly secrets: Secrets;
  /** Releases it. Connections must have been closed. */
  release(): Promise<void>;
};

export type InstallationDatabase = OpenDatabase & {
  /** Whether no server is using it: the embedded one, held by this process, with no other connected by its URL. */
  readonly alone: boolean;
  /** The names of the migrations that this call applied. */
  readonly migrations: readonly string[];
  /** The tables that this call has distributed over the nodes of Citus; `null` without Citus, or if a node is down. */
  readonly spread: readonly string[] | null;
};

/**
 * Prepares the installation's database: created if there is none, upgraded to the newest schema, with the keys and the secret that
 * a database has from the start. For `start`, `migrate` and `seed`; all other commands use `openDatabase`. With `citus`, and ever
 * after, its tables are distributed over the nodes of Citus.
 * @throws DatabaseInUseError, EmbeddedDatabaseError, or the driver's error when DATABASE_URL can't be reached; MigrationError for a
 * command if a server runs on an older schema; SecretsError when the master key is not the database's, which is then unchanged
 */
export async function prepareDatabase(
  config: Config,
  purpose: "server" | "command",
  logger: Logger,
  citus = false,
): Promise<InstallationDatabase> {
  const database = await openInAnyState(config, purpose, logger);
  return whileOpen(database, async (pool) => {
    await checkMasterKeys(pool, database.secrets.masterKeys);
    if (purpose === "command") await refuseUnderServer(pool);
    if (citus) {
      await refuseToSpreadUnderServer(pool);
      await requireCitus(pool);
    }
    const migrations = await migrate(pool);
    const spread = citus || (await isDistributed(pool)) ? await distributeAt(pool, purpose === "server", logger) : null;
    await prepareSecrets(ownTransactions(pool), database.secrets, insertInstallationSecret);
    const alone = database.dataDir !== null && purpose === "server" && !(await isServerRunning(pool));
    if (migrations.length > 0) logger.info({ migrations }, "database migrated");
    return { ...database, alone, migrations, spread };
  });
}

/** A node that is down doesn't prevent a start, if all tables are distributed already. */
async function distributeAt(pool: Pool, mayWait: boolean, logger: Logger): Promise<string[] | null> {
  try {
    return await distribute(pool);
  } catch (error) {
    if (!mayWait || !isConnectionLost(error) || !(await isAllDistributed(pool))) throw error;
    logger.warn({ err: error }, "a Citus node is unreachable; its start-up steps run on the next start");
    return null;
  }
}

/** A server's message to its workers about the database that it holds for them. */
export type HeldDatabase = Pick<InstallationDatabase, "url" | "ownerUrl" | "dataDir" | "alone">;

/**
 * Opens for a worker the database that its supervisor has prepared, and releases when all workers have ended.
 * @throws SecretsError when the master key is not the database's; the driver's error
 */
export async function openForWorker(config: Config, held: HeldDatabase): Promise<InstallationDatabase> {
  const secrets = new Secrets(masterKeysOf(config, held.dataDir ?? resolve(config.DATA_DIR)));
  const database = { ...held, secrets, migrations: [], spread: null, release: async () => {} };
  return whileOpen(database, async (pool) => {
    await checkMasterKeys(pool, secrets.masterKeys);
    return database;
  });
}

/**
 * Opens the installation's database for a command, without creating or changing anything of it: no folder, no database, no master
 * key, no schema.
 * @throws NoDatabaseError if there is none; MigrationError if it is not of this release; as `prepareDatabase`
 */
export async function openDatabase(config: Config, logger: Logger): Promise<OpenDatabase> {
  const database = await openExistingDatabase(config, logger);
  return whileOpen(database, async (pool) => {
    const { isEmpty, missing } = await compareSchema(pool);
    if (isEmpty) throw new NoDatabaseError(config);
    if (missing.length > 0) throw await behind(pool, missing);
    if (!(await hasDataKeys(pool))) {
      throw new MigrationError("This database is incomplete: run `nodal migrate` to finish it.");
    }
    await checkMasterKeys(pool, database.secrets.masterKeys);
    return database;
  });
}

/**
 * Opens the installation's database unchanged, with any schema, to copy it. Creates nothing.
 * @throws NoDatabaseError if there is none; as `prepareDatabase`
 */
export async function openExistingDatabase(config: Config, logger: Logger): Promise<OpenDatabase> {
  await requireDatabaseUrl(config);
  return openInAnyState(config, "command", logger);
}

/**
 * The URL of the installation's database, as its owner. Starts and creates nothing.
 * @throws NoDatabaseError if there is none yet
 */
export async function requireDatabaseUrl(config: Config): Promise<string> {
  const url =
    config.DATABASE_DIRECT_URL ?? config.DATABASE_URL ?? (await findEmbeddedDatabaseUrl(dataDirOptions(config)));
  if (url === null) throw new NoDatabaseError(config);
  return url;
}

/**
 * Opens the installation's database unchanged, or a new empty one, for `restore`, which fills it.
 * @throws as `prepareDatabase`
 */
export async function openForRestore(config: Config, logger: Logger): Promise<OpenDatabase> {
  const database = await openInAnyState(config, "command", logger);
  return whileOpen(database, async () => database);
}

async function openInAnyState(config: Config, purpose: "server" | "command", logger: Logger): Promise<OpenDatabase> {
  if (config.DATABASE_URL) {
    const secrets = new Secrets(masterKeysOf(config, resolve(config.DATA_DIR)));
    const { DATABASE_URL: url, DATABASE_DIRECT_URL: ownerUrl } = config;
    return { url, ownerUrl: ownerUrl ?? url, dataDir: null, secrets, release: async () => {} };
  }
  const embedded = await openEmbeddedDatabase({ ...dataDirOptions(config), purpose, logger });
  return {
    url: embedded.url,
    ownerUrl: embedded.url,
    dataDir: embedded.dataDir,
    secrets: new Secrets(masterKeysOf(config, embedded.dataDir)),
    release: () => embedded.release(),
  };
}

/** The database of the settings, for people: host and name, or the folder. No user and no password. */
export function describeDatabase({
  DATABASE_URL: url,
  DATABASE_DIRECT_URL: ownerUrl,
  DATA_DIR: folder,
}: Config): string {
  return url === null ? resolve(folder) : describeAddress(ownerUrl ?? url);
}

/** There is no database of Nodal at the configured place. The message says where that is and what to run. */
export class NoDatabaseError extends Error {
  constructor(config: Config) {
    const [place, variable] = config.DATABASE_URL
      ? [`at ${describeDatabase(config)}`, "DATABASE_URL"]
      : [`in DATA_DIR ${describeDatabase(config)}`, "DATA_DIR or DATABASE_URL"];
    super(
      `There is no Nodal database ${place}. Set ${variable} to the installation's database, or create a new one with ` +
        "`nodal start`, `nodal migrate` or `nodal restore`. Nothing was created.",
    );
    this.name = "NoDatabaseError";
  }
}

/** Whether a server has this database open, in this process or another. The pool's user must own the database. */
export function isServerRunning(pool: Pool): Promise<boolean> {
  return isConnected(pool, DISPATCHER_NAME);
}

/** Runs `work` on one connection. The database is released even after an error. */
async function whileOpen<T>(database: OpenDatabase, work: (pool: Pool) => Promise<T>): Promise<T> {
  const pool = withSecrets(createPool({ url: database.ownerUrl, size: 1 }), database.secrets);
  try {
    await requireServerVersion(pool);
    const result = await work(pool);
    await pool.end();
    return result;
  } catch (error) {
    await pool.end();
    await database.release();
    throw error;
  }
}

/** A schema that changes under a running server of an earlier release would break it. */
async function refuseUnderServer(pool: Pool): Promise<void> {
  const { isEmpty, missing } = await compareSchema(pool);
  if (!isEmpty && missing.length > 0 && (await isServerRunning(pool))) throw await behind(pool, missing);
}

/** A server keeps the setup that it found when it connected: it would continue as on a single PostgreSQL. */
async function refuseToSpreadUnderServer(pool: Pool): Promise<void> {
  if (!(await isServerRunning(pool)) || (await isDistributed(pool))) return;
  throw new MigrationError(
    "A server is running on this database and does not expect Citus: stop all servers, run " +
      "`nodal migrate --citus`, then start them again. Nothing was changed.",
  );
}

async function behind(pool: Pool, missing: readonly Migration[]): Promise<MigrationError> {
  const remedy = (await isServerRunning(pool))
    ? "A server of that release is running on it: stop it, then start this release, or run `nodal migrate` now."
    : "Run `nodal migrate`, or start the server.";
  return new MigrationError(
    `The database has the schema of an earlier release (it lacks ${missing[0]!.name}). ${remedy} Nothing was changed.`,
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

const CHANGED_ROWS_NOTED = 10_000;
const CHANGED_ROW_EVERY_MS = 60_000;

/** Logs each row that was changed with SQL when it is used, at most once a minute. */
function logChangedRows(secrets: Secrets, logger: Logger): void {
  const noted = new LRUCache<string, true>({ max: CHANGED_ROWS_NOTED, ttl: CHANGED_ROW_EVERY_MS });
  secrets.onChangedRow = (table, key) => {
    if (noted.has(`${table} ${key}`)) return;
    noted.set(`${table} ${key}`, true);
    logger.error(
      { table, key },
      "a row was changed in the database, not by Nodal: refused to use it; run `nodal verify` and put the row back as it was",
    );
  };
}

/** On Citus, connections to each node for looking up callers. */
const KEY_CONNECTIONS = 2;

/** A server's connections by purpose. Requests run in the name of their merchant; everything else in the server's. */
export function openServerPools(
  { url, ownerUrl, secrets }: InstallationDatabase,
  config: Config,
  metricsTimeoutMs: number,
  logger: Logger,
) {
  logChangedRows(secrets, logger);
  const size = config.DATABASE_POOL_SIZE;
  const onError = (error: Error): void => logger.warn({ err: error }, "an idle database connection was lost");
  // While a caller waits for a merchant's rows, it occupies a connection that others need.
  const settings = { lock_timeout: String(config.LOCK_TIMEOUT_MS) };
  const ofServer = { url, size, role: "nodal_server", settings, onError } as const;
  const pool = withSecrets(createPool(ofServer), secrets);
  withNodes(pool, { ...ofServer, size: KEY_CONNECTIONS }, (each) => withSecrets(each, secrets));
  const ofRequests = {
    url,
    pipelined: true,
    // Nobody waits for an answer any longer, and the connection is needed for others.
    settings: { ...settings, statement_timeout: String(config.STATEMENT_TIMEOUT_MS) },
    onError,
  };
  const tenantPool = withSecrets(createPool({ ...ofRequests, size, role: "nodal_tenant" }), secrets);
  const groupPool = withSecrets(
    createPool({ ...ofRequests, size: Math.max(1, Math.floor(size / 2)), role: "nodal_invoices" }),
    secrets,
  );
  // A separate pool, even behind PgBouncer: transactions that hold all of a pool's connections may be waiting for ids.
  const idPool = createPool({ url: ownerUrl, size: 1, role: "nodal_server", onError });
  // A separate pool too: counting for Prometheus must not take connections from requests.
  const ofMetrics = { statement_timeout: String(metricsTimeoutMs) };
  const metricsPool = createPool({ url: ownerUrl, size: 1, role: "nodal_server", settings: ofMetrics, onError });
  const closePools = async (): Promise<void> => {
    await reports.stop();
    await Promise.all([pool.end(), tenantPool.end(), groupPool.end(), idPool.end(), metricsPool.end()]);
  };
  const [tenants, groups] = [new TenantDatabase(tenantPool), new TenantGroups(groupPool)];
  const replicaUrl = config.DATABASE_REPLICA_URL;
  const ofReplica = { ...ofRequests, size, role: "nodal_tenant" } as const;
  const replicaPool = replicaUrl === null ? null : withSecrets(createPool({ ...ofReplica, url: replicaUrl }), secrets);
  const reports = new Reports({ pool, tenants }, replicaPool, (keepsUp, error) => {
    if (keepsUp) return logger.info("files are read from DATABASE_REPLICA_URL");
    const said = error === null ? {} : { err: error };
    logger.warn(said, "files are read from the primary: DATABASE_REPLICA_URL lags behind or does not answer");
  });
  return { pool, tenants, groups, reports, ids: new IdSource(idPool), metricsPool, closePools };
}
