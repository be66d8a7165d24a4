// Migrations: the numbered SQL files of migrations/, each applied once, in order, in a transaction of its own.
// What belongs here: applying them and telling which are missing.
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { inTransaction, type Connection, type Pool } from "./pool.ts";

const MIGRATIONS_FOLDER = new URL("../../../migrations/", import.meta.url);

/** A migration as it is recorded in the database that it was applied to. */
export type AppliedMigration = { readonly version: number; readonly name: string; readonly checksum: string };
export type Migration = AppliedMigration & { readonly sql: string };

/** The database and this release don't fit together. The message says what to do. */
export class MigrationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "MigrationError";
  }
}

/** The migrations of this release, in order; of another one where its folder is given. */
export async function readMigrations(folder: URL = MIGRATIONS_FOLDER): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^[0-9]{4}_.+\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(new URL(name, folder), "utf8");
      return { version: Number(name.slice(0, 4)), name, sql, checksum: createHash("sha256").update(sql).digest("hex") };
    }),
  );
}

/**
 * Brings the database to the newest schema and answers the names of the migrations that it applied: all that were
 * missing, or none. The pool's user must own the database. Several processes may call it at once: one applies, the
 * others wait.
 * @throws MigrationError when an applied migration is not the one of this release, or is from a newer one.
 */
export async function migrate(pool: Pool, folder: URL = MIGRATIONS_FOLDER): Promise<string[]> {
  const migrations = await readMigrations(folder);
  return inTransaction(pool, async (connection) => {
    await lockMigrations(connection);
    return applyMigrations(connection, migrations);
  });
}

/** Waits until nobody migrates this database, and keeps others from it until the transaction ends. */
export async function lockMigrations(connection: Connection): Promise<void> {
  await connection.query("select pg_advisory_xact_lock(hashtext('nodal migrations'))");
}

/**
 * Applies those of the migrations that the database has not had, in the caller's transaction, which has called
 * `lockMigrations`. Answers their names.
 * @throws MigrationError as `migrate`
 */
export async function applyMigrations(connection: Connection, migrations: readonly Migration[]): Promise<string[]> {
  await connection.query(`
    create table if not exists schema_migration (
      version integer primary key, name text not null, checksum text not null,
      applied_at timestamptz not null default now())`);
  const { rows } = await connection.query<AppliedMigration>(
    "select version, name, checksum from schema_migration order by version",
  );
  releaseMigrations(migrations, rows);
  const missing = migrations.filter(({ version }) => !rows.some((applied) => applied.version === version));
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

/**
 * The migrations of a release that were applied somewhere.
 * @throws MigrationError where one is not the release's, or from a newer one
 */
export function releaseMigrations(release: readonly Migration[], applied: readonly AppliedMigration[]): Migration[] {
  const known = new Map(release.map((migration) => [migration.version, migration]));
  return applied.map(({ version, name, checksum }) => {
    const migration = known.get(version);
    if (!migration) {
      throw new MigrationError(
        `The database has migration ${name}, which this release does not know: use the newer release.`,
      );
    }
    if (migration.checksum !== checksum) {
      throw new MigrationError(`Migration ${name} was changed after it was applied: restore the file of the release.`);
    }
    return migration;
  });
}
