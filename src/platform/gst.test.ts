import { expect, test } from "vitest";
import {
  GSTIN_PATTERN,
  gstRatesOn,
  isEInvoiceNumber,
  isKnownRate,
  isUsualHsn,
  lastDayToCredit,
  panOfGstin,
} from "./gst.ts";

test.each([
  ["a taxpayer", "29AAACI1234K1Z5"],
  ["a taxpayer in lower case", "29aaaci1234k1z5"],
  ["a UN body or an embassy", "0717USA12345UNF"],
  ["another notified person", "0717USA12345ONF"],
  ["a tax deductor with a TAN", "27MUMA12345B1DX"],
  ["a tax deductor with a PAN", "27AAACI1234K1D5"],
  ["a tax collector", "27AAACI1234K1C5"],
  ["a department", "27MUMA12345B1Z5"],
  ["an online service from abroad", "9917IRL29003OSG"],
  ["a non-resident", "2720SGP00012NR1"],
])("the form of %s is a GSTIN's", (_who, gstin) => expect(gstin).toMatch(GSTIN_PATTERN));

test.each([
  "",
  "29",
  "00AAACI1234K1Z5",
  "39AAACI1234K1Z5",
  "29AAACI1234K1Z",
  "29AAACI1234K1Z55",
  "0717US112345UNF",
  "0717USA12345UXF",
])("%s is none", (text) => expect(text).not.toMatch(GSTIN_PATTERN));

test("the PAN of a taxpayer is in its GSTIN, and none in others", () => {
  expect(panOfGstin("29AAACI1234K1Z5")).toBe("AAACI1234K");
  for (const gstin of ["", "0717USA12345UNF", "27MUMA12345B1DX", "9917IRL29003OSG"])
    expect(panOfGstin(gstin)).toBeNull();
});

test("a rate came or went on a day", () => {
  const has = (day: string) => [28_000n, 40_000n].map((rate) => gstRatesOn(day).includes(rate));
  expect(has("2025-09-21")).toEqual([true, false]);
  expect(has("2025-09-22")).toEqual([true, true]);
  expect(has("2026-01-31")).toEqual([true, true]);
  expect(has("2026-02-01")).toEqual([false, true]);
});

test("rates, codes and numbers", () => {
  expect([0n, 250n, 18_000n, 40_000n].every(isKnownRate)).toBe(true);
  expect([17_000n, 180n, 1n].some(isKnownRate)).toBe(false);
  expect(["9983", "998314", "09021010"].every(isUsualHsn)).toBe(true);
  expect(["", "902", "99831", "ABC", "998314.0", "9.98314E+05", "0000", "000000", "00998314"].some(isUsualHsn)).toBe(
    false,
  );
  expect(["INV-1", "1", "A/0"].every(isEInvoiceNumber)).toBe(true);
  expect(["0001", "-1", "/1"].some(isEInvoiceNumber)).toBe(false);
});

test.each([
  ["2026-03-31", "2026-11-30"],
  ["2026-04-01", "2027-11-30"],
  ["2025-12-31", "2026-11-30"],
])("the tax of an invoice of %s can be credited until %s", (billDate, lastDay) => {
  expect(lastDayToCredit(Temporal.PlainDate.from(billDate))).toBe(lastDay);
});
