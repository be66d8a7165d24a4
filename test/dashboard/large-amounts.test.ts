// Amounts above the largest that one payment can have, such as sums on the home page.
import { expect, test } from "vitest";
import { indianAmount, inWords, rupees, shortRupees } from "../../web/src/format/money.ts";

test("sums above the largest amount are shown as others are", () => {
  expect(rupees("99999999999999.99")).toBe("₹9,99,99,99,99,99,999.99");
  expect(rupees("-123456789012345678.00")).toBe("−₹1,23,45,67,89,01,23,45,678.00");
  expect(indianAmount("1000000000000000.50")).toBe("1,00,00,00,00,00,00,000.50");
  expect(inWords("100000000000000.00")).toMatch(/^Rupees .+ Only$/);
  for (const text of ["1e15", "12345678901234", "a", ""]) expect(rupees(text)).toBe(text);
});

test("an axis has lakh crore too", () => {
  expect(shortRupees(1_00_000_00_00_000_00n)).toBe("1 L Cr");
  expect(shortRupees(2_50_000_00_00_000_00n)).toBe("2.5 L Cr");
  expect(shortRupees(99_999_00_00_000_00n)).toBe("99999 Cr");
});
