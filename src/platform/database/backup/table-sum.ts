// The sum of a table's rows as they pass by: how many, how many bytes, and their digest.
// What belongs here: adding up. The form of the sum is in frames.ts.
import { createHash } from "node:crypto";
import type { TableSum } from "./frames.ts";

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

  /** What was added. To be asked once. */
  sum(): TableSum {
    return { rows: this.#rows, bytes: this.#bytes, sha256: this.#hash.digest("hex") };
  }
}
