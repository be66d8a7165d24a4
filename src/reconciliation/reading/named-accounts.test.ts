// Another account in the texts and columns of a table, under any label.
import { describe, expect, test } from "vitest";
import { linesOf, read, rows } from "./testing.ts";

const HEAD = "Date,Narration,Debit,Credit";
const [ONE, OTHER] = ["20/11/2026,A,100.00,", "21/11/2026,B,50.00,"];
const [FIRST, SECOND] = ["5010000000001", "5010000000002"];
const REFUSAL = "The file has statements of two accounts: one ends in 0001, the other in 0002.";

describe("between the lines", () => {
  test.each([
    ["CC/OD Account Number: N"],
    ["IBAN: N"],
    ["खाता संख्या: N"],
    ["खाता क्रमांक,N"],
    ["Acc. No. : N"],
    ["AccountNo:N"],
    ["Your Primary A/C Number - N (INR)"],
    ["Details of statement for customer account number N from 01/11/2026 to 30/11/2026"],
    ["Statement of transactions in Savings Account Number: N for the period"],
    ["Customer No: 987654321,Account No: N"],
    ["Account Number\nN"],
    ["Account Number,,,\n,N,,"],
    ["Name,Account Number\nASHA RAO,N"],
    ["Name: ASHA, Account: N"],
    [",Account Number: N,,"],
    [",A/c No.: N,,"],
  ])("%s", async (label) => {
    const file = (second: string, ...headings: string[]) =>
      rows(label.replace(/\bN\b/, FIRST), HEAD, ONE, label.replace(/\bN\b/, second), ...headings, OTHER);
    await expect(read(file(SECOND))).rejects.toThrow(REFUSAL);
    await expect(read(file(SECOND, HEAD))).rejects.toThrow(REFUSAL);
    expect(await linesOf(file(FIRST))).toHaveLength(2);
    expect(await linesOf(file(FIRST, HEAD))).toHaveLength(2);
  });

  test.each([
    ["Account No: N", "AB12345678", "AB12345679"],
    ["A/c No. : N", "SB-0012-34567", "SB-0012-34568"],
    ["Account Number,N", "ca01200034", "ca01200035"],
    [",Account No: N,,", "AB12345678", "AB12345679"],
    ["Account No/IFSC: N/HDFC0001234", FIRST, SECOND],
    ["Account No / IFSC Code : N / HDFC0001234", FIRST, SECOND],
    ["IFSC/Account No: HDFC0001234/N", FIRST, SECOND],
    ["Account Number & Type: N SAVINGS", FIRST, SECOND],
  ])("%s with %s and %s", async (label, one, second) => {
    const file = (number: string, ...headings: string[]) =>
      rows(label.replace(/\bN\b/, one), HEAD, ONE, label.replace(/\bN\b/, number), ...headings, OTHER);
    await expect(read(file(second))).rejects.toThrow("two accounts: one ends in ");
    await expect(read(file(second, HEAD))).rejects.toThrow("two accounts: one ends in ");
    expect(await linesOf(file(one))).toHaveLength(2);
    expect(await linesOf(file(one, HEAD))).toHaveLength(2);
  });

  test("codes of branches and texts with digits are no account", async () => {
    const texts = ["Account No IFSC: HDFC0001234", "Branch code: AB123456", "Account Statement No: ST2026001"];
    for (const text of texts) {
      const file = rows(`Account No: ${FIRST}`, text, HEAD, ONE, text.replace("1", "2"), HEAD, OTHER);
      expect(await linesOf(file)).toHaveLength(2);
    }
  });

  test("lines above the first account that the file names", async () => {
    const refusal = "line 2 is above the first account that it names, and line 5 below it";
    await expect(read(rows(HEAD, ONE, `Account No: ${FIRST}`, HEAD, OTHER))).rejects.toThrow(refusal);
    await expect(read(rows(HEAD, ONE, `Account No: ${FIRST}`, OTHER))).rejects.toThrow("two accounts");
    const balances = [`${HEAD},Balance`, `${ONE},900.00`, `${OTHER},850.00`];
    const [head, one, other] = balances as [string, string, string];
    expect(await linesOf(rows(head, one, `Account No: ${FIRST}`, head, other))).toHaveLength(2);
    expect(await linesOf(rows(HEAD, ONE, OTHER, `Account No: ${FIRST}`))).toHaveLength(2);
    expect(await linesOf(rows(`CC/OD No: ${FIRST}`, HEAD, ONE, `Account No: ${FIRST}`, HEAD, OTHER))).toHaveLength(2);
  });

  test("a label of another kind, above headings", async () => {
    for (const label of ["CC/OD No: N", "Loan No,N", "N"]) {
      const file = (second: string, ...headings: string[]) =>
        rows(label.replace(/\bN\b/, FIRST), HEAD, ONE, label.replace(/\bN\b/, second), ...headings, OTHER);
      await expect(read(file(SECOND, HEAD))).rejects.toThrow(REFUSAL);
      expect(await linesOf(file(FIRST, HEAD))).toHaveLength(2);
    }
  });

  test.each([
    ["501 0000 0000 01", "501-0000-0000-02"],
    ["५०१००००००००१", "५०१००००००००२"],
    ["5010.0000.00001", "50100 00000 002"],
    ["XXXXXXXXX0001", "5010000000002"],
    ["GB29 NWBK 6016 1331 9268 19", "GB94 BARC 1020 1530 0934 59"],
  ])("%s and %s, however they are grouped", async (one, second) => {
    const file = (number: string) => rows(`Account: ${one}`, HEAD, ONE, `Account: ${number}`, OTHER);
    await expect(read(file(second))).rejects.toThrow("two accounts");
    expect(await linesOf(file(one.replaceAll(/[ .-]/g, "")))).toHaveLength(2);
  });

  test("an IBAN is the account that it ends with", async () => {
    const file = (number: string) => rows(`Account No: ${number}`, HEAD, ONE, "IBAN: AE070331234567890123456", OTHER);
    expect(await linesOf(file("1234567890123456"))).toHaveLength(2);
    await expect(read(file("1234567890123457"))).rejects.toThrow("two accounts");
  });

  test.each([
    "Beneficiary account: N",
    "Transfer to A/c No: N",
    "Payee's A/c No N",
    "Account holder's mobile no: N",
    "Account Customer ID: N",
    "Phone: N",
    "Page total: 5010000000002",
    "Account opened on 01-11-2026, generated at 20261127101500",
    "Account balance: 5010000000002.00",
    ",TRF TO ACCOUNT N,,",
    ",NEFT TO,,\n,A/C: N,,",
    ",PAID TO ACCOUNT,,\n,N,,",
  ])("%s is no other account of the statement", async (text) => {
    const file = rows(`Account Number: ${FIRST}`, HEAD, ONE, text.replace(/\bN\b/, SECOND), OTHER);
    expect(await linesOf(file)).toHaveLength(2);
  });

  test("a line of 0.00 may name a payee's account", async () => {
    const [head, line] = [`${HEAD},Ref No`, `20/11/2026,PAID TO ACCOUNT,0.00,,${SECOND}`];
    expect(await linesOf(rows(`Account: ${FIRST},,,,`, head, `${ONE},`, line, `${OTHER},`))).toHaveLength(2);
  });
});

