// The list of IFSC codes: that it is there, small, and read as it was written.
import fc from "fast-check";
import { readFileSync, statSync } from "node:fs";
import { expect, test } from "vitest";
import { writeIfscList, writeNumbers } from "../../../scripts/ifsc-list.ts";
import { describeIfsc, readIfscList, readNumbers } from "./ifsc.ts";

const FILE = new URL("ifsc-list.txt", import.meta.url);
const text = readFileSync(FILE, "utf8");

test.each([
  ["HDFC0000001", "HDFC Bank", true],
  ["SBIN0008752", "State Bank of India", true],
  // Letters in the branch.
  ["AIRP00000SC", "Airtel Payments Bank", true],
  // Another bank's code with a bigger one: whole, and by its beginning.
  ["APBL0001001", "District Co-operative Central Bank Srikakul", true],
  ["YESB0ZSBL99", "Zila Sahakari Bank Lucknow", true],
  ["HDFC0ZZZZZZ", "HDFC Bank", false],
  ["ZZZZ0000001", null, false],
])("%s is of %s", (code, bank, isListed) => {
  expect(describeIfsc(code)).toEqual({ bank, isListed });
});

test("the file has nearly all banks and codes, its version and licence, and is small", () => {
  expect(statSync(FILE).size).toBeLessThan(400_000);
  expect(text).toMatch(/^# IFSC codes of the npm package ifsc, version [0-9.]+, fetched on 20[0-9-]{8}\./);
  expect(text).toContain("The MIT License");
  const { banks, tenants } = readIfscList(text);
  expect(banks.size).toBeGreaterThan(1000);
  expect(tenants.size).toBeGreaterThan(500);
  const counts = [...banks.values()].flatMap(({ digits, others }) =>
    [digits, others].flatMap((list) => readNumbers(list).map(([first, last]) => last - first + 1)),
  );
  expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(150_000);
});

test("numbers are read as they were written", () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 5000 })), fc.array(fc.integer({ min: 0, max: 36 ** 6 - 1 })), (few, wide) => {
      for (const numbers of [few, wide]) {
        const read = readNumbers(writeNumbers(numbers)).flatMap(([first, last]) =>
          Array.from({ length: last - first + 1 }, (_, index) => first + index),
        );
        expect(read).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
      }
    }),
  );
});

test("a file is made of the data of the package", () => {
  const made = writeIfscList({
    version: "1.2.3",
    fetchedOn: "2026-11-22",
    licence: "The licence\nin two lines\n",
    names: { HDFC: "HDFC | Bank", ABCX: "ABC" },
    branches: { HDFC: [1, 2, 3, 9, "0000AB", "NEFT02"] },
    tenants: { HDFC0C: "ABCX" },
  });
  expect(made.split("\n").filter((line) => !line.startsWith("#"))).toEqual([
    "ABCX|ABC||",
    "HDFC|HDFC Bank|2.2,6|ac,nefspr",
    ">|HDFC0C|ABCX",
    "",
  ]);
});
