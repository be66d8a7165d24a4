// Migrations: the files of schema/ together are the first one, then come the numbered files of migrations/. Each is
// applied once, in order; all missing ones in one transaction.
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { isLockTimeout, isDeadlock } from "./failure.ts";
import { inTransaction, type Connection, type Pool, type Queryable } from "./pool.ts";

/** The oldest major version that the migrations' SQL supports. */
const OLDEST_SERVER_VERSION = 15;
/** The tables of a new database, one file a noun, in the order of their names. */
const SCHEMA_FOLDER = new URL("../../../schema/", import.meta.url);
const SCHEMA_NAME = "0001_schema";
const MIGRATIONS_FOLDER = new URL("../../../migrations/", import.meta.url);

/** A migration as it is recorded in the database that it was applied to. */
export type AppliedMigration = { readonly version: number; readonly name: string; readonly checksum: string };
export type Migration = AppliedMigration & { readonly sql: string };

/** The database and this release don't fit together. The message says what to do. */
export class MigrationError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "MigrationError";
  }
}

/**
 * The migrations of this release, in order. With `folder`, those of another release with the same schema/.
 */
export async function readMigrations(folder: URL = MIGRATIONS_FOLDER): Promise<Migration[]> {
  const schema = await readFiles(SCHEMA_FOLDER, /^[0-9]{2}_.+\.sql$/);
  const later = await readFiles(folder, /^[0-9]{4}_.+\.sql$/);
  return [{ name: SCHEMA_NAME, sql: schema.map(({ sql }) => sql).join("\n") }, ...later].map(({ name, sql }) => ({
    version: Number(name.slice(0, 4)),
    name,
    sql,
    checksum: createHash("sha256").update(sql).digest("hex"),
  }));
}

async function readFiles(folder: URL, named: RegExp): Promise<{ name: string; sql: string }[]> {
  const names = (await readdir(folder)).filter((name) => named.test(name)).sort();
  return Promise.all(names.map(async (name) => ({ name, sql: await readFile(new URL(name, folder), "utf8") })));
}

/** How long migrations wait for transactions that lock their tables. */
export type Patience = {
  /** How long one statement may wait. Requests queue behind it, so it is shorter than their `LOCK_TIMEOUT_MS`. */
  readonly lockTimeoutMs: number;
  /** The pause for others before the next try. */
  readonly pauseMs: number;
  /** How often the whole transaction is tried. */
  readonly tries: number;
};
const PATIENCE: Patience = { lockTimeoutMs: 2000, pauseMs: 5000, tries: 12 };

/**
 * Brings the database to the newest schema and returns the names of the migrations that it applied: all that were
 * missing, or none. The pool's user must own the database. Several processes may call it at once: one applies, the
 * others wait. While the migrations wait for a transaction that has locked a table, all requests for that table queue
 * behind them. So they give up after a moment, let the others go first, and start again. The same applies to deadlocks,
 * in which PostgreSQL ends the migrations.
 * @throws MigrationError if an applied migration differs from that of this release, or is newer, or older than the
 * first; also if another transaction blocked every try
 */
export async function migrate(
  pool: Pool,
  folder: URL = MIGRATIONS_FOLDER,
  patience: Patience = PATIENCE,
): Promise<string[]> {
  const migrations = await readMigrations(folder);
  for (let tries = 1; ; tries += 1) {
    try {
      return await inTransaction(pool, async (connection) => {
        await lockMigrations(connection);
        await connection.query(`set local lock_timeout = ${patience.lockTimeoutMs}`);
        return applyMigrations(connection, migrations);
      });
    } catch (error) {
      if (!isLockTimeout(error) && !isDeadlock(error)) throw error;
      if (tries === patience.tries) throw await lockTimeoutError(pool, patience, error);
    }
    await sleep(patience.pauseMs);
  }
}

/** The error with the longest open transaction, which most likely holds the table. Deadlocks have no such culprit. */
async function lockTimeoutError(pool: Pool, { tries }: Patience, cause: Error): Promise<MigrationError> {
  if (isDeadlock(cause)) {
    return new MigrationError(
      `The migration met a deadlock with requests ${tries} times in a row (${cause.message}). Run it again when fewer ` +
        "requests come, or while no server is running. Nothing was changed.",
      { cause },
    );
  }
  const { rows } = await pool.query<{ who: string }>(
    `select format('process %s of PostgreSQL (%s, user %s), open since %s',
       pid, coalesce(nullif(application_name, ''), 'without a name'), usename, date_trunc('second', xact_start)) as who
     from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
     order by xact_start limit 1`,
  );
  const who = rows[0] ? ` The one that has been open for longest is ${rows[0].who}.` : "";
  return new MigrationError(
    `Another transaction locked a table of the migration ${tries} times in a row (${cause.message}).${who} Wait for it to end, or end it ` +
      "with `select pg_terminate_backend(…)`, and run it again. Nothing was changed.",
    { cause },
  );
}

