// Amounts with more than two decimals, where the point may be a thousands separator.
import { expect, test } from "vitest";
import { linesOf, read, rows } from "./testing.ts";

const table = (...amounts: string[]): string =>
  rows("Date,Narration,Debit,Credit", ...amounts.map((amount) => `20/11/2026,A,${amount}`));

test.each(["1.500", "25.000", "100.000", "1.500 Dr", "Rs.1.500", "-1.500", "1500.000,,,\n20/11/2026,B,10.00"])(
  "%s is refused as a debit",
  async (written) => {
    await expect(read(table(`${written},`))).rejects.toThrow(/Line [23], Debit: “.*” has 3 decimals/);
  },
);

test.each([
  ["Credit", ",25.000"],
  ["Debit", "1.500,\n21/11/2026,B,500,"],
  ["Debit", "1.500,\n21/11/2026,B,0.000,\n22/11/2026,C,2.00,"],
  ["Debit", "1500.0000,\n21/11/2026,B,2.500,"],
])("another %s: %s", async (column, amounts) => {
  await expect(read(table(amounts))).rejects.toThrow(new RegExp(`Line \\d, ${column}: “[\\d.]+” has \\d decimals`));
});

test("balances, charges, one column of amounts, opening balances and rows without a date are refused too", async () => {
  const head = "Date,Narration,Debit,Credit,Balance";
  await expect(read(rows(head, "20/11/2026,A,5.00,,1.500"))).rejects.toThrow("Line 2, Balance: “1.500” has 3 decimals");
  await expect(read(rows(head, ",Opening Balance,,,1.500", "20/11/2026,A,5.00,,1495.00"))).rejects.toThrow(
    "Line 2, Balance: “1.500” has 3 decimals",
  );
  await expect(read(rows("Date,Narration,Debit,Credit", "20/11/2026,A,5.00,", ",B,1.500,"))).rejects.toThrow(
    "Line 3, Debit: “1.500” has 3 decimals",
  );
  await expect(read(rows("Date,Type,Amount,UTR,Fees,Tax", "20/11/2026,DEBIT,1.00,AB12,5.900,0.90"))).rejects.toThrow(
    "Line 2, Fees: “5.900” has 3 decimals",
  );
  await expect(read(rows("Date,Narration,Amount", "20/11/2026,A,+1.500"))).rejects.toThrow("Line 2, Amount: “+1.500”");
});

test("a file whose amounts all have more decimals is read if one of them can't be thousands", async () => {
  const debits = async (...amounts: string[]) =>
    (await linesOf(table(...amounts.map((amount) => `${amount},`)))).map((line) => line.split(" | ")[1]);
  expect(await debits("1.500", "1500.000")).toEqual(["-1.50", "-1500.00"]);
  expect(await debits("1.500", "0.250")).toEqual(["-1.50", "-0.25"]);
  expect(await debits("1500.0000", "1.5000")).toEqual(["-1500.00", "-1.50"]);
  expect(await linesOf(table("1.500,0.000", "0.000,25.000"))).toEqual([
    "2026-11-20 | -1.50 | none | A",
    "2026-11-20 | 25.00 | none | A",
  ]);
  expect(await linesOf(table("1500.0000,0"))).toEqual(["2026-11-20 | -1500.00 | none | A"]);
});
