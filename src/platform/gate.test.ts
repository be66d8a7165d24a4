// The gate: how many run at once, the order of turns, how many wait and for how long, and refusals.
import { expect, test } from "vitest";
import { Gate, type GateOptions } from "./gate.ts";

const REFUSAL = "Come again.";

/** Work that runs until it is released, and a log of who got a place in which order. */
function stage(options: Omit<GateOptions, "refusal">) {
  const gate = new Gate({ ...options, refusal: REFUSAL });
  const entered: string[] = [];
  const releases = new Map<string, () => void>();
  const ask = (name: string): Promise<string> =>
    gate.run(name[0]!, async () => {
      entered.push(name);
      await new Promise<void>((resolve) => releases.set(name, resolve));
      return name;
    });
  const release = async (...names: string[]): Promise<void> => {
    for (const name of names) releases.get(name)!();
    await new Promise(setImmediate);
  };
  return { gate, ask, entered, release };
}

test("so many run at once, so many wait, the rest is refused, and all places come free again", async () => {
  const { gate, ask, entered, release } = stage({ atOnce: 2, maxWaiting: 3 });
  const runs = ["a1", "a2", "a3", "a4", "a5"].map(ask);
  await expect(ask("a6")).rejects.toMatchObject({ code: "unavailable", message: REFUSAL });
  expect(entered).toEqual(["a1", "a2"]);
  await release("a1");
  expect(entered).toEqual(["a1", "a2", "a3"]);
  await release("a2", "a3");
  await release("a4", "a5");
  expect(await Promise.all(runs)).toEqual(["a1", "a2", "a3", "a4", "a5"]);
  await expect(gate.run("a", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await gate.run("a", () => Promise.resolve("again"))).toBe("again");
});

test("one key has its part of the places and no more, however much it has to do", async () => {
  const { ask, entered, release } = stage({ atOnce: 4, atOncePerKey: 2 });
  const hostile = ["h1", "h2", "h3", "h4", "h5"].map(ask);
  const good = ["g1", "g2"].map(ask);
  await new Promise(setImmediate);
  expect(entered).toEqual(["h1", "h2", "g1", "g2"]);
  await release("g1");
  // The place stays free, since the waiting key already has its share.
  expect(entered).toEqual(["h1", "h2", "g1", "g2"]);
  await release("h1", "g2");
  expect(entered.slice(4)).toEqual(["h3"]);
  await release("h2");
  await release("h3", "h4");
  await release("h5");
  expect(await Promise.all([...hostile, ...good])).toHaveLength(7);
});

test("keys that wait take turns", async () => {
  const { ask, entered, release } = stage({ atOnce: 1 });
  const all = ["h1", "h2", "h3", "h4", "g1", "f1", "g2"].map(ask);
  await new Promise(setImmediate);
  for (let count = 0; count < all.length; count += 1) await release(entered.at(-1)!);
  expect(entered).toEqual(["h1", "h2", "g1", "f1", "h3", "g2", "h4"]);
  await Promise.all(all);
});

test("one key that fills its queue is refused alone", async () => {
  const { ask, release, entered } = stage({ atOnce: 1, maxWaitingPerKey: 1 });
  const running = [ask("h1"), ask("h2")];
  await expect(ask("h3")).rejects.toMatchObject({ code: "unavailable" });
  const good = ask("g1");
  await release("h1");
  await release("h2");
  await release("g1");
  expect(entered).toEqual(["h1", "h2", "g1"]);
  await Promise.all([...running, good]);
});

test("who has waited for too long is refused, and his turn is nobody's", async () => {
  const { ask, entered, release } = stage({ atOnce: 1, waitMs: 20 });
  const first = ask("a1");
  await expect(ask("b1")).rejects.toMatchObject({ code: "unavailable" });
  const last = ask("c1");
  await release("a1");
  await release("c1");
  expect(entered).toEqual(["a1", "c1"]);
  await Promise.all([first, last]);
});
