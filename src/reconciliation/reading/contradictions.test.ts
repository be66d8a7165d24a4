// Lines whose parts contradict each other, and rows that change the meaning of columns below them.
import { describe, expect, test } from "vitest";
import { linesOf, read, rows } from "./testing.ts";

describe("a word with an amount that names another side", () => {
  const AMOUNTS = "Date,Narration,Amount,Type";
  const SIDES = "Date,Narration,Debit,Credit";

  test.each([
    [AMOUNTS, "20/11/2026,A,1000.00 CR,DR", "Amount", "“1000.00 CR” names a credit, beside “DR”"],
    [AMOUNTS, "20/11/2026,A,1000.00 (Dr),Credit", "Amount", "“1000.00 (Dr)” names a debit, beside “Credit”"],
    [SIDES, "20/11/2026,A,1000.00 CR,", "Debit", "“1000.00 CR” names a credit, in a column of debits"],
    [SIDES, "20/11/2026,A,,500.00Dr", "Credit", "“500.00Dr” names a debit, in a column of credits"],
    [SIDES, "20/11/2026,A,,-500.00 DR", "Credit", "“-500.00 DR” names a debit, in a column of credits"],
    [`${SIDES},Dr/Cr`, "20/11/2026,A,,500.00,DR", "Credit", "“Dr/Cr DR” names a debit, and the amount is a credit"],
    [
      `${SIDES},Type`,
      "20/11/2026,A,500.00,,Credit",
      "Debit",
      "“Type Credit” names a credit, and the amount is a debit",
    ],
    [SIDES, "20/11/2026,A,500.00,400.00", "Debit", "the line has both a debit and a credit"],
    [SIDES, "Note: part 2,,,\n20/11/2026,A,500.00,400.00", "Debit", "the line has both a debit and a credit"],
  ])("%s: %s is refused", async (head, line, column, problem) => {
    const others = ["19/11/2026,B,5.00 DR,DR", "19/11/2026,B,5.00,,"][head === AMOUNTS ? 0 : 1]!;
    const file = rows(
      head,
      head.endsWith("Dr/Cr") || head.endsWith("Type") ? others.replace(/,$/, ",DR") : others,
      line,
    );
    await expect(read(file.replaceAll(",,\n", ",\n"))).rejects.toThrow(`, ${column}: ${problem}`);
  });

  test("a word that says the same again is read", async () => {
    expect(
      await linesOf(rows(AMOUNTS, "20/11/2026,A,1000.00 CR,CR", "21/11/2026,B,5.00 Dr.,DR", "22/11/2026,C,6.00,DR")),
    ).toEqual(["2026-11-20 | 1000.00 | none | A", "2026-11-21 | -5.00 | none | B", "2026-11-22 | -6.00 | none | C"]);
    expect(
      await linesOf(
        rows(`${SIDES},Dr/Cr`, "20/11/2026,A,1000.00 Dr,,DR", "21/11/2026,B,,5.00,CR", "22/11/2026,C,,6.00,"),
      ),
    ).toEqual(["2026-11-20 | -1000.00 | none | A", "2026-11-21 | 5.00 | none | B", "2026-11-22 | 6.00 | none | C"]);
    // Such a column holds channels, or the side of the balance.
    for (const head of [`${SIDES},Type`, `${SIDES},Balance,Dr/Cr`]) {
      const rest = head.endsWith("Type") ? "NEFT" : "5.00,DR";
      expect(await linesOf(rows(head, `20/11/2026,A,,5.00,${rest}`))).toEqual(["2026-11-20 | 5.00 | none | A"]);
    }
  });
});

describe("a minus that contradicts a word", () => {
  const HEAD = "Date,Narration,Amount,Type,Balance";

  test.each([
    ["20/11/2026,A,-1000.00,CR,", "“-1000.00” came in or went out"],
    ["20/11/2026,A,(1000.00),Credit,", "“(1000.00)” came in or went out"],
    ["20/11/2026,A,-500.00,DR,\n21/11/2026,B,20.00,DR,", "“-500.00” came in or went out"],
  ])("%s is refused", async (line, problem) => {
    await expect(read(rows(HEAD, line))).rejects.toThrow(`Line 2, Amount: nothing says whether ${problem}`);
  });

  test("is read where balances prove the line, and where all debits have one", async () => {
    expect(await linesOf(rows(HEAD, "19/11/2026,A,50.00,CR,150.00", "20/11/2026,B,-50.00,CR,100.00"))).toEqual([
      "2026-11-19 | 50.00 | none | A",
      "2026-11-20 | -50.00 | none | B",
    ]);
    expect(
      await linesOf(rows(HEAD, "19/11/2026,A,-50.00,DR,", "20/11/2026,B,-5.00,DR,", "21/11/2026,C,7.00,CR,")),
    ).toEqual(["2026-11-19 | -50.00 | none | A", "2026-11-20 | -5.00 | none | B", "2026-11-21 | 7.00 | none | C"]);
  });
});

describe("a row that names columns of amounts otherwise", () => {
  const HEAD = "Date,Narration,UTR,Debit,Credit";
  const [ONE, OTHER] = ["20/11/2026,A,R1,100.00,", "21/11/2026,B,R2,50.00,"];

  test.each([
    [",,,Credit,Debit"],
    [",,,Deposit (INR),Withdrawal (INR)"],
    [",,,Credit,"],
    ["Page 2,,,CREDIT,DEBIT"],
    ["Date,Narration,UTR,Credit,Debit"],
  ])("%s is refused with its line if lines follow", async (row) => {
    await expect(read(rows(HEAD, ONE, row, OTHER))).rejects.toThrow("Line 3 begins another table.");
    await expect(read(rows(HEAD, row, OTHER))).rejects.toThrow("Line 2 begins another table.");
    expect(await linesOf(rows(HEAD, ONE, row))).toHaveLength(1);
  });

  test("headings of which another column has moved are refused too", async () => {
    const head = "Date,Narration,Amount,Dr/Cr,Balance,Reference";
    const moved = "Date,Narration,Amount,Reference,Balance,Dr/Cr";
    const [line, below] = ["20/11/2026,A,5.00,DR,,R1", "21/11/2026,B,5.00,CR,,DR"];
    await expect(read(rows(head, line, moved, below))).rejects.toThrow("Line 3 begins another table.");
  });

  test("the same names again are read", async () => {
    for (const row of [",,,Debit,Credit", ",,,DEBIT (INR),CREDIT (INR)", "DATE,NARRATION,UTR NO,DEBIT,CREDIT"])
      expect(await linesOf(rows(HEAD, ONE, row, OTHER))).toHaveLength(2);
  });
});
