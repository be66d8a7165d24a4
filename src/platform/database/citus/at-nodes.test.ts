// Work on rows of several merchants. The wire tests on Citus check that it reaches the nodes.
import { describe, expect, test, vi } from "vitest";
import { findOnNodes, findInEachPart, inEachPart, takeOnNodes, takeTurns } from "./at-nodes.ts";
import type { Pool } from "../pool.ts";

describe("on one PostgreSQL", () => {
  const pool = {} as Pool;

  test("all is done at once, over the pool itself", async () => {
    const work = vi.fn<(pool: Pool, items: readonly { bucket: number }[]) => Promise<number>>(
      async (_, { length }) => length,
    );
    const items = [{ bucket: 1 }, { bucket: 2 }];
    expect(await inEachPart(pool, items, work)).toEqual([2]);
    expect(work).toHaveBeenCalledExactlyOnceWith(pool, items);
  });

  test("without items nothing is run", async () => {
    const work = vi.fn<() => Promise<number>>();
    expect(await inEachPart(pool, [], work)).toEqual([]);
    expect(work).not.toHaveBeenCalled();
  });

  test("rows of all merchants are looked for at once, over the pool itself, and nothing is asked before", async () => {
    const look = { table: "transfer", condition: "true", limit: 7 };
    const find = vi.fn<(db: object, limit: number | null) => Promise<number[]>>(async () => [1, 2]);
    expect(await findOnNodes(pool, look, find)).toEqual([1, 2]);
    expect(await takeOnNodes(pool, look, find)).toEqual([1, 2]);
    expect(find.mock.calls).toEqual([
      [pool, 7],
      [pool, 7],
    ]);
  });

  test("what fails fails for all, so that whoever batches may halve it", async () => {
    const find = () => Promise.reject(new Error("refused"));
    await expect(findInEachPart(pool, [{ bucket: 1 }], find)).rejects.toThrow("refused");
  });
});

describe("parts that are looked at by turns", () => {
  type Part = { readonly name: string; readonly items: number[] };
  const part = (name: string, ...items: number[]): Part => ({ name, items });
  const take = async ({ items }: Part, share: number | null): Promise<number[]> =>
    items.splice(0, share ?? items.length);
  const sorted = (items: readonly number[]): number[] => items.toSorted((one, other) => one - other);

  test("those that turn out to have nothing cost the others no place", async () => {
    const parts = [part("a"), part("b"), part("c"), part("d", 1, 2, 3), part("e"), part("f", 4)];
    const { done, failure } = await takeTurns(parts, 2, take);
    expect([done.length, failure]).toEqual([2, null]);
    // Unwanted items stay in place.
    const left = parts.flatMap(({ items }) => items);
    expect(sorted([...done, ...left])).toEqual([1, 2, 3, 4]);
  });

  test("all is found where there is less than is wanted, of each a first one before a second", async () => {
    const parts = [part("a", 1, 2), part("b"), part("c", 3)];
    const { done } = await takeTurns(parts, 100, take);
    expect(sorted(done)).toEqual([1, 2, 3]);
    expect(done.indexOf(2)).toBe(2);
    expect((await takeTurns([part("a", 1), part("b", 2, 3)], null, take)).done).toHaveLength(3);
  });

  test("one that fails is said, and keeps nothing from being found in others", async () => {
    const run = async (one: Part, share: number | null): Promise<number[]> => {
      if (one.name === "away") throw new Error("away");
      return take(one, share);
    };
    const { done, failure } = await takeTurns([part("away", 1), part("b", 2), part("c", 3)], 1, run);
    expect([done.length, failure === null || failure.message]).toEqual([1, failure === null ? true : "away"]);
    const all = await takeTurns([part("away", 1), part("b", 2), part("c", 3)], 10, run);
    expect([sorted(all.done), all.failure?.message]).toEqual([[2, 3], "away"]);
  });
});
