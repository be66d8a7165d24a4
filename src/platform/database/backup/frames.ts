// The content of a backup: one table after the other, then the manifest. Each consists of frames with a type, a length
// and bytes. Databases are read and written in write- and restore-backup.ts.
import type { AppliedMigration } from "../migrate.ts";
import { damaged } from "./seal.ts";
import { ByteReader } from "./chunks.ts";
import { createHash } from "node:crypto";

/** A table's name, and its columns in the order of its rows' values. */
export type TableHead = { readonly schema: string; readonly name: string; readonly columns: readonly string[] };

/** Count, size and digest of a table's rows in PostgreSQL's COPY text format. */
export type TableSum = { readonly rows: number; readonly bytes: number; readonly sha256: string };

/** The content of a backup. It is written last, when all is known. */
export type Manifest = {
  readonly taken_at: string;
  readonly postgresql_version: string;
  readonly migrations: readonly AppliedMigration[];
  readonly tables: readonly (TableHead & TableSum)[];
  /** The last value of each sequence after the tables were read, in digits. */
  readonly sequences: readonly { readonly schema: string; readonly name: string; readonly last_value: string }[];
};

/** The start of a table; rows of the current table; the end of the backup. */
export type Frame =
  | { readonly type: "table"; readonly table: TableHead }
  | { readonly type: "rows"; readonly bytes: Buffer }
  | { readonly type: "manifest"; readonly manifest: Manifest };

const TYPES = ["table", "rows", "manifest"] as const;
const HEAD_BYTES = 5;
/** The longest valid frame: rows are written in pieces, and a manifest has a line for each table. */
const MAX_FRAME_BYTES = 64 * 1024 * 1024;

/** A frame as bytes. */
export function encodeFrame(frame: Frame): Buffer {
  const bytes = frame.type === "rows" ? frame.bytes : Buffer.from(JSON.stringify(contentOf(frame)));
  const head = Buffer.alloc(HEAD_BYTES);
  head[0] = TYPES.indexOf(frame.type);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

function contentOf(frame: Exclude<Frame, { type: "rows" }>): TableHead | Manifest {
  return frame.type === "table" ? frame.table : frame.manifest;
}

/** The frames of a stream of bytes, whose seals were already checked. */
export async function* decodeFrames(source: AsyncIterable<Buffer>): AsyncGenerator<Frame> {
  const reader = new ByteReader(source);
  for (;;) {
    const head = await reader.take(HEAD_BYTES);
    if (head.length === 0) return;
    const type = TYPES[head[0]!];
    const length = head.length < HEAD_BYTES ? 0 : head.readUInt32BE(1);
    if (head.length < HEAD_BYTES || type === undefined || length > MAX_FRAME_BYTES) throw damaged("it does not add up");
    const bytes = await reader.take(length);
    if (bytes.length < length) throw damaged("it does not add up");
    if (type === "rows") yield { type, bytes };
    else if (type === "table") yield { type, table: JSON.parse(bytes.toString()) as TableHead };
    else yield { type, manifest: JSON.parse(bytes.toString()) as Manifest };
  }
}

const LINE_END = 0x0a;

/** Adds up rows in PostgreSQL's text format of COPY, where a line end inside a value is escaped: a line is a row. */
export class TableSummer {
  readonly #hash = createHash("sha256");
  #rows = 0;
  #bytes = 0;

  add(bytes: Buffer): void {
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
    for (let at = bytes.indexOf(LINE_END); at >= 0; at = bytes.indexOf(LINE_END, at + 1)) this.#rows += 1;
  }

  /** The sum. Call it once. */
  sum(): TableSum {
    return { rows: this.#rows, bytes: this.#bytes, sha256: this.#hash.digest("hex") };
  }
}
