// Group commit: which items share a batch, in which order, and what a failure affects. Also the handling of refused batches.
import { describe, expect, test, vi } from "vitest";
import pg from "pg";
import { Batcher, runBatch, sharedLookUps } from "./batcher.ts";

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
  gate.resolve();
  expect(await Promise.all([...first, ...later])).toEqual([2, 4, 6, 8, 10, 12]);
  expect(batches).toEqual([[1, 2], [3, 4, 5], [6]]);
  await batcher.drain();
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
  const results = await runBatch([1, 2, 3, 4, 5, 6, 7], write, 1000);
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

test("a look-up of which one can't be read fails for that one alone", async () => {
  const lookUp = async (items: readonly number[]): Promise<number[]> => {
    if (items.includes(3)) throw new Error("does not open");
    return items.map((item) => item * 10);
  };
  const lookUps = sharedLookUps({ lookUp, placeOf: () => "" });
  const outcomes = await Promise.allSettled([1, 2, 3, 4].map((item) => lookUps.add(item)));
  expect(outcomes.map((each) => (each.status === "fulfilled" ? each.value : (each.reason as Error).message))).toEqual([
    10,
    20,
    "does not open",
    40,
  ]);
});

test("a place where nothing is answered holds up no other, and items of two places share no batch", async () => {
  const answer = Promise.withResolvers<void>();
  const batches: string[][] = [];
  const run = async (items: readonly string[]): Promise<readonly string[]> => {
    batches.push([...items]);
    if (items[0]!.startsWith("slow")) await answer.promise;
    return items;
  };
  const batcher = new Batcher({ run, maxBatch: 10, lanes: 1, placeOf: (item: string) => item.split(" ")[0]! });
  const slow = ["slow 1", "slow 2"].map((item) => batcher.add(item));
  expect(await Promise.all(["fast 1", "fast 2"].map((item) => batcher.add(item)))).toEqual(["fast 1", "fast 2"]);
  const later = batcher.add("slow 3");
  expect(await batcher.add("fast 3")).toBe("fast 3");
  expect(batches).toEqual([["slow 1", "slow 2"], ["fast 1", "fast 2"], ["fast 3"]]);
  const drained = batcher.drain();
  answer.resolve();
  expect(await Promise.all([...slow, later])).toEqual(["slow 1", "slow 2", "slow 3"]);
  await drained;
});

/** A batcher that records its batches, and gathers without a time limit. */
function gathering(upTo: number, lanes = 1) {
  const batches: number[][] = [];
  const open: (() => void)[] = [];
  const run = async (items: readonly number[]): Promise<readonly number[]> => {
    batches.push([...items]);
    await new Promise<void>((resolve) => open.push(resolve));
    return items;
  };
  const ownerOf = (item: number) => String(item);
  const batcher = new Batcher({ run, maxBatch: 100, lanes, gather: { forMs: 2 ** 30, upTo }, ownerOf });
  const turns = async () => {
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
  };
  return {
    lengths: () => batches.map(({ length }) => length),
    /** Adds so many items, and lets batches start. */
    add: async (count: number) => {
      const first = Math.random();
      for (let place = 0; place < count; place += 1) void batcher.add(first + place);
      await turns();
    },
    /** Answers the oldest batch under way. */
    answer: async () => {
      open.shift()!();
      await turns();
    },
  };
}

test("a few that come alone never wait; after a batch of four the next one waits for as many", async () => {
  const { lengths, add, answer } = gathering(32);
  await add(3);
  await answer();
  await add(1);
  await answer();
  await add(4);
  await answer();
  expect(lengths()).toEqual([3, 1, 4]);
  await add(3);
  expect(lengths()).toEqual([3, 1, 4]);
  await add(1);
  expect(lengths()).toEqual([3, 1, 4, 4]);
});

test("the next batch waits for those that were answered beside those that came meanwhile, so that they go together", async () => {
  const { lengths, add, answer } = gathering(32);
  await add(5);
  await add(6);
  await answer();
  expect(lengths()).toEqual([5]);
  await add(4);
  expect(lengths()).toEqual([5]);
  await add(1);
  expect(lengths()).toEqual([5, 11]);
});

