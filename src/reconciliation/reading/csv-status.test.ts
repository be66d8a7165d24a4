// Columns that show whether the bank booked a line.
import { describe, expect, test } from "vitest";
import { linesOf, read, rows } from "./testing.ts";

const line = (day: number, reference: string, out: string, status: string): string =>
  `${day}/11/2026,NEFT ${reference},${reference},${out},,${status}`;
const file = (heading: string, ...statuses: string[]): string =>
  rows(
    `Date,Narration,UTR,Debit,Credit,${heading}`,
    ...statuses.map((status, index) => line(index + 13, `HDFCN5202611${index + 10}`, "5.00", status)),
  );
/** The number of lines that count, and of those that were not booked. */
const counts = async (text: string): Promise<[number, number]> => {
  const { lines, notBookedCount } = await read(text);
  return [lines.length, notBookedCount];
};

describe("a status column", () => {
  test("leaves out what was not booked, with a count", async () => {
    const usual = ["Status", "Transaction Status", "TXN STATUS", "State", "Payment Status"];
    const others = [
      "Bank Status",
      "Settlement Status",
      "Status of Transaction",
      "Status Description",
      "UTR Status",
      "Result",
    ];
    for (const heading of [...usual, ...others, "Transaction Outcome", "Response"]) {
      const text = file(heading, "SUCCESS", "FAILED", "Pending", "Rejected", "");
      expect(await counts(text)).toEqual([2, 3]);
    }
    for (const word of `FAILURE|DECLINED|Cancelled|INITIATED|In Progress|IN_PROGRESS|Processing|On hold|UNSUCCESSFUL|Unpaid|NOT PROCESSED|
      Transaction Failed|FAILED - Insufficient funds|REVERSED|Returned`.split(/\s*\|\s*/))
      expect([word, ...(await counts(file("Status", "SUCCESS", word)))]).toEqual([word, 1, 1]);
  });

  test("of yes and no leaves out what was not booked", async () => {
    for (const heading of ["Success", "Booked", "Posted?", "Is Processed"]) {
      expect(await counts(file(heading, "Y", "N", "Yes", "no"))).toEqual([2, 2]);
    }
    for (const heading of ["Cancelled", "Failed?", "Rejected"]) {
      expect(await counts(file(heading, "Y", "N", "", "no"))).toEqual([3, 1]);
    }
  });

  test("keeps what was booked", async () => {
    for (const word of "Success|SUCCESSFUL|Completed|PROCESSED|Booked|SETTLED|Paid|POSTED|Transaction Successful|Success (00)|-".split(
      "|",
    ))
      expect([word, ...(await counts(file("Status", word)))]).toEqual([word, 1, 0]);
  });

  test("with another word is refused by line and column", async () => {
    await expect(read(file("Txn Status", "SUCCESS", "Maybe"))).rejects.toThrow(
      /^Line 3, Txn Status: “Maybe” .* Write SUCCESS/,
    );
    await expect(read(file("Status", "Partially paid"))).rejects.toThrow(/^Line 2, Status: /);
  });

  test("is one by what is in it: states of India and sides are none", async () => {
    expect(await counts(file("State", "Maharashtra", "Delhi", "Tamil Nadu"))).toEqual([3, 0]);
    expect(await counts(file("Status", "DR", "Dr", ""))).toEqual([3, 0]);
    const sides = rows("Date,Narration,Amount,Status", "13/11/2026,A,5.00,DR", "14/11/2026,B,7.00,CR");
    expect(await linesOf(sides)).toEqual(["2026-11-13 | -5.00 | none | A", "2026-11-14 | 7.00 | none | B"]);
  });

  test("in HTML, with a narration that goes on below what was left out", async () => {
    const cells = (...texts: string[]): string => `<tr>${texts.map((text) => `<td>${text}</td>`).join("")}</tr>`;
    const html = `<table>${cells("Date", "Narration", "Debit", "Credit", "Status")}${cells("13/11/2026", "A", "5.00", "", "SUCCESS")}
      ${cells("13/11/2026", "B", "6.00", "", "FAILED")}${cells("", "OF B", "", "", "")}</table>`;
    expect(await linesOf(html)).toEqual(["2026-11-13 | -5.00 | none | A"]);
  });

  test("does not break balances: what failed moved nothing", async () => {
    const text = rows(
      "Date,Narration,Debit,Credit,Balance,Status",
      "13/11/2026,A,,100.00,100.00,SUCCESS",
      "14/11/2026,B,6.00,,100.00,FAILED",
      "15/11/2026,C,7.00,,93.00,SUCCESS",
    );
    expect(await counts(text)).toEqual([2, 1]);
    const newestFirst = text.trim().split("\n");
    expect(await counts(rows(newestFirst[0]!, ...newestFirst.slice(1).toReversed()))).toEqual([2, 1]);
    // The balance shows that the money left anyway.
    await expect(read(text.replace("100.00,FAILED", "94.00,FAILED").replace("93.00", "87.00"))).rejects.toThrow(
      "balance",
    );
  });

  test("a file in which nothing was booked says so", async () => {
    await expect(read(file("Status", "FAILED", "PENDING"))).rejects.toThrow("2 lines");
  });
});

describe("a line that was reversed", () => {
  const head = "Date,Narration,UTR,Debit,Credit,";
  test("is left out if its reversal has no line of its own", async () => {
    for (const heading of ["Reversal", "Reversed", "Reversal Flag", "Is Reversed"]) {
      const text = file(heading, "N", "Y", "", "Yes", "No");
      expect(await counts(text)).toEqual([3, 2]);
    }
    await expect(read(file("Reversed", "N", "perhaps"))).rejects.toThrow(/^Line 3, Reversed: “perhaps”/);
  });

  test("counts beside the line of its reversal", async () => {
    const returned = "14/11/2026,REV NEFT HDFCN520261110,HDFCN520261110,,5.00,";
    const debit = line(13, "HDFCN520261110", "5.00", "REVERSED");
    expect(await counts(rows(`${head}Status`, debit, `${returned}SUCCESS`))).toEqual([2, 0]);
    const other = line(15, "HDFCN520261199", "5.00", "SUCCESS");
    expect(await counts(rows(`${head}Status`, debit, `${returned}FAILED`, other))).toEqual([1, 2]);
  });

  test("counts if the balance shows that the money left", async () => {
    const text = rows(
      "Date,Narration,Debit,Credit,Balance,Status",
      "13/11/2026,A,,100.00,100.00,SUCCESS",
      "14/11/2026,B,6.00,,94.00,REVERSED",
      "15/11/2026,C,,6.00,100.00,SUCCESS",
    );
    expect(await counts(text)).toEqual([3, 0]);
    expect(await counts(text.replace("94.00", "100.00").replace(/15.*\n/, ""))).toEqual([1, 1]);
  });
});

test("a camt message counts what is not booked", async () => {
  const entry = (status: string): string =>
    `<Ntry><Amt Ccy="INR">1.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>${status}</Sts><BookgDt><Dt>2026-11-20</Dt></BookgDt></Ntry>`;
  const text = `<Document><BkToCstmrStmt><Stmt>${entry("BOOK")}${entry("PDNG")}</Stmt></BkToCstmrStmt></Document>`;
  expect(await counts(text)).toEqual([1, 1]);
});
