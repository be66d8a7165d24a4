// Group commit: who shares a batch, in which order, and what a failure touches. With the procedure for refused batches.
import { expect, test, vi } from "vitest";
import { Batcher } from "./batcher.ts";
import { writeBatch } from "./group-commit.ts";

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

test("what arrives together goes together, in order; what comes meanwhile goes next", async () => {
  const gate = deferred();
  const batches: number[][] = [];
  const batcher = new Batcher<number, number>({
    run: async (items) => {
      batches.push([...items]);
      await gate.promise;
      return items.map((item) => item * 2);
    },
    maxBatch: 3,
    lanes: 1,
  });
  const first = [1, 2].map((item) => batcher.add(item));
  await new Promise((resolve) => setTimeout(resolve, 5));
  const later = [3, 4, 5, 6].map((item) => batcher.add(item));
  expect(batcher.depth).toBe(6);
  gate.resolve();
  expect(await Promise.all([...first, ...later])).toEqual([2, 4, 6, 8, 10, 12]);
  expect(batches).toEqual([[1, 2], [3, 4, 5], [6]]);
  await batcher.drain();
  expect(batcher.depth).toBe(0);
});

test("an item's error is its own; a batch's failure is everybody's, and the batcher goes on", async () => {
  const run = vi
    .fn<(items: readonly string[]) => Promise<readonly (string | Error)[]>>()
    .mockImplementationOnce(async (items) => items.map((item) => (item === "bad" ? new Error("bad") : item)))
    .mockRejectedValueOnce(new Error("all"))
    .mockImplementation(async (items) => items);
  const batcher = new Batcher<string, string>({ run, maxBatch: 10, lanes: 1 });
  const settled = await Promise.allSettled(["a", "bad", "b"].map((item) => batcher.add(item)));
  expect(settled.map((result) => result.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  await expect(batcher.add("c")).rejects.toThrow("all");
  await expect(batcher.add("d")).resolves.toBe("d");
});

test("items with one key take turns, without holding others up", async () => {
  const batches: string[][] = [];
  const batcher = new Batcher<string, string>({
    run: async (items) => {
      batches.push([...items]);
      return items;
    },
    maxBatch: 10,
    lanes: 1,
    apartKey: (item) => item[0]!,
  });
  await Promise.all(["a1", "b1", "a2", "c1", "a3"].map((item) => batcher.add(item)));
  expect(batches).toEqual([["a1", "b1", "c1"], ["a2"], ["a3"]]);
});

test("a refused batch is halved until the one at fault stands alone", async () => {
  const written: number[] = [];
  const write = vi.fn<(items: readonly number[]) => Promise<readonly number[]>>(async (items) => {
    if (items.includes(5)) throw new Error("refused");
    written.push(...items);
    return items;
  });
  const results = await writeBatch([1, 2, 3, 4, 5, 6, 7], write, 1000);
  expect(results.map((result) => (result instanceof Error ? result.message : result))).toEqual([
    1,
    2,
    3,
    4,
    "refused",
    6,
    7,
  ]);
  expect(written).toEqual([1, 2, 3, 4, 6, 7]);
});

test("a broken connection is tried again, and answered with `unavailable` when it stays away", async () => {
  const broken = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
  const comesBack = vi.fn<(items: readonly number[]) => Promise<readonly number[]>>();
  comesBack.mockRejectedValueOnce(broken).mockImplementation(async (items) => items);
  expect(await writeBatch([1, 2], comesBack, 1000)).toEqual([1, 2]);
  expect(comesBack).toHaveBeenCalledTimes(2);
  const staysAway = (): Promise<never> => Promise.reject(broken);
  expect(await writeBatch([1, 2], staysAway, 150)).toMatchObject([{ code: "unavailable" }, { code: "unavailable" }]);
});
