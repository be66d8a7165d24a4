// Work on rows of several merchants: all at once on one PostgreSQL, and on Citus once for each group of shards, at its
// node. So a node that is down doesn't block work on the others.
import type { LookUp } from "../../batcher.ts";
import { foundIn, settle, type Settled } from "../../settled.ts";
import { placeOf, searchPoolsOf, shardPoolsOf } from "./shard-pool.ts";
import { isConnectionLost, unavailable } from "../failure.ts";
import type { Connection, Pool, Queryable } from "../pool.ts";

type Placed = { readonly bucket: number };

/**
 * Runs `work` on items where their rows are: on all at once on one PostgreSQL, and on Citus in parallel for each group
 * of shards, at its node. A failing group does not affect the others. Without items nothing is run. @throws on one
 * PostgreSQL what `work` throws
 */
export async function tryInEachPart<T extends Placed, R>(
  pool: Pool,
  items: readonly T[],
  work: (pool: Pool, items: readonly T[]) => Promise<R>,
): Promise<Settled<R>> {
  if (items.length === 0) return { done: [], failure: null };
  const pools = await shardPoolsOf(pool);
  if (!pools) return { done: [await work(pool, items)], failure: null };
  return settle((await pools.divide(items)).map(([where, some]) => work(where, some)));
}

/** The same if all must succeed. @throws the first failure, when all have ended */
export async function inEachPart<T extends Placed, R>(
  pool: Pool,
  items: readonly T[],
  work: (pool: Pool, items: readonly T[]) => Promise<R>,
): Promise<R[]> {
  const { done, failure } = await tryInEachPart(pool, items, work);
  if (failure !== null) throw failure;
  return done;
}

/**
 * Reads within a transaction: over its connection, or on Citus once for each group of shards at its node. There it does
 * not see the transaction's own writes.
 */
export async function readInEachPart<T extends Placed, R>(
  pool: Pool,
  connection: Connection,
  items: readonly T[],
  read: (db: Queryable, items: readonly T[]) => Promise<readonly R[]>,
): Promise<R[]> {
  // The actor does not matter for reads.
  const server = pool.beneath ?? pool;
  if (!(await shardPoolsOf(server))) return [...(await read(connection, items))];
  return (await inEachPart(server, items, read)).flat();
}

/**
 * The same for work with a result for each item, in order. A failure for one group of shards is only an error for its items.
 */
export async function findInEachPart<T extends Placed, R>(
  pool: Pool,
  items: readonly T[],
  find: (pool: Pool, items: readonly T[]) => Promise<readonly R[]>,
): Promise<readonly (R | Error)[]> {
  const found = new Map<T, R | Error>();
  await inEachPart(pool, items, async (where, some) => {
    const answers = await find(where, some).catch((error: Error) => {
      if (where === pool) throw error;
      return some.map(() => (isConnectionLost(error) ? unavailable(error) : error));
    });
    some.forEach((item, index) => found.set(item, answers[index]!));
  });
  return items.map((item) => found.get(item)!);
}

/**
 * The same as a look-up that requests share. Each group of shards has separate lanes, so that a node that hangs doesn't
 * block the others.
 */
export function lookUpOnNodes<T extends Placed, R>(
  pool: Pool,
  find: (pool: Pool, items: readonly T[]) => Promise<readonly R[]>,
): LookUp<T, R> {
  return { lookUp: (items) => findInEachPart(pool, items, find), placeOf: placeOf(pool) };
}

/** A search among the rows of all merchants. */
export type Look = {
  readonly table: string;
  /** SQL with the names of the table's columns, at least as wide as the search's own condition. */
  readonly condition: string;
  /** The condition's parameters. */
  readonly values?: readonly unknown[];
  /** How many to find; `null` for all. */
  readonly limit: number | null;
};

/**
 * Searches rows of all merchants: at once on one PostgreSQL, and on Citus in parallel at the node of each shard with
 * any, in turns. `failure` is the error of a node that could not be searched. @throws on one PostgreSQL what `find`
 * throws
 */
export function searchNodes<R>(
  db: Queryable,
  look: Look,
  find: (db: Queryable, limit: number | null) => Promise<readonly R[]>,
): Promise<Settled<R>> {
  return atNodes(db, look, (part) => find(part, look.limit));
}

/**
 * The same for repeated searches, which find the rows of a node that is down later. @throws if nothing is found and a
 * node failed; also the error of a node that is up
 */
export async function findOnNodes<R>(
  db: Queryable,
  look: Look,
  find: (db: Queryable, limit: number | null) => Promise<readonly R[]>,
): Promise<R[]> {
  const found = await searchNodes(db, look, find);
  if (found.failure !== null && !isConnectionLost(found.failure)) throw found.failure;
  return foundIn(found);
}

/**
 * The same for a statement that claims the rows it finds: returns what was claimed, even if a node failed. The shards
 * share the limit.
 */
export async function takeOnNodes<R>(
  db: Queryable,
  look: Look & { readonly limit: number },
  take: (db: Queryable, limit: number) => Promise<readonly R[]>,
): Promise<R[]> {
  return foundIn(await atNodes(db, look, (part, share) => take(part, share ?? look.limit)));
}

type Run<P, R> = (part: P, share: number | null) => Promise<readonly R[]>;

async function atNodes<R>(db: Queryable, look: Look, run: Run<Queryable, R>): Promise<Settled<R>> {
  const { table, condition, values = [], limit } = look;
  const pools = await searchPoolsOf(db);
  if (!pools) return { done: [...(await run(db, limit))], failure: null };
  const parts = await pools.findParts(table, condition, values);
  const found = await takeTurns(parts.done, limit, run);
  return { done: found.done, failure: parts.failure ?? found.failure };
}

/**
 * Searches several parts, in a different order each time, until enough is found or all were searched once. `run` gets
 * the part's share of the missing number. The result has the first of each part, then the second of each.
 */
export async function takeTurns<P, R>(parts: readonly P[], limit: number | null, run: Run<P, R>): Promise<Settled<R>> {
  const waiting = shuffled(parts);
  let done: R[] = [];
  let failure: Error | null = null;
  while (waiting.length > 0 && (limit === null || done.length < limit)) {
    const room = limit === null ? null : limit - done.length;
    const asked = waiting.splice(0, room ?? waiting.length);
    const share = room === null ? null : Math.floor(room / asked.length);
    const looked = await settle(asked.map((part) => run(part, share)));
    done = [...done, ...byTurns(looked.done)];
    failure ??= looked.failure;
  }
  return { done: done.slice(0, limit ?? undefined), failure };
}

function shuffled<T>(items: readonly T[]): T[] {
  const drawn = items.map((item) => ({ item, place: Math.random() }));
  return drawn.toSorted((one, other) => one.place - other.place).map(({ item }) => item);
}

/** The first of each list, then the second of each. */
export function byTurns<T>(lists: readonly (readonly T[])[]): T[] {
  const found: T[] = [];
  for (let turn = 0, left = lists; left.length > 0; turn += 1) {
    left = left.filter(({ length }) => length > turn);
    for (const list of left) found.push(list[turn]!);
  }
  return found;
}
