// Migrations: the numbered SQL files of migrations/, each applied once, in order, in a transaction of its own.
// What belongs here: applying them and telling which are missing.
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { inTransaction, type Pool } from "./pool.ts";

const MIGRATIONS_FOLDER = new URL("../../../migrations/", import.meta.url);

type Migration = { readonly version: number; readonly name: string; readonly sql: string; readonly checksum: string };

async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(MIGRATIONS_FOLDER)).filter((name) => /^[0-9]{4}_.+\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(new URL(name, MIGRATIONS_FOLDER), "utf8");
      return { version: Number(name.slice(0, 4)), name, sql, checksum: createHash("sha256").update(sql).digest("hex") };
    }),
  );
}

/**
 * Brings the database to the newest schema and answers the names of the migrations that it applied. The pool's user
 * must own the database. Several processes may call it at once: one applies, the others wait.
 * @throws Error when an applied migration is not the one of this release, or is from a newer one.
 */
export async function migrate(pool: Pool): Promise<string[]> {
  const migrations = await readMigrations();
  return inTransaction(pool, async (connection) => {
    await connection.query("select pg_advisory_xact_lock(hashtext('nodal migrations'))");
    await connection.query(`
      create table if not exists schema_migration (
        version integer primary key, name text not null, checksum text not null,
        applied_at timestamptz not null default now())`);
    const { rows } = await connection.query<{ version: number; name: string; checksum: string }>(
      "select version, name, checksum from schema_migration order by version",
    );
    const known = new Map(migrations.map((migration) => [migration.version, migration]));
    for (const applied of rows) {
      const migration = known.get(applied.version);
      if (!migration) {
        throw new Error(
          `The database has migration ${applied.name}, which this release does not know: start the newer release.`,
        );
      }
      if (migration.checksum !== applied.checksum) {
        throw new Error(`Migration ${applied.name} was changed after it was applied: restore the file of the release.`);
      }
    }
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
  });
}