describe("a column", () => {
  const table = (heading: string, accounts: readonly string[], amounts = "5.00,") =>
    rows(`Date,${heading},Narration,Debit,Credit`, ...accounts.map((account) => `20/11/2026,${account},A,${amounts}`));

  test.each([
    "From Account",
    "Acc. No",
    "My A/c",
    "IBAN",
    "खाता संख्या",
    "account_number",
    "Source Account No.",
    "BankAccount",
  ])("%s has one account", async (heading) => {
    await expect(read(table(heading, [FIRST, SECOND]))).rejects.toThrow(REFUSAL);
    expect(await linesOf(table(heading, [FIRST, "XXXXXXXXX0001", ""]))).toHaveLength(3);
  });

  test.each([
    "Beneficiary Account",
    "To Account",
    "Payee A/c No",
    "Counterparty IBAN",
    "Remitter Account",
    "Account Name",
  ])("%s may have several", async (heading) => {
    expect(await linesOf(table(heading, [FIRST, SECOND]))).toHaveLength(2);
  });

  test("From Account is the payer's on a credit, and To Account the statement's", async () => {
    expect(await linesOf(table("From Account", [FIRST, SECOND], ",5.00"))).toHaveLength(2);
    await expect(read(table("To Account", [FIRST, SECOND], ",5.00"))).rejects.toThrow(REFUSAL);
  });
});