test("a batch waits for no more items than are worth waiting for", async () => {
  const { lengths, add, answer } = gathering(8);
  await add(20);
  await answer();
  await add(7);
  expect(lengths()).toEqual([20]);
  await add(1);
  expect(lengths()).toEqual([20, 8]);
});

test("beside a batch of four another one starts only with enough items", async () => {
  const { lengths, add, answer } = gathering(8, 2);
  await add(3);
  await add(1);
  expect(lengths()).toEqual([3, 1]);
  await answer();
  await answer();
  await add(4);
  await add(5);
  expect(lengths()).toEqual([3, 1, 4]);
  await add(1);
  expect(lengths()).toEqual([3, 1, 4, 6]);
  await answer();
  await add(2);
  await answer();
  await add(6);
  expect(lengths()).toEqual([3, 1, 4, 6, 8]);
});

test("free lanes share many items, but not so few that each has a small batch", async () => {
  const many = gathering(8, 3);
  await many.add(30);
  expect(many.lengths()).toEqual([10, 10, 10]);
  const some = gathering(8, 3);
  await some.add(13);
  expect(some.lengths()).toEqual([7, 6]);
  const few = gathering(8, 3);
  await few.add(11);
  expect(few.lengths()).toEqual([11]);
});

test("what gathers goes when its time is over, though fewer have come", async () => {
  const lengths: number[] = [];
  const run = async (items: readonly number[]): Promise<readonly number[]> => {
    lengths.push(items.length);
    return items;
  };
  const batcher = new Batcher({ run, maxBatch: 100, lanes: 1, gather: { forMs: 20, upTo: 100 } });
  await Promise.all(Array.from({ length: 9 }, (_, index) => batcher.add(index)));
  await batcher.add(9);
  expect(lengths).toEqual([9, 1]);
});

/** PostgreSQL's error for a lock timeout. */
function lockTimeout(): Error {
  return Object.assign(new pg.DatabaseError("canceling statement due to lock timeout", 0, "error"), { code: "55P03" });
}

test("a batch that waited in vain for a lock is not halved: each half would wait as long again", async () => {
  const write = vi.fn<(items: readonly number[]) => Promise<readonly number[]>>(() => Promise.reject(lockTimeout()));
  const results = await runBatch([1, 2, 3, 4], write, 1000);
  expect(results).toMatchObject(Array(4).fill({ code: "55P03" }));
  expect(write).toHaveBeenCalledTimes(1);
});

