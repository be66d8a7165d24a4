// Batches of items that have owners: which items share a batch, whose turn it is, and what a failure affects.
import { setImmediate as nextTurn } from "node:timers/promises";
import pg from "pg";
import { expect, test } from "vitest";
import type { BatcherOptions } from "./batch-place.ts";
import { Batcher } from "./batcher.ts";

/** Work that goes on until it is let go. */
function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

/** PostgreSQL's error for a lock timeout. */
function lockTimeout(): Error {
  return Object.assign(new pg.DatabaseError("canceling statement due to lock timeout", 0, "error"), { code: "55P03" });
}

type Owned = { readonly owner: string; readonly text: string };
type BatcherOf = Partial<Omit<BatcherOptions<Owned, string>, "run" | "openBatch">> & {
  /** Handles a batch: what it has of each owner. */
  readonly run: (parts: string[][]) => Promise<readonly (readonly (string | Error)[])[]>;
  readonly openBatch?: () => (text: string) => boolean;
};

/** A batcher of texts that have owners. */
function batcherOf({ run, openBatch, ...options }: BatcherOf) {
  const batcher = new Batcher<Owned, string>({
    maxBatch: 10_000,
    lanes: 1,
    ownerOf: ({ owner }) => owner,
    ...(openBatch && {
      openBatch: () => {
        const fits = openBatch();
        return ({ text }) => fits(text);
      },
    }),
    ...options,
    run: async (items) => {
      const parts = [...Map.groupBy(items, ({ owner }) => owner).values()];
      return (await run(parts.map((some) => some.map(({ text }) => text)))).flat();
    },
  });
  return {
    add: (owner: string, text: string) => batcher.add({ owner, text }),
    alone: <T>(owner: string, work: () => Promise<T>) => batcher.alone(owner, work),
    drain: () => batcher.drain(),
  };
}

type Run = (items: readonly string[]) => Promise<readonly (string | Error)[]>;

/** The same, with batches of at most `size` items. Each owner's part is run separately and recorded. */
function queueOf(
  size: number,
  lanes: number,
  changes: { readonly run?: Run; readonly openBatch?: () => (text: string) => boolean } = {},
) {
  const groups: string[][] = [];
  const usual: Run = async (items) => {
    groups.push([...items]);
    await nextTurn();
    return items.map((item) => (item.endsWith("bad") ? new Error(item) : item.toUpperCase()));
  };
  const openBatch = () => {
    let members = 0;
    return () => (members += 1) <= size;
  };
  const run = changes.run ?? usual;
  const queue = batcherOf({
    openBatch,
    ...changes,
    run: (parts) => Promise.all(parts.map((items) => run(items))),
    lanes,
  });
  return { queue, groups };
}

test("what arrives together goes together, in order, and each has its own answer or error", async () => {
  const { queue, groups } = queueOf(10, 1);
  const answers = await Promise.allSettled(["a1", "a2-bad", "a3"].map((item) => queue.add("a", item)));
  expect(groups).toEqual([["a1", "a2-bad", "a3"]]);
  expect(answers.map((answer) => (answer.status === "fulfilled" ? answer.value : String(answer.reason)))).toEqual([
    "A1",
    "Error: a2-bad",
    "A3",
  ]);
});

test("what comes while a group is under way waits for the next one, also while that waits for its place", async () => {
  const gates = [deferred(), deferred(), deferred()];
  const groups: string[][] = [];
  const run = async (items: readonly string[]) => {
    groups.push([...items]);
    await gates[groups.length - 1]!.promise;
    return items;
  };
  // A batch of one owner each.
  const openBatch = () => {
    let key: string | null = null;
    return (item: string) => (key ??= item[0]!) === item[0];
  };
  const { queue } = queueOf(10, 1, { run, openBatch });
  const answers = [queue.add("a", "a1")];
  await nextTurn();
  answers.push(queue.add("b", "b1"));
  await nextTurn();
  answers.push(queue.add("a", "a2"), queue.add("b", "b2"));
  for (const gate of gates) {
    gate.resolve();
    await nextTurn();
  }
  await Promise.all(answers);
  expect(groups).toEqual([["a1"], ["b1", "b2"], ["a2"]]);
});

