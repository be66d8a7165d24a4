// Money between the API and paise: what is accepted, what is refused, and that nothing is lost.
import fc from "fast-check";
import { expect, test } from "vitest";
import { divideRounded, formatPaise, formatThousandths, parsePaise } from "./money.ts";

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
  [" 5.90\t", 590n],
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

test.each([
  [7n, 2n, 4n],
  [-7n, 2n, -4n],
  [5n, 4n, 1n],
  [-5n, 4n, -1n],
  [0n, 3n, 0n],
  [-1n, 3n, 0n],
])("%s divided by %s is %s: half away from zero", (dividend, divisor, quotient) => {
  expect(divideRounded(dividend, divisor)).toBe(quotient);
});

test("a rounded quotient is off by half at most, and a half goes away from zero", () => {
  fc.assert(
    fc.property(fc.bigInt(-(10n ** 30n), 10n ** 30n), fc.bigInt(1n, 10n ** 12n), (dividend, divisor) => {
      const quotient = divideRounded(dividend, divisor);
      const offTwice = 2n * (quotient * divisor - dividend);
      const isAway = dividend < 0n ? offTwice === -divisor : offTwice === divisor;
      expect(isAway || (offTwice < divisor && offTwice > -divisor)).toBe(true);
    }),
  );
});

test.each([
  [0n, "0"],
  [18_000n, "18"],
  [100_000n, "100"],
  [2500n, "2.5"],
  [125n, "0.125"],
  [10n, "0.01"],
  [10_050n, "10.05"],
])("%s thousandths are %s", (thousandths, text) => expect(formatThousandths(thousandths)).toBe(text));
