// Makes a backup: a snapshot of the whole database, streamed into one file while others continue to write.
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { lstat, open, rename, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createZstdCompress } from "node:zlib";
import { to as copyTo } from "pg-copy-streams";
import { isDistributed } from "../citus/index.ts";
import { listAppliedMigrations } from "../migrate.ts";
import type { Connection, Pool } from "../pool.ts";
import { BackupError, createSeal } from "./seal.ts";
import {
  listSequences,
  listTables,
  quote,
  quoteColumns,
  readServerVersion,
  inStreamingTransaction,
} from "./catalog.ts";
import { sealChunks } from "./chunks.ts";
import { encodeFrame, type Manifest, type TableHead, type TableSum, TableSummer } from "./frames.ts";

const SNAPSHOT = "begin isolation level repeatable read read only";
/** Rows are passed on in pieces of this size, whatever the size of a row. */
const PIECE_BYTES = 128 * 1024;

export type BackupOptions = {
  /** The file to write: it must not exist. */
  readonly file: string;
  /** Encrypts the backup; `null` leaves it readable by anybody who has the file. */
  readonly passphrase: string | null;
};

/** The written backup. */
export type WrittenBackup = { readonly manifest: Manifest; readonly file: string; readonly bytes: number };

/**
 * Writes the database, as it is at one moment, to a file of mode 0600. The pool's user must own the database. Memory
 * does not grow with the tables. The file gets its name only once it is complete and on disk.
 * @throws BackupError if the file exists, or the database is not Nodal's, uses Citus, or was migrated meanwhile; system
 * errors of the file, and the driver's errors
 */
export async function writeBackup(pool: Pool, options: BackupOptions): Promise<WrittenBackup> {
  const file = resolve(options.file);
  if (await lstat(file).catch(() => null)) {
    throw new BackupError(`${file} already exists: give a new file name, as a backup is never overwritten.`);
  }
  if (await isDistributed(pool)) {
    throw new BackupError(
      "This database is distributed over Citus nodes, so no consistent copy can be read from it: back up " +
        "each node's files instead, with restore points from `citus_create_restore_point` (docs/backups.md#citus).",
    );
  }
  const seal = await createSeal(options.passphrase);
  let manifest: Manifest | null = null;
  const bytes = await writeWhole(file, async (draft) => {
    await inStreamingTransaction(pool, SNAPSHOT, async (connection) => {
      const frames = readDatabase(connection, (read) => (manifest = read));
      await pipeline(Readable.from(frames), createZstdCompress(), (source) => sealChunks(source, seal), draft);
    });
    await checkStillCurrent(pool, manifest!);
  });
  return { manifest: manifest!, file, bytes };
}

/** Everything in the database, as frames. Calls `tell` with the manifest once it is known. */
async function* readDatabase(connection: Connection, tell: (manifest: Manifest) => void): AsyncGenerator<Buffer> {
  const takenAt = Temporal.Now.instant();
  // The first statement takes the snapshot.
  const migrations = await listAppliedMigrations(connection);
  if (migrations.length === 0) throw new BackupError("There is nothing to back up: this database has no Nodal tables.");
  const tables: (TableHead & TableSum)[] = [];
  for (const table of await listTables(connection)) {
    yield encodeFrame({ type: "table", table });
    const sum = new TableSummer();
    for await (const bytes of readRows(connection, table)) {
      sum.add(bytes);
      yield encodeFrame({ type: "rows", bytes });
    }
    tables.push({ ...table, ...sum.sum() });
  }
  const manifest = {
    taken_at: takenAt.toString({ smallestUnit: "millisecond" }),
    postgresql_version: await readServerVersion(connection),
    migrations,
    tables,
    // Read last, so that no sequence is behind a value used in a row.
    sequences: await listSequences(connection),
  };
  tell(manifest);
  yield encodeFrame({ type: "manifest", manifest });
}

/** A table's rows in the text format, which all versions of PostgreSQL read, in pieces of equal size. */
async function* readRows(connection: Connection, table: TableHead): AsyncGenerator<Buffer> {
  // A query, since COPY itself does not read the partitions of a table.
  const rows = connection.query(
    copyTo(`copy (select ${quoteColumns(table.columns)} from ${quote(table)}) to stdout with (encoding 'UTF8')`),
  );
  let pieces: Buffer[] = [];
  let held = 0;
  for await (const piece of rows as AsyncIterable<Buffer>) {
    pieces.push(piece);
    held += piece.length;
    if (held < PIECE_BYTES) continue;
    yield Buffer.concat(pieces, held);
    pieces = [];
    held = 0;
  }
  if (held > 0) yield Buffer.concat(pieces, held);
}

/** A migration may rewrite tables under the snapshot, which then shows them empty. */
async function checkStillCurrent(pool: Pool, manifest: Manifest): Promise<void> {
  const now = await listAppliedMigrations(pool);
  if (now.length !== manifest.migrations.length) {
    throw new BackupError("The database was migrated while it was read: run the backup again.");
  }
}

/** Writes a file under a temporary name first. Returns its size. An interruption leaves no file behind. */
async function writeWhole(file: string, write: (draft: NodeJS.WritableStream) => Promise<void>): Promise<number> {
  const draft = join(dirname(file), `.${basename(file)}.${randomBytes(4).toString("hex")}.partial`);
  const remove = (): void => rmSync(draft, { force: true });
  // Interrupting the command ends the process without returning here.
  process.on("exit", remove);
  try {
    // Opened before reading, so that a folder without write access is reported at once.
    const handle = await open(draft, "wx", 0o600);
    // `flush`: on the disk before it is closed, and so before it has its name.
    const stream = handle.createWriteStream({ flush: true });
    try {
      await write(stream);
    } finally {
      stream.destroy();
    }
    const { size } = await stat(draft);
    await rename(draft, file);
    await syncFolder(dirname(file));
    return size;
  } catch (error) {
    remove();
    const failure = error as NodeJS.ErrnoException;
    // The caller does not know the draft's name.
    if (failure.path === draft) failure.path = file;
    throw error;
  } finally {
    process.off("exit", remove);
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