describe("items of an owner whose rows are held", () => {
  function stage(heldMs: number, afterBatch: (count: number) => void = () => {}) {
    const held = new Set<string>();
    /** Owners that wait for a lock that checking their rows does not show. */
    const unseen = new Set<string>();
    const batches: string[][] = [];
    const run = async (items: readonly string[]): Promise<(string | Error)[]> => {
      batches.push([...items]);
      const stopped = items.some((item) => held.has(item[0]!) || unseen.has(item[0]!));
      afterBatch(batches.length);
      return items.map((item) => (stopped ? lockTimeout() : `done ${item}`));
    };
    const findFree = async (items: readonly string[]): Promise<Set<string>> =>
      new Set(items.map((item) => item[0]!).filter((owner) => !held.has(owner)));
    const batcher = new Batcher<string, string>({
      run,
      maxBatch: 10,
      lanes: 1,
      ownerOf: (item) => item[0]!,
      apartKey: (item) => (item.includes("=") ? item.split("=")[1]! : null),
      locked: { findFree, waitMs: heldMs },
    });
    return { held, unseen, batches, batcher };
  }

  test("wait aside, and those of others go on at once, also in later batches", async () => {
    const { held, batches, batcher } = stage(60_000);
    held.add("h");
    const hostile = ["h1", "h2"].map((item) => batcher.add(item));
    let isOver = false;
    void Promise.all(hostile).then(() => (isOver = true));
    expect(await Promise.all(["g1", "f1"].map((item) => batcher.add(item)))).toEqual(["done g1", "done f1"]);
    expect(batches).toEqual([
      ["h1", "h2", "g1", "f1"],
      ["g1", "f1"],
    ]);
    // The owner's next items wait too: no batch meets the lock again.
    const later = batcher.add("h3");
    expect(await batcher.add("g2")).toBe("done g2");
    expect(batches.slice(2)).toEqual([["g2"]]);
    expect(isOver).toBe(false);
    held.clear();
    expect(await Promise.all([...hostile, later])).toEqual(["done h1", "done h2", "done h3"]);
    expect(batches.slice(3)).toEqual([["h1", "h2", "h3"]]);
    await batcher.drain();
  });

  test("are refused where they stay held, and wait for nobody else's", async () => {
    const { held, batcher } = stage(100);
    held.add("h").add("k");
    const [stays, comesFree] = [batcher.add("h1"), batcher.add("k1")];
    await new Promise(setImmediate);
    held.delete("k");
    expect(await comesFree).toBe("done k1");
    await expect(stays).rejects.toMatchObject({ code: "unavailable" });
    await batcher.drain();
    held.clear();
    expect(await batcher.add("h2")).toBe("done h2");
  });

  test("go on owner by owner where nobody sees whose rows are held, and those at fault take turns after that", async () => {
    const { unseen, batches, batcher } = stage(60_000);
    unseen.add("h").add("k");
    const stuck = ["h1", "k1"].map((item) => batcher.add(item));
    expect(await Promise.all(["f1", "g1"].map((item) => batcher.add(item)))).toEqual(["done f1", "done g1"]);
    const all = ["h1", "k1", "f1", "g1"];
    expect(batches).toEqual([all, all, all, ["h1"], ["k1"], ["f1"], ["g1"]]);
    expect(await batcher.add("f2")).toBe("done f2");
    const tried = (): string[][] => batches.slice(7).filter(([first]) => first !== "f2");
    await vi.waitFor(() => expect(tried().length).toBeGreaterThan(2), { timeout: 180_000 });
    unseen.clear();
    expect(await Promise.all(stuck)).toEqual(["done h1", "done k1"]);
    tried().forEach((batch, turn) => expect(batch).toEqual([["h1"], ["k1"]][turn % 2]));
  });

  test("go on together once their rows are free: another server's batch holds them for a moment only", async () => {
    for (const tries of [2, 3]) {
      const { unseen, batches, batcher } = stage(60_000, (batch) => {
        if (batch === tries - 1) unseen.clear();
      });
      unseen.add("g");
      const items = ["f1", "g1", "h1", "k1"];
      await Promise.all(items.map((item) => batcher.add(item)));
      expect(batches).toEqual(Array(tries).fill(items));
    }
  });

  test("go on together, too, where the batch met one lock and then another", async () => {
    const { held, unseen, batches, batcher } = stage(60_000, (batch) => {
      if (batch === 1) unseen.add("g");
      if (batch === 2) unseen.clear();
    });
    held.add("h");
    const stays = batcher.add("h1");
    await Promise.all(["f1", "g1"].map((item) => batcher.add(item)));
    expect(batches).toEqual([
      ["h1", "f1", "g1"],
      ["f1", "g1"],
      ["f1", "g1"],
    ]);
    held.clear();
    expect(await stays).toBe("done h1");
  });

  test("that must not share a batch do not share one there either", async () => {
    const { held, batches, batcher } = stage(60_000);
    held.add("h");
    const twins = ["h1=x", "h2=x", "h3=y"].map((item) => batcher.add(item));
    await new Promise((resolve) => setTimeout(resolve, 80));
    held.clear();
    await Promise.all(twins);
    expect(batches.slice(-2)).toEqual([["h1=x", "h3=y"], ["h2=x"]]);
  });
});

test("a broken connection is tried again, and answered with `unavailable` when it stays away", async () => {
  const broken = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
  const comesBack = vi.fn<(items: readonly number[]) => Promise<readonly number[]>>();
  comesBack.mockRejectedValueOnce(broken).mockImplementation(async (items) => items);
  expect(await runBatch([1, 2], comesBack, 1000)).toEqual([1, 2]);
  expect(comesBack).toHaveBeenCalledTimes(2);
  const staysAway = (): Promise<never> => Promise.reject(broken);
  expect(await runBatch([1, 2], staysAway, 150)).toMatchObject([{ code: "unavailable" }, { code: "unavailable" }]);
});
