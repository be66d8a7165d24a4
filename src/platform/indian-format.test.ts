// Numbers and dates as people in India read them.
import fc from "fast-check";
import { expect, test } from "vitest";
import { formatIndianAmount, formatIndianDate, formatPercent, formatRupees } from "./indian-format.ts";
import { formatPaise } from "./money.ts";

test.each([
  [0n, "0.00"],
  [5n, "0.05"],
  [999_99n, "999.99"],
  [1_000_00n, "1,000.00"],
  [99_999_00n, "99,999.00"],
  [1_00_000_00n, "1,00,000.00"],
  [12_34_567_89n, "12,34,567.89"],
  [1_00_00_000_00n, "1,00,00,000.00"],
  [99_99_99_99_99_999_99n, "99,99,99,99,99,999.99"],
  [-1_23_456_70n, "\u22121,23,456.70"],
])("%s paise are %s", (paise, text) => {
  expect(formatIndianAmount(paise)).toBe(text);
});

test("any amount without its commas is the plain amount, with commas after three digits and then every two", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 18n }), (paise) => {
      const text = formatIndianAmount(paise);
      expect(text.replaceAll(",", "")).toBe(formatPaise(paise));
      expect(text).toMatch(/^(\d{1,2},)?(\d\d,)*\d{3}\.\d\d$|^\d{1,3}\.\d\d$/);
    }),
  );
});

test("the rupee sign stands after the minus sign", () => {
  expect(formatRupees(1_500_00n)).toBe("₹1,500.00");
  expect(formatRupees(-1_500_00n)).toBe("\u2212₹1,500.00");
});

test.each([
  [0n, "0%"],
  [125n, "0.125%"],
  [250n, "0.25%"],
  [2500n, "2.5%"],
  [10_000n, "10%"],
  [18_000n, "18%"],
  [100_000n, "100%"],
])("%s thousandths of a percent are %s", (thousandths, text) => {
  expect(formatPercent(thousandths)).toBe(text);
});

test("dates name the month", () => {
  const names = Array.from({ length: 12 }, (_, index) => formatIndianDate(new Temporal.PlainDate(2026, index + 1, 28)));
  expect(names.join(", ")).toBe(
    "28 Jan 2026, 28 Feb 2026, 28 Mar 2026, 28 Apr 2026, 28 May 2026, 28 Jun 2026, " +
      "28 Jul 2026, 28 Aug 2026, 28 Sep 2026, 28 Oct 2026, 28 Nov 2026, 28 Dec 2026",
  );
  expect(formatIndianDate(Temporal.PlainDate.from("2027-01-01"))).toBe("1 Jan 2027");
});
