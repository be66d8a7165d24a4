// Reads a backup: it is checked completely first, then read table by table. restore-backup.ts loads it.
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { createZstdDecompress } from "node:zlib";
import { BackupError, damaged } from "./seal.ts";
import { openChunks } from "./chunks.ts";
import { decodeFrames, type Frame, type Manifest, type TableHead, TableSummer } from "./frames.ts";

const READ_BYTES = 256 * 1024;

/** A table of a backup, with its rows in COPY's format. */
export type BackupTable = { readonly table: TableHead; readonly rows: AsyncGenerator<Buffer> };

/** A backup that was checked completely. */
export type Backup = {
  readonly manifest: Manifest;
  /** Reads it again, table by table: the rows of each must be taken before the next is asked for. */
  readTables(): AsyncGenerator<BackupTable>;
};

/**
 * Opens a backup: reads all of it, and checks every chunk, every table's digest, and that its end is there.
 * @throws BackupError for a file that is no backup, is damaged or of a newer format, or that the passphrase does not
 * open; the system's error for a file that can't be read
 */
export async function openBackup(file: string, passphrase: string | null): Promise<Backup> {
  const manifest = await check(readFrames(file, passphrase));
  return { manifest, readTables: () => groupByTable(readFrames(file, passphrase), manifest) };
}

async function* readFrames(file: string, passphrase: string | null): AsyncGenerator<Frame> {
  const bytes = pipeline(
    createReadStream(file, { highWaterMark: READ_BYTES }),
    (source) => openChunks(source, passphrase),
    createZstdDecompress(),
    // The error reaches the reader.
    () => {},
  );
  try {
    yield* decodeFrames(bytes);
  } catch (error) {
    if (/^(Z_|ZSTD_|ERR_ZSTD)/.test((error as NodeJS.ErrnoException).code ?? ""))
      throw damaged("it does not unpack", error);
    throw error;
  }
}

/** Reads all frames. Returns the manifest after comparing it with them. */
async function check(frames: AsyncGenerator<Frame>): Promise<Manifest> {
  const found: string[] = [];
  let sum: TableSummer | null = null;
  let head: TableHead | null = null;
  let manifest: Manifest | null = null;
  const close = (): void => {
    if (head && sum) found.push(JSON.stringify({ ...head, ...sum.sum() }));
  };
  for await (const frame of frames) {
    if (manifest) throw damaged("there is something after its manifest");
    if (frame.type === "rows") {
      if (!sum) throw damaged("it does not add up");
      sum.add(frame.bytes);
      continue;
    }
    close();
    sum = frame.type === "table" ? new TableSummer() : null;
    head = frame.type === "table" ? frame.table : null;
    if (frame.type === "manifest") manifest = frame.manifest;
  }
  if (!manifest) throw damaged("its manifest is missing");
  const expected = manifest.tables.map(({ schema, name, columns, rows, bytes, sha256 }) =>
    JSON.stringify({ schema, name, columns, rows, bytes, sha256 }),
  );
  const wrong = expected.findIndex((table, index) => table !== found[index]);
  if (wrong >= 0) throw damaged(`the rows of ${manifest.tables[wrong]!.name} are not those of its manifest`);
  if (found.length !== expected.length) throw damaged("it has tables that its manifest does not name");
  return manifest;
}

/** The tables of a checked file, which must not have changed since. */
async function* groupByTable(frames: AsyncGenerator<Frame>, manifest: Manifest): AsyncGenerator<BackupTable> {
  let next = await frames.next();
  for (const expected of manifest.tables) {
    const changed = new BackupError("The backup file changed while it was read: nothing was restored.");
    if (next.done || next.value.type !== "table") throw changed;
    const { table } = next.value;
    const sum = new TableSummer();
    async function* rows(): AsyncGenerator<Buffer> {
      for (next = await frames.next(); !next.done && next.value.type === "rows"; next = await frames.next()) {
        sum.add(next.value.bytes);
        yield next.value.bytes;
      }
    }
    yield { table, rows: rows() };
    if (sum.sum().sha256 !== expected.sha256) throw changed;
  }
}
