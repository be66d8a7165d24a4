// The sliding window: exact in any 60 s, and no key left behind.
import fc from "fast-check";
import { expect, test } from "vitest";
import { SlidingWindow } from "./sliding-window.ts";

test("allows the limit, refuses the next, and allows again when the first leaves the window", () => {
  let now = 0;
  const window = new SlidingWindow(() => now);
  for (let count = 0; count < 30; count += 1) {
    now = count * 1000;
    expect(window.take("m", 30)).toMatchObject({ allowed: true, remaining: 29 - count });
  }
  now = 59_999;
  expect(window.take("m", 30)).toEqual({ allowed: false, limit: 30, remaining: 0, resetMs: 1 });
  expect(window.take("other", 30).allowed).toBe(true);
  now = 60_000;
  expect(window.take("m", 30).allowed).toBe(true);
  expect(window.take("m", 30)).toMatchObject({ allowed: false, resetMs: 1000 });
});

test("a look decides as the next request would be decided, and counts nothing", () => {
  let now = 0;
  const window = new SlidingWindow(() => now);
  for (let count = 0; count < 5; count += 1) expect(window.look("m", 2)).toMatchObject({ allowed: true, remaining: 2 });
  window.take("m", 2);
  now = 10;
  window.take("m", 2);
  expect(window.look("m", 2)).toEqual(window.take("m", 2));
  expect(window.look("m", 2)).toEqual({ allowed: false, limit: 2, remaining: 0, resetMs: 59_990 });
  now = 60_000;
  expect(window.look("m", 2)).toMatchObject({ allowed: true, remaining: 1 });
});

test("a lowered limit waits until enough have left", () => {
  let now = 0;
  const window = new SlidingWindow(() => now);
  for (now = 0; now < 10; now += 1) window.take("m", 10);
  expect(window.take("m", 3)).toMatchObject({ allowed: false, resetMs: 7 + 60_000 - 10 });
});

test("never allows more than the limit in any 60 s, and never refuses below it", () => {
  const requests = fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 300 });
  fc.assert(
    fc.property(requests, fc.integer({ min: 1, max: 20 }), (gaps, limit) => {
      let now = 0;
      const window = new SlidingWindow(() => now);
      const allowed: number[] = [];
      for (const gap of gaps) {
        now += gap;
        const inWindow = allowed.filter((at) => at > now - 60_000).length;
        const { allowed: isAllowed } = window.take("m", limit);
        expect(isAllowed).toBe(inWindow < limit);
        if (isAllowed) allowed.push(now);
      }
    }),
  );
});
