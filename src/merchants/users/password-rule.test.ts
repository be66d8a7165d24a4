// Which passwords are too easy to guess, and that generated ones are not.
import { expect, test } from "vitest";
import { sentenceOf, type FieldError } from "../../platform/errors.ts";
import { decoderOf } from "../../platform/http/field.ts";
import { checkChosenPassword, chosenPassword, makePassword } from "./password-rule.ts";

function faultsOf(password: string): string[] {
  const errors: FieldError[] = [];
  checkChosenPassword(password, "asha.rao@example.com", "password", errors);
  return errors.map(sentenceOf);
}

test.each([
  "asha.rao@example.com",
  "Asha.Rao@Example.com1",
  "asha.rao2026!",
  "Password123",
  "passwordpassword",
  "qwertyuiop",
  "1q2w3e4r5t6y",
  "0123456789",
  "9876543210",
  "aaaaaaaaaaaa",
  "welcome@2026",
])("%s is refused", (password) => {
  expect(faultsOf(password)).toHaveLength(1);
});

test.each(["correct horse battery", "nine potatoes by noon", "Xk2!vv9-pq", "passwords are hard to choose"])(
  "%s is taken",
  (password) => {
    expect(faultsOf(password)).toEqual([]);
  },
);

test.each([
  ["nine char", 1],
  ["ten chars!", 0],
  ["x y".repeat(66), 0],
  ["x y".repeat(67), 1],
])("%j is of a length with %i faults", (password, faults) => {
  const errors: FieldError[] = [];
  decoderOf(chosenPassword())(password, "password", errors);
  expect(errors).toHaveLength(faults);
});

test("a made password is of 80 bits, acceptable, and another each time", () => {
  const made = makePassword();
  expect(made).toMatch(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/);
  expect(faultsOf(made)).toEqual([]);
  expect(makePassword()).not.toBe(made);
});
