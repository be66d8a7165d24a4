// All generic SQL for tables with encrypted columns: rows to re-encrypt, and rows to check. Names of tables and columns
// come from our source.
import type { Connection, Queryable } from "../database/pool.ts";
import { BUCKETS } from "../database/buckets.ts";
import { leadsToSpread } from "../database/citus/index.ts";
import type { SecretRow, SecretTable } from "./secret-table.ts";

/** The owner of rows: the first two columns of the key. */
export type Owner = readonly [number, bigint];

/** A `like` pattern for values that are already under the right data key. */
export type Pattern = `enc1:${number}:%`;

/** The condition for rows with a value that does not match the pattern parameter. */
function isStale(table: SecretTable, parameter: string): string {
  const stale = table.columns.map((column) => `(${column} <> '' and ${column} not like ${parameter})`);
  return `${hasSecrets(table)} and (${stale.join(" or ")})`;
}

/** The condition for rows that have encrypted values. */
function hasSecrets({ where }: SecretTable): string {
  return where ?? "true";
}

function keyOf({ key }: SecretTable): string[] {
  return Object.keys(key);
}

/** The columns that encrypting or checking a row needs. */
function columnsOf(table: SecretTable): string[] {
  const ofIndexes = table.indexes.flatMap((index) => [index.column, ...index.of]);
  const beside = Object.values(table.beside ?? {}).flat();
  return [...new Set([...keyOf(table), ...table.columns, ...ofIndexes, ...beside])];
}

/** The driver would write an instant as quoted JSON. */
function toParameter(value: unknown): unknown {
  return value instanceof Temporal.Instant ? value.toString() : value;
}

/**
 * Locks and returns a page of one bucket's rows with a value that does not match the pattern, in key order, after the
 * given key. It skips rows that others are changing; the next pass finds them.
 */
export async function lockStaleRows(
  connection: Connection,
  table: SecretTable,
  page: {
    readonly bucket: number;
    readonly pattern: Pattern;
    readonly after: SecretRow | null;
    readonly limit: number;
  },
): Promise<SecretRow[]> {
  const key = keyOf(table);
  const [bucketColumn] = key;
  const after = page.after;
  const afterKey = after ? `and (${key.join(", ")}) > (${key.map((_, index) => `$${index + 4}`).join(", ")})` : "";
  const { rows } = await connection.query<SecretRow>(
    `select ${columnsOf(table).join(", ")} from ${table.table}
     where ${bucketColumn} = $1 ${afterKey} and ${isStale(table, "$2")}
     order by ${key.join(", ")} limit $3 for no key update skip locked`,
    [page.bucket, page.pattern, page.limit, ...(after ? key.map((column) => toParameter(after[column])) : [])],
  );
  return rows;
}

/** Writes encrypted columns and indexes of rows that the transaction has locked. */
export async function writeSecretRows(
  connection: Connection,
  table: SecretTable,
  rows: readonly { readonly row: SecretRow; readonly sealed: SecretRow }[],
): Promise<void> {
  const key = Object.entries(table.key);
  const columns = [
    ...table.columns.map((column) => [column, "text"] as const),
    ...table.indexes.map(({ column }) => [column, "bytea"] as const),
  ];
  const arrays = [...key, ...columns].map(([, type], index) => `$${index + 1}::${type}[]`);
  const names = [...key, ...columns].map(([name]) => name);
  await connection.query(
    `update ${table.table} as stored
     set ${columns.map(([name]) => `${name} = sealed.${name}`).join(", ")}
     from unnest(${arrays.join(", ")}) as sealed (${names.join(", ")})
     where ${key.map(([name]) => `stored.${name} = sealed.${name}`).join(" and ")}`,
    [
      ...key.map(([name]) => rows.map(({ row }) => toParameter(row[name]))),
      ...columns.map(([name]) => rows.map(({ sealed }) => sealed[name])),
    ],
  );
}

/** The number of rows with a value that does not match the pattern. */
export async function countStaleRows(db: Queryable, table: SecretTable, pattern: Pattern): Promise<bigint> {
  const { rows } = await db.query<{ count: bigint }>(
    `select count(*) as count from ${table.table} where ${isStale(table, "$1")}`,
    [pattern],
  );
  return rows[0]!.count;
}

/** A page of rows in the order of their key, after the given one, of one owner or of all. */
export async function listSecretRows(
  db: Queryable,
  table: SecretTable,
  owner: Owner | null,
  { after, limit }: { readonly after: SecretRow | null; readonly limit: number },
): Promise<SecretRow[]> {
  const key = keyOf(table);
  const values: unknown[] = [limit];
  const parameterOf = (value: unknown): string => `$${values.push(toParameter(value))}`;
  const conditions = [hasSecrets(table)];
  if (owner) conditions.push(`${key[0]} = ${parameterOf(owner[0])} and ${key[1]} = ${parameterOf(owner[1])}`);
  if (after) conditions.push(`(${key.join(", ")}) > (${key.map((column) => parameterOf(after[column])).join(", ")})`);
  const { rows } = await db.query<SecretRow>(
    `select ${columnsOf(table).join(", ")} from ${table.table}
     where ${conditions.join(" and ")} order by ${key.join(", ")} limit $1`,
    values,
  );
  return rows;
}

/** The latest rows of an owner, or of every bucket: a bounded number, spread over the table. */
export async function listLatestSecretRows(
  db: Queryable,
  table: SecretTable,
  owner: Owner | null,
  limitOfBucket: number,
): Promise<SecretRow[]> {
  const key = keyOf(table);
  const backwards = key.map((column) => `${column} desc`).join(", ");
  const buckets = owner ? [owner[0]] : Array.from({ length: BUCKETS }, (_, bucket) => bucket);
  if (await leadsToSpread(db)) {
    const latest: SecretRow[] = [];
    for (const bucket of buckets) {
      const { rows } = await db.query<SecretRow>(
        `select ${columnsOf(table).join(", ")} from ${table.table}
         where ${key[0]} = $1 and ($3::bigint is null or ${key[1]} = $3) and ${hasSecrets(table)}
         order by ${backwards} limit $2`,
        [bucket, limitOfBucket, owner?.[1] ?? null],
      );
      latest.push(...rows);
    }
    return latest;
  }
  const { rows } = await db.query<SecretRow>(
    `select latest.*
     from unnest($1::smallint[]) as wanted
     cross join lateral (
       select ${columnsOf(table).join(", ")} from ${table.table}
       where ${key[0]} = wanted and ($3::bigint is null or ${key[1]} = $3) and ${hasSecrets(table)}
       order by ${backwards} limit $2
     ) as latest`,
    [buckets, limitOfBucket, owner?.[1] ?? null],
  );
  return rows;
}
