// A queue with turns: the order of items.
import { expect, test } from "vitest";
import { TurnQueue } from "./gate.ts";

test("a key whose first item may not go is passed over, and keeps its turn", () => {
  const queue = new TurnQueue<string>();
  for (const item of ["h1", "g1", "h2"]) queue.push(item[0]!, item);
  expect(queue.shift((item) => !item.startsWith("h"))).toBe("g1");
  expect(queue.shift((item) => !item.startsWith("h"))).toBeUndefined();
  expect([queue.length, queue.shift(), queue.shift()]).toEqual([2, "h1", "h2"]);
});

test("keys take turns, and within a key it is first come first served", () => {
  const queue = new TurnQueue<string>();
  for (const item of ["h1", "h2", "h3", "g1", "h4", "f1"]) queue.push(item[0]!, item);
  expect(queue.length).toBe(6);
  expect([queue.shift(), queue.shift()]).toEqual(["h1", "g1"]);
  queue.push("g", "g2");
  const rest: string[] = [];
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) rest.push(item);
  expect(rest).toEqual(["f1", "h2", "g2", "h3", "h4"]);
  expect(queue.length).toBe(0);
  queue.push("h", "h5");
  queue.clear();
  expect([queue.length, queue.shift()]).toEqual([0, undefined]);
});
