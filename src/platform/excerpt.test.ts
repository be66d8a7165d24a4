// Long texts that others sent are only quoted in part.
import { expect, test } from "vitest";
import { Problems } from "../reconciliation/reading/statement.ts";
import { NodalError, fieldRefusal, listed, validationError, type FieldError } from "./errors.ts";
import { excerpt } from "./excerpt.ts";
import { fail } from "./http/field.ts";

const LONG = "9".repeat(20_000_000);

test("a text that is too long keeps its beginning and its end", () => {
  expect(excerpt("short", 300)).toBe("short");
  expect(excerpt("x".repeat(300), 300)).toHaveLength(300);
  const cut = excerpt(`“${LONG}” is not an amount.`, 300);
  expect(cut).toHaveLength(300);
  expect(cut).toMatch(/^“999.* … 9+” is not an amount\.$/);
  // No half of a surrogate pair.
  expect(excerpt("🙂".repeat(400), 300).isWellFormed()).toBe(true);
});

test("no error is longer than helps, whatever it quotes, and its causes stay whole", () => {
  const error = new NodalError("validation_failed", LONG, {
    errors: [{ field: LONG, code: "invalid", problem: `must not be ${LONG}.` }],
    details: { seen: LONG },
    cause: LONG,
  });
  expect(error.message.length).toBeLessThan(5000);
  expect(JSON.stringify([error.errors.map(listed), error.details]).length).toBeLessThan(3000);
  expect(error.cause).toBe(LONG);
  expect(fieldRefusal("validation_failed", "file", `“${LONG}” is not an amount.`).message.length).toBeLessThan(5000);
});

test("what is collected about fields and lines is short as well", () => {
  const errors: FieldError[] = [];
  for (let index = 0; index < 1500; index += 1) fail(errors, "amount", "invalid", `must not be ${LONG}.`);
  const { errors: told } = validationError(errors);
  expect(told.reduce((sum, { problem }) => sum + problem.length, 0)).toBeLessThan(1_000_000);
  expect(told.at(-1)!.problem).toBe("and 500 more, which are not listed.");
  const problems = new Problems();
  for (let line = 1; line <= 20; line += 1) problems.add(line, "amount", `“${LONG}” is not an amount.`);
  expect(() => problems.refuse()).toThrow(
    expect.objectContaining({
      message: expect.stringMatching(/^Line 1, .*Line 10, .*And 10 more\. Nothing/) as unknown,
    }),
  );
});
