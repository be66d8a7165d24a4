// Whether a database is distributed by Citus, where a statement that locks rows must name one bucket.
import { byBucket } from "../buckets.ts";

/** A pool, as far as it matters here; a connection has a `release` besides. */
type Connects = { connect(): Promise<{ release(): void }> };

const spread = new WeakSet<object>();
/** The pools that were looked at. */
const asked = new WeakSet<object>();

const optionsOf = new WeakMap<object, object>();

/** Remembers how a connection was made, so that another one like it can be. */
export function rememberOptions(connection: object, options: object): void {
  optionsOf.set(connection, options);
}

/** How a connection was made: the options of its pool; `undefined` of anything else. */
export function recallOptions(connection: object): object | undefined {
  return optionsOf.get(connection);
}

/** Remembers of a connection that its database has Citus. */
export function markSpread(connection: object): void {
  spread.add(connection);
}

/**
 * Whether a connection's database is spread by bucket. Known without asking, since each new connection is looked at; of a
 * pool, or of a view of one, once `leadsToSpread` has been asked.
 */
export function isSpread(db: object): boolean {
  return spread.has(poolBeneath(db));
}

/** The pool that a view leads to; anything else is itself. */
export function poolBeneath(db: object): object {
  return ("beneath" in db && (db.beneath as object | undefined)) || db;
}

/** The same of a pool, of a view of one, or of a connection. */
export async function leadsToSpread(db: object): Promise<boolean> {
  const pool = poolBeneath(db);
  if (asked.has(pool) || !("connect" in pool) || "release" in pool) return isSpread(pool);
  const connection = await (pool as Connects).connect();
  connection.release();
  if (isSpread(connection)) spread.add(pool);
  asked.add(pool);
  return isSpread(pool);
}

/** How statements say of which bucket all their rows are. */
export type BucketPin = {
  /** A condition for each table of the statement that has a bucket, by its alias; nothing where no bucket must be named. */
  readonly of: (alias: string) => string;
  /** The name of a prepared statement; none where a bucket stands in its text. */
  readonly name: (name: string) => string | undefined;
};

const NO_PIN: BucketPin = { of: () => "", name: (name) => name };

/**
 * For a statement about these items. Where the database is spread and all are of one bucket, each of its tables names that
 * bucket: then Citus hands the whole statement to the node that has it. Elsewhere nothing is added.
 */
export function pinTo(db: object, items: readonly { readonly bucket: number }[]): BucketPin {
  const bucket = items[0]?.bucket;
  if (bucket === undefined || !isSpread(db) || items.some((item) => item.bucket !== bucket)) return NO_PIN;
  return pinOf(bucket);
}

/** The same for a bucket that is to be named; `null` for none. */
export function pinOf(bucket: number | null): BucketPin {
  if (bucket === null) return NO_PIN;
  return { of: (alias) => ` and ${alias}.bucket = ${Number(bucket)}::smallint`, name: () => undefined };
}

/** The items as statements are to be about them: those of each bucket by themselves where the database is spread, else all at once. */
export function inParts<T extends { readonly bucket: number }>(db: object, items: readonly T[]): (readonly T[])[] {
  return isSpread(db) ? byBucket(items).map(([, some]) => some) : [items];
}