describe("balances between lines", () => {
  const file = (...between: string[]) => rows(HEAD, ",Opening balance,,1000.00", ONE, ...between, OTHER);

  test.each([
    [",Opening Balance,,5000.00"],
    [",Closing Balance,,900.00\n,Opening Balance,,5000.00"],
    [",B/F,,5000.00"],
    [",Closing Balance,,800.00"],
  ])("that don't follow are refused: %s", async (between) => {
    await expect(read(file(between))).rejects.toThrow(
      /^Line \d, balance: it is ₹[58]\S+ here, but the balance before it and the lines add up to ₹900.00. Another account seems/,
    );
    await expect(read(file(between, HEAD))).rejects.toThrow("Another account seems to begin here");
  });

  test.each([
    [",Closing Balance,,900.00\n,Opening Balance,,900.00"],
    [",Opening Balance,,1000.00"],
    [`,C/F,,900.00\n${HEAD}\n,B/F,,900.00`],
  ])("that follow, or repeat those of the file, are read: %s", async (between) => {
    expect(await linesOf(file(between))).toHaveLength(2);
  });

  test("the newest line may be the first, and an opening balance be missing", async () => {
    const newest = (balance: string) => rows(HEAD, OTHER, `,B/F,,${balance}`, ONE, ",Opening balance,,1000.00");
    expect(await linesOf(newest("900.00"))).toHaveLength(2);
    await expect(read(newest("901.00"))).rejects.toThrow("Another account seems to begin here");
    expect(await linesOf(rows(HEAD, ONE, ",B/F,,900.00", OTHER))).toHaveLength(2);
  });
});

describe("texts that name an account, but not its number", () => {
  const page = (between: string, second = FIRST): string =>
    rows(`Account No: ${FIRST}`, between, HEAD, ONE, `Account No: ${second}`, between, HEAD, OTHER);

  test.each([
    ["Account Type: CURRENT ACCOUNT (120)"],
    ["Account Branch: KORAMANGALA 560034"],
    ["Account Manager: Ravi 9876543210"],
    ["For A/c related queries call 18002026161"],
    ["Account Status: 001 Active"],
    ["Loan Account No: 50300011111111"],
    ["Linked FD A/c: 50300011111111"],
    ["Previous Account Number: 50300011111111"],
    ["Nominee registered for this account: 123456789"],
  ])("%s, on every page", async (text) => {
    expect(await linesOf(page(text))).toHaveLength(2);
    await expect(read(page(text, SECOND))).rejects.toThrow(REFUSAL);
  });

  test.each([
    ["For queries on your account call 1800 2026 161"],
    ["Missed call account service 09223766666"],
    ["Statement of account 001 of 002"],
    ["Bank never asks for account details. Call 18001234 or 1800112211"],
    ["Linked MOD accounts: 39876543210"],
  ])("%s, at the end of a page", async (text) => {
    expect(await linesOf(rows(`Account No: ${FIRST}`, HEAD, ONE, text, HEAD, OTHER))).toHaveLength(2);
  });

  test("an account of a loan is another one where it is the only one that is named", async () => {
    const file = rows(`Account No: ${FIRST}`, HEAD, ONE, `Loan Account No: ${SECOND}`, HEAD, OTHER);
    await expect(read(file)).rejects.toThrow(REFUSAL);
    const narration = rows(`Account No: ${FIRST}`, HEAD, ONE, `,LOAN A/C NO: ${SECOND},,`, OTHER);
    expect(await linesOf(narration)).toHaveLength(2);
  });

  test("accounts beside names of payees are theirs", async () => {
    const report = rows(
      "Transfer Id,Beneficiary Name,Bank Account,Amount,Type,UTR,Added On",
      "T1,ASHA,9200400111,500.00,DR,632500000042,2026-11-13",
      "T2,RAVI,9200400222,500.00,DR,632500000043,2026-11-13",
    );
    expect(await linesOf(report)).toHaveLength(2);
  });
});

describe("another currency than the rupee", () => {
  test.each([
    [",Account Number,,000205001234  ( USD )  - ACME PVT LTD,"],
    ["Account Currency: US Dollar"],
    ["Currency: US Dollars"],
    ["Currency: $"],
    ["Currency (ISO),USD"],
    ["Currency of account: USD"],
    ["All amounts in USD"],
    ["Account Type : EEFC - USD"],
    ["Opening Balance,USD 10000.00"],
  ])("%s", async (text) => {
    await expect(read(rows(text, HEAD, ONE))).rejects.toThrow("not INR");
  });

  test("in headings", async () => {
    await expect(read(rows("Date,Narration,Amount ($),Type", "20/11/2026,A,1.00,DR"))).rejects.toThrow("not INR");
    const column = rows(`${HEAD},Account Currency Code`, `${ONE},USD`);
    await expect(read(column)).rejects.toThrow("not INR");
  });

  test.each([
    ["Account Currency: INR"],
    ["Currency : Indian Rupee"],
    ["All amounts in INR"],
    ["Customer: POUND STREET TRADERS"],
    ["Exchange rate of USD: 84.10"],
  ])("%s is none", async (text) => {
    expect(await linesOf(rows(text, HEAD, ONE))).toHaveLength(1);
  });
});