test("a group ends before the first that may not join, and nobody overtakes it", async () => {
  const { queue, groups } = queueOf(0, 1, {
    openBatch: () => {
      const seen = new Set<string>();
      return (item) => !seen.has(item) && seen.add(item).size <= 3;
    },
  });
  await Promise.all(["x", "y", "x", "z", "u", "v"].map((item) => queue.add("a", item)));
  expect(groups).toEqual([["x", "y"], ["x", "z", "u"], ["v"]]);
});

test("one that may join no group goes by itself", async () => {
  const { queue, groups } = queueOf(0, 1);
  await Promise.all(["a1", "a2"].map((item) => queue.add("a", item)));
  expect(groups).toEqual([["a1"], ["a2"]]);
});

test("an owner with a thousand waiting has its turn, group by group, and starves nobody", async () => {
  const { queue, groups } = queueOf(10, 1);
  const many = Array.from({ length: 1000 }, (_, index) => queue.add("hostile", `h${index}`));
  await nextTurn();
  await nextTurn();
  await queue.add("good", "g");
  expect(groups.length).toBeLessThanOrEqual(4);
  await Promise.all(many);
  expect(groups.flat()).toHaveLength(1001);
});

test("so many batches are under way at once, and no owner is in two", async () => {
  let running = 0;
  let most = 0;
  const keys = new Set<string>();
  const { queue } = queueOf(1, 3, {
    run: async (items) => {
      const key = items[0]![0]!;
      expect(keys.has(key)).toBe(false);
      keys.add(key);
      most = Math.max(most, (running += 1));
      await nextTurn();
      keys.delete(key);
      running -= 1;
      return items;
    },
  });
  const items = ["a1", "a2", "b1", "b2", "c1", "d1", "e1", "e2"];
  await Promise.all(items.map((item) => queue.add(item[0]!, item)));
  expect(most).toBe(3);
});

test("work that goes alone has its turn between those before it and those behind it", async () => {
  const log: string[] = [];
  const { queue } = queueOf(10, 2, {
    run: async (items) => {
      log.push(items.join(" "));
      return items;
    },
  });
  const alone = async (name: string): Promise<string> => {
    log.push(`${name} begins`);
    await nextTurn();
    log.push(`${name} ends`);
    return name;
  };
  const answers = [
    queue.add("a", "a1"),
    queue.add("a", "a2"),
    queue.alone("a", () => alone("work")),
    queue.add("a", "a3"),
  ];
  const failing = queue.alone("a", () => Promise.reject(new Error("mine")));
  const after = queue.add("a", "a4");
  await expect(failing).rejects.toThrow("mine");
  expect(await Promise.all([...answers, after])).toEqual(["a1", "a2", "work", "a3", "a4"]);
  expect(log).toEqual(["a1 a2", "work begins", "work ends", "a3", "a4"]);
});

test("work that goes alone takes no lane", async () => {
  const { queue } = queueOf(10, 1);
  const gate = deferred();
  const working = ["a", "b"].map((key) => queue.alone(key, () => gate.promise.then(() => key)));
  expect(await queue.add("c", "c1")).toBe("C1");
  gate.resolve();
  expect(await Promise.all(working)).toEqual(["a", "b"]);
});

test("a group that fails as a whole fails for all of it, and the next one goes on", async () => {
  let groups = 0;
  const { queue } = queueOf(2, 1, {
    run: async (items) => {
      if ((groups += 1) === 1) throw new Error("all");
      return items;
    },
  });
  const answers = await Promise.allSettled(["a", "b", "c"].map((item) => queue.add("key", item)));
  expect(answers.map(({ status }) => status)).toEqual(["rejected", "rejected", "fulfilled"]);
});

