// The loop's pauses: it looks when called, also for work that arrived during a look.
import { afterEach, describe, expect, test, vi } from "vitest";
import { createLogger } from "../log.ts";
import { Worker } from "./worker.ts";

const AN_HOUR_MS = 3_600_000;
let worker: Worker<string>;

afterEach(() => worker.stop());

describe("a worker that rests for an hour", () => {
  test("looks at once when it is told to, and then rests again", async () => {
    const due: string[] = [];
    const done: string[] = [];
    const find = vi.fn<() => Promise<string[]>>(() => Promise.resolve(due.splice(0)));
    worker = workerOf(find, (item) => done.push(item));
    await vi.waitFor(() => expect(find).toHaveBeenCalledTimes(1));
    due.push("first");
    worker.lookNow();
    await vi.waitFor(() => expect(done).toEqual(["first"]));
    // Once for the found items, once more after them.
    await vi.waitFor(() => expect(find).toHaveBeenCalledTimes(3));
    due.push("left by another process");
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(find).toHaveBeenCalledTimes(3);
  });

  test("looks again where it was told to while it looked", async () => {
    const done: string[] = [];
    const first = Promise.withResolvers<string[]>();
    const find = vi.fn<() => Promise<string[]>>(() => Promise.resolve([]));
    find.mockReturnValueOnce(first.promise).mockResolvedValueOnce(["second"]);
    worker = workerOf(find, (item) => done.push(item));
    await vi.waitFor(() => expect(find).toHaveBeenCalledTimes(1));
    worker.lookNow();
    first.resolve([]);
    await vi.waitFor(() => expect(done).toEqual(["second"]));
  });
});

describe("a worker whose items begin apart", () => {
  test("has all of them in hand, and begins one after the other", async () => {
    const begun: number[] = [];
    const inProgress: (readonly string[])[] = [];
    const find = vi.fn<(room: number, inProgress: readonly string[]) => Promise<string[]>>((_, items) => {
      inProgress.push(items);
      return Promise.resolve(inProgress.length === 1 ? ["a", "b", "c"] : []);
    });
    worker = workerOf(find, () => begun.push(performance.now()), { spacingMs: 40 });
    await vi.waitFor(() => expect(begun.length).toBe(3));
    expect(inProgress[1]).toEqual(["a", "b", "c"]);
    // A timer may come a millisecond early.
    expect(Math.min(begun[1]! - begun[0]!, begun[2]! - begun[1]!)).toBeGreaterThan(0);
    expect(begun[2]! - begun[0]!).toBeGreaterThanOrEqual(38);
  });

  test("at a stop begins the rest at once: their claims are given back by running", async () => {
    const done: string[] = [];
    const find = vi.fn<() => Promise<string[]>>(() => Promise.resolve([]));
    find.mockResolvedValueOnce(["a", "b"]);
    worker = workerOf(find, (item) => done.push(item), { spacingMs: AN_HOUR_MS });
    await vi.waitFor(() => expect(done).toEqual(["a"]));
    await worker.stop();
    expect(done).toEqual(["a", "b"]);
  });
});

function workerOf(
  find: (room: number, inProgress: readonly string[]) => Promise<string[]>,
  note: (item: string) => unknown,
  more: { readonly spacingMs?: number } = {},
): Worker<string> {
  const made = new Worker<string>({
    ...more,
    name: "items",
    logger: createLogger("silent"),
    atOnce: 4,
    lookMs: AN_HOUR_MS,
    find,
    run: (item) => Promise.resolve(note(item)),
  });
  made.start();
  return made;
}
