// CSV files that end within a line: refused if the last cell could be another amount, date or side.
import { describe, expect, test } from "vitest";
import { linesOf, read, rows } from "./testing.ts";

const REFUSAL = /the file ends there without a line break, so it seems to be cut off\. Download the statement again/;

describe("a last line without a line break", () => {
  const HEAD = "Date,Narration,Debit,Credit";
  const ONE = "20/11/2026,A,100.00,";

  test.each([
    [HEAD, ONE, "21/11/2026,B,,1500.0", "Credit: the amount “1500.0” may be cut"],
    [HEAD, ONE, "21/11/2026,B,,15", "Credit: the amount “15” may be cut"],
    [HEAD, ONE, '21/11/2026,B,,"1,500"', "Credit: the amount “1,500” may be cut"],
    [HEAD, ONE, "21/11/2026,B,,", "Credit: the last cell is empty"],
    [HEAD, "20/11/2026,A,100,", "21/11/2026,B,,15", "Credit: the amount “15” may be cut"],
    [HEAD, "20/11/2026,A,,100.00-", "21/11/2026,B,,150.00", "Credit: the amount “150.00” may be cut"],
    ["Narration,Debit,Credit,Date", "A,100.00,,20/11/2026", "B,,5.00,21/11/20", "Date: the date “21/11/20” is shorter"],
    ["Date,Narration,Amount,Type", "20/11/2026,A,5.00,PAID IN", "21/11/2026,B,5.00,PAID", "Type: “PAID” may be cut"],
    ["Date,Debit,Credit,Status", "20/11/2026,100.00,,FAILED", "21/11/2026,5.00,,", "Status: the last cell is empty"],
    [HEAD, ONE, "21/11", "Date: “21/11” seems to be part of a date"],
    [HEAD, ONE, "2", "Date: “2” seems to be part of a date"],
  ])("%s / %s / %s", async (head, line, last, problem) => {
    const file = rows(head, line) + last;
    await expect(read(file)).rejects.toThrow(`Line 3, ${problem}`);
    await expect(read(file)).rejects.toThrow(REFUSAL);
  });

  test.each([
    [HEAD, ONE, "21/11/2026,B,,1500.00"],
    [HEAD, ONE, "21/11/2026,B,1500.00,"],
    [HEAD, "20/11/2026,A,100.0,", "21/11/2026,B,,15.5"],
    ["Date,Debit,Credit,Narration", "20/11/2026,100,,A", "21/11/2026,,15,B"],
    ["Date,Narration,Debit,Credit,Balance", "20/11/2026,A,100,,900", "21/11/2026,B,,15,915"],
    ["Date,Narration,Amount,Type", "20/11/2026,A,5,CR", "21/11/2026,B,5,DR"],
    ["Narration,Debit,Credit,Date", "A,100.00,,20/11/26", "B,,5.00,21/11/26"],
    ["Date,Debit,Credit,Status", "20/11/2026,100.00,,SUCCESS", "21/11/2026,5.00,,SUCCESS"],
  ])("%s / %s / %s is whole", async (head, line, last) => {
    expect(await linesOf(rows(head, line) + last)).toHaveLength(2);
  });

  test("and a text of the bank's at the end are read", async () => {
    for (const end of ["Total,,100.00,0.00", "This is a computer generated statement", "** End **"])
      expect(await linesOf(rows(HEAD, ONE) + end)).toHaveLength(1);
  });

  test("with a line break is whole", async () => {
    expect(await linesOf(rows(HEAD, "20/11/2026,A,100,", "21/11/2026,B,,15"))).toHaveLength(2);
  });
});

test("a file with amounts in its last column is refused or has every line, wherever it is cut", async () => {
  const lines = ["20/11/2026,A,100.00,", "21/11/2026,B,,15.25"];
  const text = rows("Date,Narration,Debit,Credit", ...lines);
  const whole = await linesOf(text);
  const start = text.indexOf(lines[1]!);
  const outcomes: (string[] | null)[] = [];
  for (let end = start + 1; end < text.length - 1; end += 1)
    outcomes.push(await linesOf(text.slice(0, end)).catch(() => null));
  expect(outcomes.filter((outcome) => outcome !== null && outcome.join() !== whole.join())).toEqual([]);
});
