// Tables with encrypted columns: the facts needed to encrypt, re-encrypt and check them.
import type { RowPath, Secrets } from "./secrets.ts";

/** An index hash for exact look-ups of encrypted values. */
export type IndexColumn = {
  readonly column: string;
  readonly of: readonly string[];
  /** Normalizes values for comparison; by default unchanged. */
  readonly compared?: (value: string | null) => string | null;
};

export type SecretTable = {
  readonly table: string;
  /** The columns of the primary key with their types, in order. The first two are the row's owner. */
  readonly key: Readonly<Record<string, "smallint" | "bigint" | "timestamptz" | "bytea">>;
  /**
   * The columns that form the row's path, in order. They belong to the key, and start with its first two.
   */
  readonly path: readonly string[];
  /** The encrypted columns: text. */
  readonly columns: readonly string[];
  readonly indexes: readonly IndexColumn[];
  /** The columns that each encrypted column is bound to: text, or bytes in hexadecimal. */
  readonly beside?: Readonly<Record<string, readonly string[]>>;
  /** The condition for rows with encrypted values, which an index supports; by default all rows. */
  readonly where?: string;
};

/** A database row: key, encrypted columns, index hashes and the columns these are made of. */
export type SecretRow = Readonly<Record<string, unknown>>;

/** The path of a row, to which its encrypted values are bound. */
export function pathOf(table: SecretTable, row: SecretRow): RowPath {
  return table.path.map((column) => row[column]) as unknown as RowPath;
}

/** The columns of a row to write: encrypted under the key in use, with index hashes. */
export function resealRow(
  secrets: Secrets,
  table: SecretTable,
  row: SecretRow,
): Record<string, string | Buffer | null> {
  const path = pathOf(table, row);
  const plain = openRow(secrets, table, row);
  const sealed: Record<string, string | Buffer | null> = {};
  for (const column of table.columns) {
    const place = placeOf(table, column);
    sealed[column] = secrets.seal(place, path, plain[column]!, besideOf(table, column, row));
  }
  for (const index of table.indexes) sealed[index.column] = indexOf(secrets, table, row, plain, index);
  return sealed;
}

/** The fault of a row; `null` if every value can be decrypted, and every index hash is right. */
export function findFault(secrets: Secrets, table: SecretTable, row: SecretRow): string | null {
  const path = pathOf(table, row);
  const plain: Record<string, string | null> = {};
  for (const column of table.columns) {
    try {
      const beside = besideOf(table, column, row);
      plain[column] = secrets.unseal(placeOf(table, column), path, row[column] as string | null, beside);
    } catch (error) {
      return `${column}: ${(error as Error).message}`;
    }
  }
  for (const index of table.indexes) {
    const expected = indexOf(secrets, table, row, plain, index);
    const found = row[index.column] as Buffer | null;
    if (expected === null ? found !== null : !found || !expected.equals(found)) {
      return `${index.column} is not the index of ${index.of.join(" and ")}`;
    }
  }
  return null;
}

function openRow(secrets: Secrets, table: SecretTable, row: SecretRow): Record<string, string | null> {
  const path = pathOf(table, row);
  const entries = table.columns.map((column) => {
    const beside = besideOf(table, column, row);
    return [column, secrets.unseal(placeOf(table, column), path, row[column] as string | null, beside)];
  });
  return Object.fromEntries(entries) as Record<string, string | null>;
}

function indexOf(
  secrets: Secrets,
  table: SecretTable,
  row: SecretRow,
  plain: Readonly<Record<string, string | null>>,
  index: IndexColumn,
): Buffer | null {
  const values = index.of.map((column) => (column in plain ? plain[column]! : (row[column] as string | null)));
  const { compared = (value) => value } = index;
  return secrets.blindIndex(placeOf(table, index.column), pathOf(table, row), values.map(compared));
}

/** The values that a column's value is bound to. */
function besideOf({ beside }: SecretTable, column: string, row: SecretRow): string[] {
  return (beside?.[column] ?? []).map((other) => {
    const value = row[other];
    return value instanceof Uint8Array ? Buffer.from(value).toString("hex") : ((value ?? "") as string);
  });
}

function placeOf({ table }: SecretTable, column: string): string {
  return `${table}.${column}`;
}
