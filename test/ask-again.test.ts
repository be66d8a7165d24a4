// Which pages ask again by themselves, and when they stop.
import { expect, test } from "vitest";
import {
  isBatchUnderWay,
  isMessageUnderWay,
  isPayoutUnderWay,
  whileAnyUnderWay,
  whileUnderWay,
} from "../web/src/api/ask-again.ts";

const asked = <Answered>(data?: Answered) => ({ state: { data } });

test("a record is asked for again while it is under way, and not before it is there or after it ended", () => {
  const interval = whileUnderWay(isPayoutUnderWay);
  expect(["PENDING", "PENDING_APPROVAL"].map((status) => interval(asked({ status })))).toEqual([1500, 1500]);
  for (const status of ["SUCCESS", "FAILED", "REJECTED", "REVERSED"]) expect(interval(asked({ status }))).toBe(false);
  expect(interval(asked())).toBe(false);
});

test("a list is asked for again while one of its rows is under way", () => {
  type Page = { readonly messages: readonly { readonly state: string }[] };
  const interval = whileAnyUnderWay(({ messages }: Page) => messages, isMessageUnderWay);
  const page = (...states: string[]) => asked({ messages: states.map((state) => ({ state })) });
  expect(interval(page("Sent", "Queued"))).toBe(5000);
  expect(interval(page("Sent", "Failed", "Held"))).toBe(false);
  expect(interval(page())).toBe(false);
});

test.each([
  ["RUNNING", {}, true],
  ["FINISHED", { SUCCESS: {}, PENDING: {} }, true],
  ["FINISHED", { WAITING: {} }, true],
  ["FINISHED", { SUCCESS: {} }, false],
  ["CANCELLED", {}, false],
])("a bulk payout that is %s with %o is under way: %s", (batch_status, outcomes, isUnderWay) => {
  expect(isBatchUnderWay({ batch_status, outcomes })).toBe(isUnderWay);
});
