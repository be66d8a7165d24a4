// Invoice numbers: financial years, formatting by a series, and which numbers can be given by hand.
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  financialYearOf,
  isOfSeries,
  isWellFormedNumber,
  namesInvoiceNumber,
  writeNumber,
  type NumberSeries,
} from "./number-series.ts";

function seriesOf(changes: Partial<NumberSeries> = {}): NumberSeries {
  return { seriesId: 1n, prefix: "INV/{FY}/", width: 4, yearly: true, ...changes };
}

test.each([
  ["2026-03-31", 2025],
  ["2026-04-01", 2026],
  ["2026-12-31", 2026],
  ["2027-01-01", 2026],
])("%s is in the financial year that begins in %s", (date, year) => {
  expect(financialYearOf(Temporal.PlainDate.from(date))).toBe(year);
});

test.each<[Partial<NumberSeries>, number, bigint, string | null]>([
  [{}, 2026, 1n, "INV/2627/0001"],
  [{}, 2026, 12_345n, "INV/2627/12345"],
  [{ prefix: "{FY}-{FY}-", width: 1 }, 2026, 7n, "2627-2627-7"],
  [{ prefix: "A-", width: 3 }, 2026, 7n, "A-007"],
  // Both years in two digits, also where a century turns.
  [{}, 2008, 1n, "INV/0809/0001"],
  [{}, 2099, 1n, "INV/9900/0001"],
  // GST allows 16 characters.
  [{}, 2026, 9_999_999n, "INV/2627/9999999"],
  [{}, 2026, 10_000_000n, null],
])("%j writes in %s as number %s: %s", (changes, year, counter, number) => {
  expect(writeNumber(seriesOf(changes), year, counter)).toBe(number);
});

test.each([
  ["INV/2627/0001", true],
  ["INV/2627/1", true],
  ["inv/2627/0001", true],
  ["INV/2627/", false],
  ["INV/2627/1A", false],
  ["INV/2627/A1", false],
  ["INV/2526/0001", false],
  ["XINV/2627/0001", false],
  ["0001", false],
])("whether %s is of the series INV/{FY}/ in 2026-27: %s", (number, expected) => {
  expect(isOfSeries("INV/{FY}/", 2026, number)).toBe(expected);
});

test("the case of a prefix makes no difference", () => {
  expect(isOfSeries("inv-", 2026, "INV-1")).toBe(true);
});

test("what a series writes is of it, may be sent by hand by its form, and is never written twice", () => {
  const prefix = fc.constantFrom("INV/{FY}/", "a-", "{FY}", "");
  const counters = fc.uniqueArray(fc.bigInt(1n, 9_999_999n), { minLength: 2, maxLength: 2 });
  fc.assert(
    fc.property(
      prefix,
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 2017, max: 2198 }),
      counters,
      (text, width, year, pair) => {
        const series = seriesOf({ prefix: text, width });
        const [one, two] = pair.map((counter) => writeNumber(series, year, counter)!);
        expect(isOfSeries(text, year, one!)).toBe(true);
        expect(isWellFormedNumber(one!)).toBe(true);
        expect(one).not.toBe(two);
      },
    ),
  );
});

test.each([
  ["A", true],
  ["INV/26-27/00001", true],
  ["abcdefghijklmno9", true],
  ["abcdefghijklmno90", false],
  ["", false],
  ["INV 1", false],
  ["INV_1", false],
  ["#1", false],
  ["1\n", false],
])("whether %j may be sent: %s", (number, expected) => expect(isWellFormedNumber(number)).toBe(expected));

test.each([
  ["Invoice no", true],
  ["Invoice No.", true],
  ["Bill number", true],
  ["INVOICE #", true],
  ["Tax invoice num", true],
  ["invoiceno", true],
  ["  Invoice no  ", true],
  ["Invoice note", false],
  ["Invoice no of months", false],
  ["Our invoice no", false],
  ["Invoice  no", false],
  ["Taxinvoice no", false],
  ["Order no", false],
  ["Invoice", false],
  ["no", false],
])("whether a field named %j holds the invoice's number: %s", (name, expected) => {
  expect(namesInvoiceNumber(name)).toBe(expected);
});
