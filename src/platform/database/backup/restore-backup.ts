// Restores a backup into an empty database: schema, rows, sequences and newer migrations in one transaction.
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { from as copyFrom } from "pg-copy-streams";
import { applyMigrations, lockMigrations, readMigrations, releaseMigrations } from "../migrate.ts";
import type { Connection, Pool } from "../pool.ts";
import { BackupError } from "./seal.ts";
import { analyze, findOccupant, listTables, quote, quoteColumns, inStreamingTransaction } from "./catalog.ts";
import type { Backup, BackupTable } from "./read-backup.ts";

/**
 * How far sequences are advanced. The original installation may have used further values after the backup, and a bank
 * remembers the transfers with these ids forever, so a restored installation must not reuse them. In blocks of a
 * thousand ids, this is more than a year of 30,000 ids a second, and leaves room for nine thousand restores in a row.
 */
const SEQUENCE_GAP = 1_000_000_000n;

export type RestoredBackup = {
  readonly rows: number;
  /** The names of the migrations that came after the backup. */
  readonly migrated: readonly string[];
  /** Tables of the backup that no migration creates, and that were therefore left out. */
  readonly skippedTables: readonly string[];
};

/**
 * Checks that this release can restore the backup, before a database is created. @throws MigrationError if the backup
 * has migrations that are unknown to this release, or differ
 */
export async function checkRestorable(backup: Backup): Promise<void> {
  releaseMigrations(await readMigrations(), backup.manifest.migrations);
}

/**
 * Loads a backup into an empty database. The pool's user must own it. `settle` runs at the end of the transaction, on
 * the newest schema, to reset what must not continue unchanged. `later` is as in `readMigrations`.
 * @throws BackupError if the database is not empty or the backup does not fit; MigrationError as `checkRestorable`; the
 * driver's errors. The database is then unchanged.
 */
export async function restoreBackup(
  pool: Pool,
  backup: Backup,
  settle: (connection: Connection) => Promise<void>,
  later?: URL,
): Promise<RestoredBackup> {
  const release = await readMigrations(later);
  const { manifest } = backup;
  const restored = await inStreamingTransaction(pool, "begin", async (connection) => {
    // A server that starts now waits, and then finds the restored database.
    await lockMigrations(connection);
    await checkEmpty(connection);
    await applyMigrations(connection, releaseMigrations(release, manifest.migrations));
    const skippedTables = await loadTables(connection, backup);
    await advanceSequences(connection, backup);
    const migrated = await applyMigrations(connection, release);
    await settle(connection);
    return { rows: manifest.tables.reduce((rows, table) => rows + table.rows, 0), migrated, skippedTables };
  });
  await analyze(pool, await listTables(pool));
  return restored;
}

async function checkEmpty(connection: Connection): Promise<void> {
  const occupant = await findOccupant(connection);
  if (occupant === null) return;
  throw new BackupError(
    `The database is not empty (it has ${occupant}). A backup can only be restored into an empty one: ` +
      "set DATA_DIR to a folder that does not exist yet, or DATABASE_URL to an empty database.",
  );
}

/** Fills the tables, with all constraints in force. Returns the names of those that no migration creates. */
async function loadTables(connection: Connection, backup: Backup): Promise<string[]> {
  const made = new Map((await listTables(connection)).map((table) => [quote(table), table]));
  const given = new Map(backup.manifest.tables.map((table) => [quote(table), table]));
  const missing = [...made.keys()].filter((name) => !given.has(name));
  if (missing.length > 0) throw new BackupError(`The backup lacks the table ${missing[0]}: use another backup.`);
  // Migrations add initial rows to new tables, which the backup has too.
  await connection.query(`truncate ${[...made.keys()].join(", ")}`);
  const skipped: string[] = [];
  for await (const part of backup.readTables()) {
    const name = quote(part.table);
    if (made.has(name)) {
      const rows = await loadRows(connection, part);
      if (rows !== given.get(name)!.rows)
        throw new BackupError(`${name} took ${rows} rows instead of all of the backup's.`);
    } else {
      skipped.push(`${part.table.schema}.${part.table.name}`);
      for await (const _ of part.rows);
    }
  }
  return skipped;
}

async function loadRows(connection: Connection, { table, rows }: BackupTable): Promise<number> {
  const target = connection.query(
    copyFrom(`copy ${quote(table)} (${quoteColumns(table.columns)}) from stdin with (encoding 'UTF8')`),
  );
  await pipeline(Readable.from(rows), target);
  return target.rowCount;
}

async function advanceSequences(connection: Connection, { manifest }: Backup): Promise<void> {
  for (const sequence of manifest.sequences) {
    const value = BigInt(sequence.last_value) + SEQUENCE_GAP;
    // Skips a sequence that no migration creates.
    await connection.query("select setval(to_regclass($1), $2) where to_regclass($1) is not null", [
      quote(sequence),
      value,
    ]);
  }
}
