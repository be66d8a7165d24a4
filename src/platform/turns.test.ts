// Long lists from strangers: other work gets turns during the loop.
import { expect, test } from "vitest";
import { inTurns } from "./turns.ts";

test("all items come in order, and others get their turn whenever a slice of time is used up", async () => {
  let others = 0;
  const timer = setInterval(() => (others += 1), 0);
  const seen: number[] = [];
  for await (const item of inTurns(Array.from({ length: 50 }, (_, index) => index))) {
    seen.push(item);
    for (const endMs = performance.now() + 11; performance.now() < endMs;);
  }
  clearInterval(timer);
  expect(seen).toEqual(Array.from({ length: 50 }, (_, index) => index));
  // Each item uses up a slice.
  expect(others).toBeGreaterThanOrEqual(25);
  for await (const _ of inTurns([])) throw new Error("there is none");
});
