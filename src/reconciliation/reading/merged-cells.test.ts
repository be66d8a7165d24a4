// HTML tables with a cell that spans several rows.
import { describe, expect, test } from "vitest";
import { balancesOf, linesOf, read } from "./testing.ts";

const HEAD = "<tr><td>Date</td><td>Narration</td><td>Ref No</td><td>Debit</td><td>Credit</td><td>Balance</td></tr>";
const table = (...rows: string[]): string => `<table>\n${[HEAD, ...rows].join("\n")}\n</table>`;

describe("a cell that spans rows", () => {
  test("is that of each line, if it is a date, a text or a word for the side", async () => {
    const text = `<table><tr><td>Date</td><td>Narration</td><td>Amount</td><td>Dr/Cr</td></tr>
      <tr><td rowspan="3">20/11/2026</td><td>A</td><td>100.00</td><td rowspan=2>DR</td></tr>
      <tr><td>B</td><td>200.00</td></tr><tr><td>C</td><td>300.00</td><td>CR</td></tr>
      <tr><td>21/11/2026</td><td>D</td><td>7.00</td><td>CR</td></tr></table>`;
    expect(await linesOf(text)).toEqual([
      "2026-11-20 | -100.00 | none | A",
      "2026-11-20 | -200.00 | none | B",
      "2026-11-20 | 300.00 | none | C",
      "2026-11-21 | 7.00 | none | D",
    ]);
  });

  test("with the amount of one line leaves the narration to go on", async () => {
    const text = table(
      `<tr><td rowspan=2>20/11/2026</td><td>PAID TO</td><td rowspan=2>632600000061</td><td rowspan=2>5.00</td>
       <td rowspan=2></td><td rowspan=2>95.00</td></tr>`,
      "<tr><td>ASHA RAO</td></tr>",
      "<tr><td>21/11/2026</td><td>B</td><td></td><td>5.00</td><td></td><td>90.00</td></tr>",
    );
    expect(await linesOf(text)).toEqual([
      "2026-11-20 | -5.00 | 632600000061 | PAID TO ASHA RAO",
      "2026-11-21 | -5.00 | none | B",
    ]);
    expect(await balancesOf(text)).toEqual(["100.00", "90.00"]);
  });

  test("is refused if it is the amount of two dated lines", async () => {
    const text = table(
      "<tr><td>20/11/2026</td><td>A</td><td></td><td rowspan=2>5.00</td><td></td><td>95.00</td></tr>",
      "<tr><td>20/11/2026</td><td>B</td><td></td><td></td><td>95.00</td></tr>",
    );
    await expect(read(text)).rejects.toThrow(
      "Line 4, Debit: the amount “5.00” is in a cell that spans several lines. Split the cell, so that each line has its own amount.",
    );
  });

  test("above the headings or in another table changes nothing", async () => {
    const text = `<table><tr><td rowspan=9>Logo</td><td>Account No : 50100000000001</td></tr></table>${table(
      "<tr><td>20/11/2026</td><td>A</td><td></td><td>5.00</td><td></td><td>95.00</td></tr>",
    )}`;
    expect(await linesOf(text)).toEqual(["2026-11-20 | -5.00 | none | A"]);
  });
});
