// The sentence about a failing field, under the name that it has where it is shown.
import { expect, test } from "vitest";
import { listed, sentenceOf } from "./errors.ts";

test.each([
  ["goes on from the name", "amount", "must be more than 0.", "amount must be more than 0."],
  ["follows a colon", "invoice[0].code", ": there is no such code.", "invoice[0].code: there is no such code."],
  ["is a sentence by itself", "mode", "This beneficiary has no UPI handle.", "This beneficiary has no UPI handle."],
  ["is about no field", "", "and 5 more, which are not listed.", "and 5 more, which are not listed."],
])("what is wrong %s", (_case, field, problem, sentence) => {
  expect(sentenceOf({ field, problem })).toBe(sentence);
  expect(listed({ field, code: "invalid", problem })).toEqual({ field, code: "invalid", message: sentence });
});
