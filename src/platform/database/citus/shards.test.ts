import { expect, test } from "vitest";
import { inEachPart, placeOf, readInEachPart, withNodes } from "./index.ts";
import { markSpread } from "./spread.ts";
import type { Connection, OwnedPool, Pool } from "../pool.ts";

type Row = { readonly shard: string; readonly buckets: readonly number[] };

/** A coordinator that reports the places of shards, or is down. */
function coordinator(rows: readonly Row[]) {
  const state = { rows, isAway: false };
  const connection = { release: () => {} };
  markSpread(connection);
  const pool = {
    connect: async () => connection,
    query: async () => {
      if (state.isAway) throw new Error("the coordinator is away");
      return { rows: state.rows.map((row) => ({ ...row, host: "127.0.0.1", port: 1, tables: [], shards: [] })) };
    },
    end: async () => {},
  } as unknown as OwnedPool;
  return { pool: withNodes(pool, { url: "postgres://nodal@coordinator.example/nodal", size: 1 }), state };
}

const GROUPS: readonly Row[] = [
  { shard: "7", buckets: [0, 2, 4] },
  { shard: "8", buckets: [1, 3] },
];
const items = [3, 0, 4, 1, 0].map((bucket, index) => ({ bucket, index }));
const indexesOf = (some: readonly { readonly index: number }[]) => some.map(({ index }) => index);

test("one statement serves all buckets of a group of shards", async () => {
  const { pool } = coordinator(GROUPS);
  const parts = await inEachPart(pool, items, async (where, some) => [where, indexesOf(some)] as const);
  expect(parts.map(([, indexes]) => indexes)).toEqual([
    [0, 3],
    [1, 2, 4],
  ]);
  expect(new Set(parts.map(([where]) => where)).size).toBe(2);
  expect(parts.every(([where]) => where !== pool)).toBe(true);
});

test("items of a group of shards share batches, as soon as it is known where they are", async () => {
  const { pool } = coordinator(GROUPS);
  const groupOf = placeOf(pool);
  expect(items.map(groupOf)).toEqual(["", "", "", "", ""]);
  await inEachPart(pool, items, async () => null);
  expect(items.map(groupOf)).toEqual(["8", "7", "7", "8", "7"]);
});

test("what is known is enough while the coordinator is away", async () => {
  const { pool, state } = coordinator(GROUPS);
  await inEachPart(pool, items, async () => null);
  state.isAway = true;
  expect(await inEachPart(pool, items, async (_where, some) => some.length)).toEqual([2, 3]);
});

test("a bucket without a shard is refused, and nothing is done", async () => {
  const { pool } = coordinator(GROUPS.slice(1));
  const done: unknown[] = [];
  const work = async (_where: Pool, some: readonly unknown[]) => void done.push(some);
  await expect(inEachPart(pool, items, work)).rejects.toThrow("Citus has no shard for the bucket 0");
  expect(done).toEqual([]);
});

test("a group that was split takes nothing any more: its buckets may be apart", async () => {
  const { pool, state } = coordinator([{ shard: "7", buckets: [0, 1, 2, 3, 4] }]);
  const [where] = await inEachPart(pool, items, async (part) => part);
  state.rows = GROUPS.map((row) => ({ ...row, shard: `1${row.shard}` }));
  // Nobody listens there, so that the places are refreshed.
  await expect(where!.connect()).rejects.toThrow("ECONNREFUSED");
  await expect
    .poll(() => where!.connect().catch((error: Error) => error.cause))
    .toEqual(new Error("Citus has split or removed the shard 7"));
  expect(await inEachPart(pool, items, async (_where, some) => indexesOf(some))).toEqual([
    [0, 3],
    [1, 2, 4],
  ]);
  await pool.end();
});

test("reads of a transaction are over its connection on one PostgreSQL, and at the nodes on Citus", async () => {
  const connection = {} as Connection;
  const read = async (db: unknown) => [db];
  const plain = { connect: async () => ({ release: () => {} }) } as unknown as OwnedPool;
  expect(await readInEachPart(plain, connection, items, read)).toEqual([connection]);
  const { pool } = coordinator(GROUPS);
  const view = { beneath: pool } as unknown as Pool;
  const found = await readInEachPart(view, connection, items, read);
  expect(found).toHaveLength(2);
  expect(found).not.toContain(connection);
});
