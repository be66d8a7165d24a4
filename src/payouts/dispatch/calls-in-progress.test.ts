// Calls to banks that hang leave room for others.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { CallsInProgress, type BankCall } from "./dispatch-state.ts";

const by = (rail: string, merchantId: bigint): BankCall => ({ rail, merchantId });
type End = (isAnswered: boolean) => void;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Starts as many calls as there is room for, at most 100. */
function fill(calls: CallsInProgress, called: (place: number) => BankCall): End[] {
  const begun: End[] = [];
  while (begun.length < 100 && calls.hasRoom(called(begun.length))) begun.push(calls.begin(called(begun.length)));
  return begun;
}

test("a merchant has a quarter of the calls over an account, all to a provider half, and the rest is for others", () => {
  const calls = new CallsInProgress(64);
  const [end] = fill(calls, () => by("cashfree:1", 1n));
  expect(fill(calls, (place) => by(`cashfree:${place}`, BigInt(place + 2)))).toHaveLength(16);
  expect(fill(calls, () => by("razorpayx:9", 1n))).toHaveLength(16);
  expect(fill(calls, () => by("simulator", 1n))).toHaveLength(16);
  expect(calls.isFull).toBe(true);
  end!(true);
  expect(calls.hasRoom(by("cashfree:1", 1n))).toBe(true);
});

test("the simulated bank may have them all, and one call has always room where none is under way", () => {
  expect(fill(new CallsInProgress(64), () => by("simulator", 1n))).toHaveLength(64);
  expect(fill(new CallsInProgress(1), () => by("cashfree:1", 1n))).toHaveLength(1);
});

test("of three merchants at a provider two hang: the third finds room within two seconds, and they get one place at a time", () => {
  const calls = new CallsInProgress(64);
  const [one, two, three] = [by("cashfree:1", 1n), by("cashfree:2", 2n), by("cashfree:3", 3n)];
  const hanging = [one, two].flatMap((called) => fill(calls, () => called));
  expect(hanging).toHaveLength(32);
  expect(calls.hasRoom(three)).toBe(false);
  vi.advanceTimersByTime(2000);
  expect(fill(calls, () => three)).toHaveLength(16);
  expect([calls.hasRoom(one), calls.hasRoom(two)]).toEqual([false, false]);
  for (const end of hanging) end(false);
  expect(fill(calls, () => one)).toHaveLength(1);
  const [end] = fill(calls, () => two);
  expect(calls.hasRoom(two)).toBe(false);
  // Answers give the places back.
  end!(true);
  for (let time = 0; time < 10; time += 1) calls.begin(two)(true);
  expect(fill(calls, () => two).length).toBeGreaterThan(10);
});

test("without bound they don't hang: beyond four for each place they keep theirs", () => {
  const calls = new CallsInProgress(4);
  for (let merchantId = 1n; merchantId < 100n; merchantId += 1n) {
    fill(calls, () => by("cashfree:1", merchantId));
    vi.advanceTimersByTime(2000);
  }
  expect(calls.hasRoom(by("cashfree:1", 1000n))).toBe(false);
});
