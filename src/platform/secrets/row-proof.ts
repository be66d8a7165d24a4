// Proof that the server wrote a row that decides about money or rights: a keyed hash, checked each time the row is
// used. So changing a row with SQL, even for a few seconds, has no effect: docs/audit.md.
import { isSame } from "../bytes.ts";
import { NodalError } from "../errors.ts";
import type { Secrets } from "./secrets.ts";

/** A value that a proof covers. Arrays count in their order. */
export type ProvedValue = bigint | number | boolean | string | null | readonly string[];

/** Half of the hash is enough. */
const PROOF_BYTES = 16;

/** The proof of a table's rows. */
export class RowProof<Row> {
  readonly #table: string;
  readonly #keyOf: (row: Row) => readonly ProvedValue[];
  readonly #termsOf: (row: Row) => readonly ProvedValue[];

  /**
   * @param keyOf the row's primary key
   * @param termsOf everything in the row that decides about money or rights, always in the same order
   */
  constructor(
    table: string,
    keyOf: (row: Row) => readonly ProvedValue[],
    termsOf: (row: Row) => readonly ProvedValue[],
  ) {
    this.#table = table;
    this.#keyOf = keyOf;
    this.#termsOf = termsOf;
  }

  /** The proof of a row, for the statement that writes the row. */
  of(secrets: Secrets, row: Row): Buffer {
    const values = [...this.#keyOf(row), ...this.#termsOf(row)].map(textOf);
    return secrets.mac(`${this.#table}.proof`, values).subarray(0, PROOF_BYTES);
  }

  /** Did the server write this row? If not, it is logged. */
  fits(secrets: Secrets, row: Row, proof: Uint8Array | null): boolean {
    const fits = proof !== null && isSame(Buffer.from(proof), this.of(secrets, row));
    if (!fits) secrets.onChangedRow(this.#table, this.#keyOf(row).join("/"));
    return fits;
  }

  /**
   * The proof to write when a row changes; `undefined` keeps the old one. Only a row with a valid proof gets a new one,
   * so that a real change never proves a change by SQL. The old proof is valid again once the row is restored.
   */
  renewed(secrets: Secrets, before: Row, proof: Uint8Array | null, after: Row): Buffer | undefined {
    return this.fits(secrets, before, proof) ? this.of(secrets, after) : undefined;
  }
}

/** Values of different types, and null, never have the same text. */
function textOf(value: ProvedValue): string {
  return value === null ? "" : `${typeof value} ${Array.isArray(value) ? JSON.stringify(value) : String(value)}`;
}

/** The refusal to act on a row that was changed with SQL. `what` names the row for people: `This user`. */
export function changedWithSql(what: string): NodalError {
  return new NodalError(
    "access_denied",
    `${what} was changed in the database, not by Nodal, so it can't be used: ask the operator to run \`nodal verify\` and to put the row back as it was.`,
  );
}
