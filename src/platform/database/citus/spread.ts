// Is a database distributed by Citus? There, statements that lock rows must name one bucket.
import { byBucket } from "../buckets.ts";

/** A pool; in contrast, a connection has a `release`. */
type Connects = { connect(): Promise<{ release(): void }> };

const spread = new WeakSet<object>();
/** The pools that were checked. */
const asked = new WeakSet<object>();

const optionsOf = new WeakMap<object, object>();

/** Remembers a connection's options, so that a similar one can be opened. */
export function rememberOptions(connection: object, options: object): void {
  optionsOf.set(connection, options);
}

/** The options of a connection's pool; `undefined` for anything else. */
export function recallOptions(connection: object): object | undefined {
  return optionsOf.get(connection);
}

/** Marks a connection whose database has Citus. */
export function markSpread(connection: object): void {
  spread.add(connection);
}

/**
 * Is a connection's database distributed by bucket? Known without a query, since each new connection is checked. For a
 * pool or a view, `leadsToSpread` must have been called before.
 */
export function isSpread(db: object): boolean {
  return spread.has(poolBeneath(db));
}

/** The pool beneath a view; anything else is returned itself. */
export function poolBeneath(db: object): object {
  return ("beneath" in db && (db.beneath as object | undefined)) || db;
}

/** The same for a pool, a view or a connection, with a query if needed. */
export async function leadsToSpread(db: object): Promise<boolean> {
  const pool = poolBeneath(db);
  if (asked.has(pool) || !("connect" in pool) || "release" in pool) return isSpread(pool);
  const connection = await (pool as Connects).connect();
  connection.release();
  if (isSpread(connection)) spread.add(pool);
  asked.add(pool);
  return isSpread(pool);
}

/** How a statement names the one bucket of its rows. */
export type BucketPin = {
  /** A condition for each table of the statement with a bucket, by its alias; empty if no bucket must be named. */
  readonly of: (alias: string) => string;
  /** The name of a prepared statement; none if its text contains a bucket. */
  readonly name: (name: string) => string | undefined;
};

const NO_PIN: BucketPin = { of: () => "", name: (name) => name };

/**
 * The pin for a statement about these items. In a distributed database, if all are of one bucket, each table names that
 * bucket, so that Citus passes the whole statement to its node. Otherwise nothing is added.
 */
export function pinTo(db: object, items: readonly { readonly bucket: number }[]): BucketPin {
  const bucket = items[0]?.bucket;
  if (bucket === undefined || !isSpread(db) || items.some((item) => item.bucket !== bucket)) return NO_PIN;
  return pinOf(bucket);
}

/** The same for a given bucket; `null` for none. */
export function pinOf(bucket: number | null): BucketPin {
  if (bucket === null) return NO_PIN;
  return { of: (alias) => ` and ${alias}.bucket = ${Number(bucket)}::smallint`, name: () => undefined };
}

/** Divides items for statements: by bucket in a distributed database, else all at once. */
export function inParts<T extends { readonly bucket: number }>(db: object, items: readonly T[]): (readonly T[])[] {
  return isSpread(db) ? byBucket(items).map(([, some]) => some) : [items];
}
