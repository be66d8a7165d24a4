// Tables that name another account among the lines.
import { expect, test } from "vitest";
import { linesOf, read, rows } from "./testing.ts";

const HEAD = "Date,Narration,Debit,Credit";
const [ONE, OTHER] = ["20/11/2026,A,100.00,", "21/11/2026,B,50.00,"];
const [FIRST, SECOND] = ["5010000000001", "5010000000002"];

test.each([
  ["Account Number: N", "Account Number: N"],
  ["Account Number: N", "A/c No: N"],
  ["Acct No. N", "Acct No. N"],
  ["Account,N", "Account,N"],
  ["Account Number : N (INR)", "Account Number : N (INR)"],
  ["Statement of Account N for November", "Statement of Account N for November"],
  ["Account Statement for A/c N", "Account Statement for A/c N"],
  ["Savings Account N", "Loan Account: N"],
])("%s and %s", async (above, between) => {
  const file = (second: string, ...headings: string[]) =>
    rows(above.replace(/\bN\b/, FIRST), HEAD, ONE, between.replace(/\bN\b/, second), ...headings, OTHER);
  const refusal = "The file has statements of two accounts: one ends in 0001, the other in 0002.";
  await expect(read(file(SECOND))).rejects.toThrow(refusal);
  await expect(read(file(SECOND, HEAD))).rejects.toThrow(refusal);
  await expect(read(file("XXXXXXXX0002"))).rejects.toThrow("two accounts");
  expect(await linesOf(file(FIRST))).toHaveLength(2);
  expect(await linesOf(file("********0001"))).toHaveLength(2);
});

test("masked numbers, and numbers in groups", async () => {
  for (const [one, other] of [
    ["XXXXXXXX0001", "XXXXXXXX0002"],
    ["5010 0000 0001", "5010 0000 0002"],
  ] as const)
    await expect(read(rows(`Account,${one}`, HEAD, ONE, `Account,${other}`, OTHER))).rejects.toThrow("two accounts");
  const hidden = rows("Account,5010XXXXXXXX123", HEAD, ONE, "Account,5010XXXXXXXX123", OTHER);
  expect(await linesOf(hidden)).toHaveLength(2);
});

test("a second table with a title of its own", async () => {
  const refusal = "two accounts: “Loan account” on line 3 begins another one.";
  await expect(read(rows(HEAD, ONE, "Loan account", HEAD, OTHER))).rejects.toThrow(refusal);
  await expect(read(rows(HEAD, ONE, "Loan account", OTHER))).rejects.toThrow(refusal);
  const page = ["Savings Account", HEAD];
  expect(await linesOf(rows(...page, ONE, ...page, OTHER, "Current Account"))).toHaveLength(2);
});

test("a column with the account of debits", async () => {
  const table = (second: string, amounts: string) =>
    rows(
      "Debit Account,Date,Narration,Debit,Credit",
      `${FIRST},20/11/2026,A,100.00,`,
      `${second},21/11/2026,B,${amounts}`,
    );
  await expect(read(table(SECOND, "50.00,"))).rejects.toThrow("one ends in 0001, the other in 0002");
  expect(await linesOf(table(FIRST, "50.00,"))).toHaveLength(2);
  // The account in a credit is the payer's.
  expect(await linesOf(table(SECOND, ",50.00"))).toHaveLength(2);
});

test("another account in a narration, a period or below the lines is none of the statement's", async () => {
  const file = rows(
    `Statement of Account ${FIRST}`,
    "Statement of Account for 01-11-2026 to 30-11-2026",
    "Statement of Account for 2026",
    HEAD,
    ONE,
    `,A/C No ${SECOND},,`,
    OTHER,
    `Account Number: ${SECOND}`,
  );
  expect(await linesOf(file)).toHaveLength(2);
});