test("owners share a batch; one whose rows are locked waits for them alone, and takes no lane", async () => {
  const batches: string[][][] = [];
  const held = new Set(["held"]);
  const queue = batcherOf({
    run: async (parts) => {
      batches.push(parts);
      return parts.map((items) =>
        items.map((item) => (item === "slow" && held.size > 0 ? lockTimeout() : item.toUpperCase())),
      );
    },
    locked: {
      findFree: async (items) => new Set(items.map(({ owner }) => owner)).difference(held),
      waitMs: 60_000,
    },
  });
  const slow = queue.add("held", "slow");
  expect(await Promise.all([queue.add("a", "a1"), queue.add("b", "b1"), queue.add("a", "a2")])).toEqual([
    "A1",
    "B1",
    "A2",
  ]);
  const behind = queue.add("held", "h2");
  const work = queue.alone("held", async () => "work");
  const last = queue.add("held", "h3");
  expect(await Promise.all([queue.add("a", "a3"), queue.add("b", "b2")])).toEqual(["A3", "B2"]);
  held.clear();
  expect(await Promise.all([slow, behind, work, last])).toEqual(["SLOW", "H2", "work", "H3"]);
  expect(batches).toEqual([[["slow"], ["a1", "a2"], ["b1"]], [["a3"], ["b2"]], [["slow", "h2"]], [["h3"]]]);
  await queue.drain();
});

test("work behind items whose rows stay locked has its turn when these are refused", async () => {
  const queue = batcherOf({
    run: async (parts) => parts.map((items) => items.map(() => lockTimeout())),
    locked: { findFree: async () => new Set<string>(), waitMs: 100 },
  });
  const answers = [queue.add("a", "a1"), queue.add("a", "a2")].map((answer) =>
    expect(answer).rejects.toMatchObject({ code: "unavailable" }),
  );
  expect(await queue.alone("a", async () => "work")).toBe("work");
  await Promise.all(answers);
  await queue.drain();
});

test("of heavy items one is under way at a time, however many owners have one, and the others find a lane", async () => {
  const gates = new Map(["heavy-1", "heavy-2"].map((name) => [name, deferred()]));
  const loads: string[][] = [];
  const queue = batcherOf({
    run: async (parts) => {
      loads.push(parts.flat());
      await Promise.all(parts.flat().map(async (item) => gates.get(item)?.promise));
      return parts;
    },
    isHeavy: ({ text }) => text.startsWith("heavy"),
  });
  const heavy = ["heavy-1", "heavy-2"].map((item) => queue.add(item, item));
  const answers = ["a1", "b1"].map((item) => queue.add(item[0]!, item));
  expect(await Promise.all([...answers, queue.add("a", "a2")])).toEqual(["a1", "b1", "a2"]);
  expect(loads.flat()).not.toContain("heavy-2");
  gates.get("heavy-1")!.resolve();
  gates.get("heavy-2")!.resolve();
  expect(await Promise.all(heavy)).toEqual(["heavy-1", "heavy-2"]);
  expect(loads.filter((items) => items.some((item) => item.startsWith("heavy")))).toHaveLength(2);
});

test("a batch that is full leaves the other owners their turns, in order", async () => {
  const loads: string[][][] = [];
  const queue = batcherOf({
    run: async (parts) => {
      loads.push(parts);
      return parts;
    },
    openBatch: () => {
      let left = 3;
      return () => (left -= 1) >= 0;
    },
  });
  const items = ["a1", "a2", "a3", "a4", "b1", "c1", "d1"];
  await Promise.all(items.map((item) => queue.add(item[0]!, item)));
  expect(loads).toEqual([[["a1", "a2", "a3"]], [["b1"], ["c1"], ["d1"]], [["a4"]]]);
});
