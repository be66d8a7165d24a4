// Work on rows of several merchants: at once on one PostgreSQL, and on Citus once for each group of shards, at the node that has it, so
// that one that is away keeps nothing from being done elsewhere.
import type { LookUp } from "../../batcher.ts";
import { foundIn, settle, type Settled } from "../../settled.ts";
import { placeOf, searchPoolsOf, shardPoolsOf } from "./shard-pool.ts";
import { isConnectionLost, unavailable } from "../failure.ts";
import type { Connection, Pool, Queryable } from "../pool.ts";

type Placed = { readonly bucket: number };

/**
 * Runs `work` on items where their rows are: on all at once on one PostgreSQL, and on Citus, side by side, on those of each group
 * of shards at its node. A group for which it fails keeps no other from being done. Without items nothing is run. @throws on one PostgreSQL what `work` throws
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

/** The same where all must be done. @throws what the first that failed failed with, when all have ended */
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
 * Reads within a transaction: over its connection, and on Citus once for each group of shards at its node, where what the
 * transaction itself has written is not seen.
 */
export async function readInEachPart<T extends Placed, R>(
  pool: Pool,
  connection: Connection,
  items: readonly T[],
  read: (db: Queryable, items: readonly T[]) => Promise<readonly R[]>,
): Promise<R[]> {
  // Who reads does not matter.
  const server = pool.beneath ?? pool;
  if (!(await shardPoolsOf(server))) return [...(await read(connection, items))];
  return (await inEachPart(server, items, read)).flat();
}

/**
 * The same for work that answers for each item, in their order. What fails for one group of shards is an error for its items alone.
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

/** The same as a look-up that requests share: each group of shards has lanes of its own, so that a node that answers nothing holds up no other. */
export function lookUpOnNodes<T extends Placed, R>(
  pool: Pool,
  find: (pool: Pool, items: readonly T[]) => Promise<readonly R[]>,
): LookUp<T, R> {
  return { lookUp: (items) => findInEachPart(pool, items, find), placeOf: placeOf(pool) };
}

/** What is looked for among the rows of all merchants. */
export type Look = {
  readonly table: string;
  /** SQL with the names of the table's columns, at least as wide as that of the look. */
  readonly condition: string;
  /** The condition's parameters. */
  readonly values?: readonly unknown[];
  /** How much is wanted; all that there is without one. */
  readonly limit: number | null;
};

/**
 * Looks for rows of all merchants: at once on one PostgreSQL, and on Citus at the node of each shard that has any, side by side, of
 * which each has its turn. `failure` is what a node failed with whose rows were not looked at. @throws on one PostgreSQL what `find` throws
 */
export function searchNodes<R>(
  db: Queryable,
  look: Look,
  find: (db: Queryable, limit: number | null) => Promise<readonly R[]>,
): Promise<Settled<R>> {
  return atNodes(db, look, (part) => find(part, look.limit));
}

/**
 * The same for what comes again: what a node has that is away is found later. @throws where nothing is found, and a node failed; also what
 * a node failed with that is there
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

/** The same for a statement that takes what it finds, and so is told what was taken, whatever failed. The shards share the limit. */
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
 * Runs a look at several parts, in an order of its own each time, until so much is found, or each has been asked once. `run` is told the
 * part's share of what is missing. What is found is in turns: the first of each part, then the second of each.
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
