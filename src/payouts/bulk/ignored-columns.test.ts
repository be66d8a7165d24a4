// Columns that Nodal ignores in a payout file.
import { expect, test } from "vitest";
import { readCsvTable } from "../../platform/csv-table.ts";
import { showNotes } from "./file-line.ts";
import { findForeignCurrencies, warnOfIgnoredColumns } from "./ignored-columns.ts";

/** Reads lines of an amount and one other column. */
function tableOf(heading: string, lines: readonly string[]) {
  const text = [`name,amount,${heading}`, ...lines.map((line) => `Asha,${line}`)].join("\n");
  return readCsvTable(new TextEncoder().encode(text), {
    items: "payouts",
    maxRows: 10,
    columns: ["name", "amount"].map((name) => [name, name] as const),
    required: ["amount"],
    key: "test",
  });
}
const linesOf = (notes: readonly { readonly line: number }[]): number[] => notes.map(({ line }) => line);

test("a currency other than the rupee is an error of its line", async () => {
  for (const heading of ["currency", "Currency Code", "CCY", "amount_currency"]) {
    const cells = ["INR", "Rs", "Rs.", "₹", "Indian Rupee", "", "USD", "US Dollar", "$"];
    const table = await tableOf(
      heading,
      cells.map((cell) => `100.00,${cell}`),
    );
    const errors = findForeignCurrencies(table);
    expect(linesOf(errors)).toEqual([8, 9, 10]);
    expect(showNotes(errors)[0]).toEqual({
      line: 8,
      field: heading,
      message: `${heading} must be INR: “USD” is not paid. Write the amount in rupees with INR, or remove the line.`,
    });
  }
  expect(findForeignCurrencies(await tableOf("country", ["1.00,US"]))).toEqual([]);
});

test("an ignored column that would change an amount is a warning that somebody has to accept", async () => {
  for (const heading of [
    "net_amount",
    "TDS",
    "Discount",
    "Net Payable",
    "deductions",
    "GST amount",
    "tds_rate",
    "Qty",
  ]) {
    const [warning, ...others] = warnOfIgnoredColumns(await tableOf(heading, ["590.00,", "590.00,59.00", "100.00,10"]));
    expect([others, warning]).toMatchObject([[], { line: 3, field: heading, mustAccept: true }]);
    expect(warning!.problem).toContain("“59.00”, but 590.00 is paid. 1 more line has one.");
  }
  expect(
    warnOfIgnoredColumns(
      await tableOf("net_amount", ["590.50,Rs. 590.5", "590.00,590", '590,"590.00"', "5.00,0.00", "5.00,-"]),
    ),
  ).toEqual([]);
  for (const heading of ["tds_section", "gst number", "reference note"])
    expect(warnOfIgnoredColumns(await tableOf(heading, ["590.00,194", "590.00,12"]))).toEqual([]);
});

test("an ignored column that marks a line as paid is a warning that somebody has to accept", async () => {
  for (const heading of ["status", "Payment Status", "paid", "Already paid"]) {
    const [warning, ...others] = warnOfIgnoredColumns(await tableOf(heading, ["5.00,", "5.00,unpaid", "5.00,PAID"]));
    expect([others, warning]).toMatchObject([[], { line: 4, field: heading, mustAccept: true }]);
  }
  expect(linesOf(warnOfIgnoredColumns(await tableOf("On hold", ["5.00,", "5.00,N", "5.00,Y"])))).toEqual([4]);
  expect(linesOf(warnOfIgnoredColumns(await tableOf("UTR", ["5.00,", "5.00,HDFCN52026112000001"])))).toEqual([3]);
  expect(warnOfIgnoredColumns(await tableOf("status", ["5.00,Pending", "5.00,To be paid", "5.00,-"]))).toEqual([]);
  expect(warnOfIgnoredColumns(await tableOf("department", ["5.00,PAID", "5.00,12"]))).toEqual([]);
});

test("a column with the unit of amounts, or with amounts in paise, is a warning that somebody has to accept", async () => {
  for (const [heading, unit] of [
    ["unit", "paise"],
    ["Unit", "in lakhs"],
    ["Amount Unit", "Rs. lakh"],
    ["denomination", "1000"],
    ["Scale", "'000"],
    ["multiplier", "100"],
  ]) {
    const [warning, ...others] = warnOfIgnoredColumns(await tableOf(heading!, ["5.00,", "5.00,INR", `5.00,${unit}`]));
    expect([others, warning]).toMatchObject([[], { line: 4, field: heading, mustAccept: true }]);
  }
  expect(warnOfIgnoredColumns(await tableOf("unit", ["5.00,Rupees", "5.00,1", "5.00,Pune plant", "5.00,"]))).toEqual(
    [],
  );
  const paise = await tableOf("amount_paise", ["590.50,59050", "0.05,5", "590,59000", "590.00,590", "59000,59000"]);
  const [warning] = warnOfIgnoredColumns(paise);
  expect(warning).toMatchObject({ line: 5, field: "amount_paise", mustAccept: true });
  expect(warning!.problem).toContain("1 more line has one");
});

test("a column that says whether a line is to be paid is a warning that somebody has to accept", async () => {
  for (const heading of ["pay?", "Pay", "To be paid", "Approved?", "Release (Y/N)", "include", "OK to pay"]) {
    for (const no of ["N", "no", "FALSE", "0", "hold", ""]) {
      const [warning, ...others] = warnOfIgnoredColumns(await tableOf(heading, ["5.00,Y", "5.00,yes", `5.00,${no}`]));
      expect([others, warning], `${heading}: ${no}`).toMatchObject([[], { line: 4, field: heading, mustAccept: true }]);
    }
    expect(warnOfIgnoredColumns(await tableOf(heading, ["5.00,", "5.00,"]))).toEqual([]);
    expect(warnOfIgnoredColumns(await tableOf(heading, ["5.00,Y", "5.00,Yes"]))).toEqual([]);
  }
  for (const heading of ["skip", "Exclude?", "Do not pay", "stop payment", "Rejected", "duplicate"])
    expect(linesOf(warnOfIgnoredColumns(await tableOf(heading, ["5.00,", "5.00,N", "5.00,Y"])))).toEqual([4]);
});
