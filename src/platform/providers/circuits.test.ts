// Circuit breakers of accounts: when one opens, what passes while it is open, and that it closes again.
import { beforeEach, expect, test } from "vitest";
import { Circuits, type CallEnd, type HealthChange } from "./circuits.ts";

const ANSWERED: CallEnd = { how: "answered" };
const DOWN: CallEnd = { how: "down", reason: "away" };
const SHORT: CallEnd = { how: "short", reason: "too little" };
const route = (account = "cashfree:1", merchantId = 1n) => ({ bucket: 1, merchantId, account });

let nowMs: number;
let circuits: Circuits;
let changes: HealthChange[];

beforeEach(() => {
  nowMs = 1000;
  circuits = new Circuits(() => nowMs);
  changes = [];
  circuits.onChange = (change) => void changes.push(change);
});

/** Makes so many calls, one after the other; returns how many passed. */
function call(end: CallEnd, times = 1, over = route(), what: "payment" | "question" = "payment"): number {
  let passed = 0;
  for (let time = 0; time < times; time += 1) {
    const pass = circuits.enter(over, what);
    if (!pass) continue;
    passed += 1;
    pass(end);
  }
  return passed;
}

test("five failures in a row open it, and fewer do not", () => {
  call(DOWN, 4);
  call(ANSWERED);
  call(DOWN, 4);
  expect(circuits.room(route())).toBe(Infinity);
  expect(call(DOWN, 9)).toBe(1);
  expect([circuits.room(route()), circuits.reasonOf(route())]).toEqual([0, "away"]);
  expect(changes).toMatchObject([{ account: "cashfree:1", reason: "away" }]);
  // Another account is separate.
  expect(circuits.room(route("cashfree:2"))).toBe(Infinity);
  expect(circuits.countOpen()).toEqual(new Map([["cashfree", 1]]));
});

test("one at a time tries it again, after pauses that grow; a success closes it", () => {
  call(DOWN, 5);
  nowMs += 1999;
  expect(call(ANSWERED)).toBe(0);
  nowMs += 1;
  expect(circuits.room(route())).toBe(1);
  const trial = circuits.enter(route(), "question")!;
  expect(circuits.enter(route(), "payment")).toBeNull();
  trial(DOWN);
  nowMs += 2000;
  expect(call(ANSWERED)).toBe(0);
  nowMs += 2000;
  expect(call(ANSWERED, 20)).toBe(20);
  expect(changes.map(({ reason }) => reason)).toEqual(["away", null]);
});

test("a trial that was not made, or says nothing, leaves the place to the next", () => {
  call(DOWN, 5);
  nowMs += 2000;
  call({ how: "none" });
  expect(circuits.room(route())).toBe(1);
  // A call from before it opened does not extend the pause, but its success closes the circuit.
  const early = new Circuits(() => nowMs);
  const passes = Array.from({ length: 7 }, () => early.enter(route(), "payment")!);
  for (const pass of passes.slice(0, 6)) pass(DOWN);
  nowMs += 2000;
  expect(early.room(route())).toBe(1);
  passes[6]!(ANSWERED);
  expect(early.room(route())).toBe(Infinity);
});

test("too little balance holds up the merchant that it was too little for, and no question", () => {
  expect(call(SHORT, 3)).toBe(1);
  expect([circuits.room(route()), circuits.room(route("cashfree:1", 2n))]).toEqual([0, Infinity]);
  expect(call(ANSWERED, 3, route(), "question")).toBe(3);
  expect(circuits.room(route())).toBe(0);
  // Payments of others don't show that this merchant's would work now.
  expect(call(ANSWERED, 1, route("cashfree:1", 2n))).toBe(1);
  expect(changes.map(({ reason }) => reason)).toEqual(["too little"]);
  nowMs += 2000;
  expect(call(ANSWERED, 3)).toBe(3);
  expect(changes.map(({ reason }) => reason)).toEqual(["too little", null]);
});

test("the provider's own word opens it at once, and what the database has noted is taken back by a success", () => {
  circuits.open(route(), "says so");
  expect(circuits.room(route())).toBe(0);
  circuits.noteEarlier(route("cashfree:2"));
  call(ANSWERED, 2, route("cashfree:2"));
  expect(changes.map(({ account, reason }) => [account, reason])).toEqual([
    ["cashfree:1", "says so"],
    ["cashfree:2", null],
  ]);
});
