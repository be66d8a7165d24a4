// Taking turns: order within a key, none between keys, and failures that stay their own.
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { Turns } from "./turns.ts";

test("work of one key runs in order, one at a time; other keys do not wait", async () => {
  const turns = new Turns();
  const log: string[] = [];
  const work = (name: string, ms: number) => async (): Promise<string> => {
    log.push(`${name} begins`);
    await sleep(ms);
    log.push(`${name} ends`);
    return name;
  };
  const results = await Promise.all([
    turns.take("a", work("a1", 30)),
    turns.take("a", work("a2", 1)),
    turns.take("b", work("b1", 1)),
  ]);
  expect(results).toEqual(["a1", "a2", "b1"]);
  expect(log).toEqual(["a1 begins", "b1 begins", "b1 ends", "a1 ends", "a2 begins", "a2 ends"]);
});

test("work that fails fails alone", async () => {
  const turns = new Turns();
  const failing = turns.take("a", () => Promise.reject(new Error("mine")));
  const next = turns.take("a", () => Promise.resolve(2));
  await expect(failing).rejects.toThrow("mine");
  await expect(next).resolves.toBe(2);
});