/** The comparison of a database's schema with a release's. */
export type SchemaComparison = {
  /** Does it have no tables of Nodal? */
  readonly isEmpty: boolean;
  /** The release's migrations that were not applied. */
  readonly missing: readonly Migration[];
};

/**
 * Compares the schema of a database with this release's. Changes nothing.
 * @throws MigrationError as `migrate`
 */
export async function compareSchema(pool: Pool, folder: URL = MIGRATIONS_FOLDER): Promise<SchemaComparison> {
  const migrations = await readMigrations(folder);
  const applied = await listAppliedMigrations(pool);
  return { isEmpty: applied.length === 0, missing: missingFrom(migrations, applied) };
}

/**
 * Refuses a PostgreSQL that is too old for the migrations.
 * @throws MigrationError
 */
export async function requireServerVersion(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ number: number; name: string }>(
    "select current_setting('server_version_num')::integer as number, current_setting('server_version') as name",
  );
  const { number, name } = rows[0]!;
  if (number >= OLDEST_SERVER_VERSION * 10_000) return;
  throw new MigrationError(
    `The database in DATABASE_URL runs PostgreSQL ${name}, but Nodal needs ${OLDEST_SERVER_VERSION} or later: upgrade it, or set ` +
      "DATABASE_URL to a newer one. Nothing was changed.",
  );
}

/** Takes the migration lock of this database until the transaction ends. */
export async function lockMigrations(connection: Connection): Promise<void> {
  await connection.query("select pg_advisory_xact_lock(hashtext('nodal migrations'))");
}

/**
 * Applies the missing migrations in the caller's transaction, which has called `lockMigrations`. Returns their names.
 * @throws MigrationError as `migrate`
 */
export async function applyMigrations(connection: Connection, migrations: readonly Migration[]): Promise<string[]> {
  await connection.query(`
    create table if not exists schema_migration (
      version integer primary key, name text not null, checksum text not null,
      applied_at timestamptz not null default now())`);
  const missing = missingFrom(migrations, await listAppliedMigrations(connection));
  for (const migration of missing) {
    await connection.query(migration.sql);
    await connection.query("insert into schema_migration (version, name, checksum) values ($1, $2, $3)", [
      migration.version,
      migration.name,
      migration.checksum,
    ]);
  }
  return missing.map((migration) => migration.name);
}

/** The applied migrations of a database, in order; none if it is not Nodal's. */
export async function listAppliedMigrations(db: Queryable): Promise<AppliedMigration[]> {
  const known = await db.query<{ known: boolean }>(
    "select to_regclass('public.schema_migration') is not null as known",
  );
  if (!known.rows[0]!.known) return [];
  const { rows } = await db.query<AppliedMigration>(
    "select version, name, checksum from public.schema_migration order by version",
  );
  return rows;
}

/** The release's migrations that the database lacks. */
function missingFrom(release: readonly Migration[], applied: readonly AppliedMigration[]): Migration[] {
  releaseMigrations(release, applied);
  return release.filter(({ version }) => !applied.some((migration) => migration.version === version));
}

/**
 * The release's migrations for these applied ones.
 * @throws MigrationError as `migrate`
 */
export function releaseMigrations(release: readonly Migration[], applied: readonly AppliedMigration[]): Migration[] {
  if (applied.length > 0 && applied[0]!.name !== SCHEMA_NAME) {
    throw new MigrationError(
      `This database was created before the first release (its first migration is ${applied[0]!.name}) and can't be ` +
        "upgraded or restored: set DATA_DIR or DATABASE_URL to an empty location, and create a new database " +
        "there with `nodal start` or `nodal migrate`. Nothing was changed.",
    );
  }
  const known = new Map(release.map((migration) => [migration.version, migration]));
  return applied.map(({ version, name, checksum }) => {
    const migration = known.get(version);
    if (!migration) {
      throw new MigrationError(
        `The database has migration ${name}, which this release does not know: use the newer release. Nothing was changed.`,
      );
    }
    if (migration.checksum !== checksum) {
      const files = name === SCHEMA_NAME ? "a file of schema/" : `migrations/${name}`;
      throw new MigrationError(
        `Migration ${name} differs from the one applied (${files} was changed since): use the release that created the ` +
          "database, or restore the release's files. Nothing was changed.",
      );
    }
    return migration;
  });
}
