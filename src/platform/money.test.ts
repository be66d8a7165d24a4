// Money between the wire and paise: what is taken, what is refused, and that nothing is lost on the way.
import fc from "fast-check";
import { expect, test } from "vitest";
import { formatPaise, parsePaise } from "./money.ts";

test.each([
  ["100", 10_000n],
  [100, 10_000n],
  ["100.50", 10_050n],
  ["100.5", 10_050n],
  [100.5, 10_050n],
  [0.29, 29n],
  [1.1, 110n],
  ["0", 0n],
  ["0.01", 1n],
  ["9999999999999.99", 999_999_999_999_999n],
  [9999999999999.99, 999_999_999_999_999n],
  ["007", 700n],
])("takes %s", (value, paise) => expect(parsePaise(value)).toBe(paise));

test.each([
  "-1",
  "+1",
  "1e3",
  "1.234",
  "1.",
  ".5",
  "1,000",
  "₹1",
  "१००",
  "",
  "0x10",
  "1 0",
  "99999999999999",
  1e21,
  0.001,
])("refuses %s", (value) => expect(parsePaise(value)).toBeNull());

test.each([null, undefined, {}, [], true, -1, NaN, Infinity, 5n])("refuses %s", (value) =>
  expect(parsePaise(value)).toBeNull(),
);

test("printing and parsing are each other's inverse, as text and as a JSON number", () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 999_999_999_999_999n), (paise) => {
      const text = formatPaise(paise);
      expect(text).toMatch(/^[0-9]+\.[0-9]{2}$/);
      expect(parsePaise(text)).toBe(paise);
      expect(parsePaise(JSON.parse(text))).toBe(paise);
    }),
    { numRuns: 2000 },
  );
});

test("prints negative amounts with their sign", () => {
  expect([formatPaise(-5n), formatPaise(-12_345n), formatPaise(0n)]).toEqual(["-0.05", "-123.45", "0.00"]);
});
