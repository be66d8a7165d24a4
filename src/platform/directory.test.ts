// The cache of look-ups: what is kept, and what is dropped at once. How old an answer can be: key-directory.test.ts.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Directory } from "./directory.ts";

let stored: Map<string, string>;
let asked: number;
let directory: Directory<string, string | null>;

beforeEach(() => {
  vi.useFakeTimers();
  stored = new Map([["a", "1"]]);
  asked = 0;
  directory = new Directory({
    lookUp: async (names) => {
      asked += 1;
      return names.map((name) => stored.get(name) ?? null);
    },
    keyOf: (name) => name,
    placeOf: () => "",
    keeps: (found) => found !== null,
  });
});
afterEach(() => vi.useRealTimers());

/** Asks, and lets an immediate look-up finish. */
async function find(name: string): Promise<string | null> {
  const [found] = await Promise.all([directory.find(name), vi.advanceTimersByTimeAsync(1)]);
  return found;
}

test("what is not to be kept is looked up each time", async () => {
  expect(await find("b")).toBeNull();
  stored.set("b", "2");
  expect(await find("b")).toBe("2");
  expect(await find("b")).toBe("2");
  expect(asked).toBe(2);
});

test("what is forgotten is looked up anew, also where an earlier look-up or refresh comes back afterwards", async () => {
  const before = directory.find("a");
  stored.set("a", "2");
  directory.forget("a");
  expect(await find("a")).toBe("2");
  await vi.advanceTimersByTimeAsync(1);
  await before;
  expect(await find("a")).toBe("2");
  await vi.advanceTimersByTimeAsync(1100);
  // Starts a refresh, which reads the current value.
  expect(await find("a")).toBe("2");
  stored.set("a", "3");
  directory.forget("a");
  await vi.advanceTimersByTimeAsync(200);
  expect(await find("a")).toBe("3");
});

test("a place where nothing is answered keeps no answer of another waiting, nor from being refreshed", async () => {
  const placed = new Directory<string, string>({
    lookUp: (names) => (names.some((name) => name.startsWith("hung")) ? new Promise(() => {}) : Promise.resolve(names)),
    keyOf: (name) => name,
    placeOf: (name) => name.split(" ")[0]!,
  });
  for (const name of ["hung 1", "hung 2", "hung 3"]) {
    void placed.find(name);
    await vi.advanceTimersByTimeAsync(1);
  }
  const seen = async (name: string) => (await Promise.all([placed.find(name), vi.advanceTimersByTimeAsync(1)]))[0];
  expect(await seen("fine 1")).toBe("fine 1");
  expect(await seen("fine 2")).toBe("fine 2");
});
