// Places of accounts: parsing them, moving others down, and the first account.
import { expect, test } from "vitest";
import type { FieldError } from "../../platform/errors.ts";
import { behind, firstRails, formatPriorities, makeRoom, readPriorities } from "./priorities.ts";
import type { Priorities } from "./provider-account.ts";

const account = (accountId: bigint, priorities: Priorities, disconnectedAt: Temporal.Instant | null = null) => ({
  provider: "cashfree" as const,
  merchantId: 1_000_001n,
  accountId,
  priorities,
  disconnectedAt,
});
const gone = Temporal.Now.instant();

function read(text: string): Priorities | string[] {
  const errors: FieldError[] = [];
  const places = readPriorities(text, [account(1n, { IMPS: 1, UPI: 3 })], errors);
  return errors.length > 0 ? errors.map(({ field }) => field) : places;
}

test.each([
  ["IMPS=1,NEFT=2", { IMPS: 1, NEFT: 2 }],
  [" upi=9 , rtgs=10", { UPI: 9, RTGS: 10 }],
  ["none", {}],
  ["all", { IMPS: 2, NEFT: 1, RTGS: 1, UPI: 4 }],
])("%s is read", (text, places) => {
  expect(read(text)).toEqual(places);
});

test.each(["", "IMPS", "IMPS=0", "IMPS=100", "IMPS=1,IMPS=2", "ACH=1", "IMPS=1;NEFT=2", "ALL"])(
  "%j is refused",
  (text) => {
    expect(read(text)).toEqual(["modes"]);
  },
);

test("a new account comes behind those that are connected; the first for each way carries it", () => {
  const first = account(1n, behind([]));
  const second = account(2n, behind([first]));
  expect([first.priorities.IMPS, second.priorities.IMPS]).toEqual([1, 2]);
  expect(firstRails([second, first])).toEqual({
    IMPS: "cashfree:1",
    NEFT: "cashfree:1",
    RTGS: "cashfree:1",
    UPI: "cashfree:1",
  });
  expect(firstRails([account(1n, { UPI: 2 }), account(2n, { UPI: 1 }, gone), account(3n, { IMPS: 7 })])).toEqual({
    UPI: "cashfree:1",
    IMPS: "cashfree:3",
  });
  expect(firstRails([account(1n, {})])).toEqual({});
  expect(firstRails([account(1n, { IMPS: 1 }, gone)])).toBeNull();
  expect(behind([account(1n, { IMPS: 5 }, gone)]).IMPS).toBe(1);
});

test("an account that takes a place moves back who has it, and whoever is behind that one", () => {
  const others = [account(1n, { IMPS: 1, UPI: 1 }), account(2n, { IMPS: 2 }), account(3n, { IMPS: 4 })];
  const moved = makeRoom({ IMPS: 1, NEFT: 1 }, others);
  expect(moved.map(({ accountId, priorities }) => [accountId, formatPriorities(priorities)])).toEqual([
    [1n, "IMPS=2,UPI=1"],
    [2n, "IMPS=3"],
  ]);
  expect(makeRoom({ IMPS: 3 }, others)).toEqual([]);
});
