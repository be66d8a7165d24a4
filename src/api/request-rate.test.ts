// Rate limits of the dashboard, with a clock that the test moves.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { RateBook } from "../../test/support/rate-book.ts";
import type { Session } from "../merchants/index.ts";
import { RateWindow } from "../platform/rates/rate-window.ts";
import { RequestRate } from "./callers.ts";

const MINUTE_MS = 60_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

function open(perMinute: number): RequestRate {
  return new RequestRate(perMinute, new RateWindow(new RateBook().take, MINUTE_MS));
}

const LIMITED = expect.objectContaining({
  code: "rate_limited",
  rate: expect.objectContaining({ remaining: 0 }) as unknown,
});

function sessionOf(merchantId: bigint, sessionId: bigint, kind = "user"): Session {
  return { sessionId, login: { kind, merchantId } } as unknown as Session;
}

test("a session may make so many requests in any minute; others are not concerned", async () => {
  const rate = open(5);
  for (let count = 0; count < 5; count += 1) await rate.count(sessionOf(1n, 1n));
  await expect(rate.count(sessionOf(1n, 1n))).rejects.toEqual(LIMITED);
  await rate.count(sessionOf(1n, 2n));
  await rate.count(sessionOf(2n, 3n));
  vi.advanceTimersByTime(MINUTE_MS);
  await rate.count(sessionOf(1n, 1n));
});

test("the sessions of a merchant together have a limit as well, and those of operators have none", async () => {
  const rate = open(5);
  for (let count = 0; count < 50; count += 1) await rate.count(sessionOf(1n, BigInt(count)));
  await expect(rate.count(sessionOf(1n, 99n))).rejects.toEqual(LIMITED);
  await rate.count(sessionOf(2n, 100n));
  for (let count = 0; count < 60; count += 1) await rate.count(sessionOf(0n, 1000n + BigInt(count), "operator"));
});

test("a cookie that no session has is counted before anything is looked up, and no other one with it", async () => {
  const rate = open(5);
  let looks = 0;
  const look = (session: Session | null) => () => {
    looks += 1;
    return Promise.resolve(session);
  };
  for (let count = 0; count < 20; count += 1) await rate.findSession("good", look(sessionOf(1n, 1n)));
  for (let count = 0; count < 5; count += 1) expect(await rate.findSession("dead", look(null))).toBeNull();
  await expect(rate.findSession("dead", look(null))).rejects.toEqual(LIMITED);
  expect(looks).toBe(25);
  expect(await rate.findSession("another", look(null))).toBeNull();
});
