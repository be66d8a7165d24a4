// Statements of banks and providers, in their known layouts, and the errors for bad ones.
import { describe, expect, test } from "vitest";
import { formatPaise } from "../../platform/money.ts";
import { readStatementFile } from "./read-statement.ts";
import type { ColumnMapping, ReadStatement } from "./statement.ts";

function read(text: string | Uint8Array, mapping: ColumnMapping | null = null): Promise<ReadStatement> {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  return readStatementFile(bytes, { mapping, key: "test" });
}

/** The lines as texts: day, amount with its sign, reference, balance, narration. */
async function linesOf(text: string | Uint8Array, mapping: ColumnMapping | null = null): Promise<string[]> {
  const { lines } = await read(text, mapping);
  return lines.map((line) => {
    const amount = `${line.side === "in" ? "+" : "-"}${formatPaise(line.amountPaise)}`;
    const balance = line.balancePaise === null ? "" : formatPaise(line.balancePaise);
    return [line.bookedOn.toString(), amount, line.reference ?? "none", balance, line.narration].join(" | ");
  });
}

const HDFC = `HDFC BANK Ltd.,,,,,,
MERCHANT PVT LTD,,,,,,
"Statement of accounts from : 20/11/2026 To : 21/11/2026",,,,,,
********,********,********,********,********,********,********
Date,Narration,Chq./Ref.No.,Value Dt,Withdrawal Amt.,Deposit Amt.,Closing Balance
********,********,********,********,********,********,********
20/11/26,NEFT CR-ICIC0000001-ASHA TRADERS-RENT-ICICN12026112000,ICICN12026112000,20/11/26,,"1,23,456.78","2,23,456.78"
20/11/26,IMPS-632500000042-RAVI KUMAR-SBIN-XXXX1234-PAYOUT,0000632500000042,20/11/26,"500.00",,"2,22,956.78"
,  OF NOVEMBER,,,,,
21/11/26,CHQ PAID,0000000000000000,21/11/26,1000.00,,"2,21,956.78"
STATEMENT SUMMARY :-,,,,,,
Opening Balance,Dr Count,Cr Count,Debits,Credits,Closing Bal,
"1,00,000.00",2,1,"1,500.00","1,23,456.78","2,21,956.78",
`;

describe("the layouts of banks", () => {
  test("HDFC: preamble, stars, padded references, a wrapped narration, a summary at the end", async () => {
    expect(await linesOf(HDFC)).toEqual([
      "2026-11-20 | +123456.78 | ICICN12026112000 | 223456.78 | NEFT CR-ICIC0000001-ASHA TRADERS-RENT-ICICN12026112000",
      "2026-11-20 | -500.00 | 0000632500000042 | 222956.78 | IMPS-632500000042-RAVI KUMAR-SBIN-XXXX1234-PAYOUT OF NOVEMBER",
      "2026-11-21 | -1000.00 | none | 221956.78 | CHQ PAID",
    ]);
    const { openingPaise, closingPaise, mapping } = await read(HDFC);
    expect([openingPaise, closingPaise]).toEqual([10_000_000n, 22_195_678n]);
    expect(mapping).toMatchObject({ date: "Date", debit: "Withdrawal Amt.", reference: "Chq./Ref.No." });
  });

  test("ICICI: a blank before the bracket, 0.00 on the empty side, both dates", async () => {
    const text = `S No.,Value Date,Transaction Date,Cheque Number,Transaction Remarks,Withdrawal Amount (INR ),Deposit Amount (INR ),Balance (INR )
1,20/11/2026,21/11/2026,-,UPI/632500000043/rent/asha@okicici/ICICI,250.00,0.00,750.00
2,21-11-2026,21-11-2026,-,MMT/IMPS/632500000044/note/RAVI,0.00,50.5,800.50
`;
    expect(await linesOf(text)).toEqual([
      "2026-11-21 | -250.00 | none | 750.00 | UPI/632500000043/rent/asha@okicici/ICICI",
      "2026-11-21 | +50.50 | none | 800.50 | MMT/IMPS/632500000044/note/RAVI",
    ]);
  });

  test("SBI: tabs under the name of Excel, padded cells, balances with CR", async () => {
    const text =
      "Account Name\t:\tMERCHANT\n\nTxn Date\tValue Date\tDescription\tRef No./Cheque No.\tBranch Code\tDebit\tCredit\tBalance\n" +
      "1 Nov 2026\t1 Nov 2026\t   TO TRANSFER-INB NEFT UTR NO: SBIN126305000001--\t SBIN126305000001 \t4430\t 1,000.00\t \t 9,000.00CR\n" +
      "22/11/2026\t22/11/2026\tBY TRANSFER-UPI/CR/632500000045/ASHA\tTRANSFER FROM 4897\t4430\t \t500.00\t9,500.00CR\n";
    const expected = [
      "2026-11-01 | -1000.00 | SBIN126305000001 | 9000.00 | TO TRANSFER-INB NEFT UTR NO: SBIN126305000001--",
      "2026-11-22 | +500.00 | TRANSFER FROM 4897 | 9500.00 | BY TRANSFER-UPI/CR/632500000045/ASHA",
    ];
    expect(await linesOf(text)).toEqual(expected);
    // The same as "Unicode text" from a spreadsheet, and with a byte order mark.
    expect(await linesOf(Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]))).toEqual(expected);
    expect(await linesOf(`\uFEFF${text}`)).toEqual(expected);
  });

  test("Axis: short headings, a dash for no cheque, legal words below", async () => {
    const text = `SRL NO,Tran Date,CHQNO,PARTICULARS,DR,CR,BAL,SOL
1,20-11-2026,-,NEFT/AXIC263250000001/ASHA,300.00,,700.00,004
2,20-11-2026,-,IMPS/P2A/632500000046/RAVI, ,100.00,800.00,004

Unless the constituent notifies the bank immediately of any discrepancy found by him in this statement of Account,,,,,,,
Legends :,,,,,,,
ICONN - Transaction trough Internet Banking,,,,,,,
`;
    expect(await linesOf(text)).toEqual([
      "2026-11-20 | -300.00 | none | 700.00 | NEFT/AXIC263250000001/ASHA",
      "2026-11-20 | +100.00 | none | 800.00 | IMPS/P2A/632500000046/RAVI",
    ]);
  });

  test("Kotak: one amount with its side, a second Dr / Cr for the balance, semicolons, newest first", async () => {
    const text = `Sl. No.;Transaction Date;Value Date;Description;Chq / Ref No.;Amount;Dr / Cr;Balance;Dr / Cr
2;21/11/2026;21/11/2026;NEFT KKBKN26325000001 ASHA;KKBKN26325000001;"1,500.00";CR;500.00;CR
1;20/11/2026;20/11/2026;UPI/RAVI/632500000047/note;UPI-632500000047;(250.00);DR;"1,000.00";DR
`;
    expect(await linesOf(text)).toEqual([
      "2026-11-20 | -250.00 | UPI-632500000047 | -1000.00 | UPI/RAVI/632500000047/note",
      "2026-11-21 | +1500.00 | KKBKN26325000001 | 500.00 | NEFT KKBKN26325000001 ASHA",
    ]);
  });

  test("a report of Cashfree: fees beside payments become lines where the balance has them", async () => {
    const text = `Event,Event Time,Transfer Id,UTR,Amount,Sale Type,Service Charge,Service Tax,Closing Balance
Load,2026-11-20 09:00:00,,UTIBR52026112000000001,"1,000.00",CREDIT,0,0,"1,000.00"
Transfer,2026-11-20 10:00:00,nabc123_5_lfls_1q,632500000048,100.00,DEBIT,2.00,0.36,897.64
`;
    expect(await linesOf(text)).toEqual([
      "2026-11-20 | +1000.00 | UTIBR52026112000000001 | 1000.00 | Load",
      "2026-11-20 | -2.00 | 632500000048 |  | Fee",
      "2026-11-20 | -0.36 | 632500000048 |  | Tax on the fee",
      "2026-11-20 | -100.00 | 632500000048 | 897.64 | Transfer",
    ]);
    // Without them, they did not leave this account.
    expect(await linesOf(text.replace("897.64", "900.00"))).toHaveLength(2);
  });

  test("a mapping says which columns are what, where the headings are unknown", async () => {
    const text = "When,What,Who,Gone,Come\n20.11.2026,Rent,AB12,5.00,\n";
    await expect(read(text)).rejects.toThrow("The file has no heading row with a date");
    const mapping = { date: "when", reference: "Who", debit: "Gone", credit: "Come" };
    expect(await linesOf(text, mapping)).toEqual(["2026-11-20 | -5.00 | AB12 |  | "]);
    await expect(read("a,b\n1,2\n", mapping)).rejects.toThrow(
      "no row with all of these headings: when, Who, Gone, Come",
    );
  });
});

describe("a bad file is refused by line and column", () => {
  const changed = (from: string, to: string) => read(HDFC.replace(from, to));

  test("a reference that a spreadsheet has cut", async () => {
    await expect(changed(",0000632500000042,", ",4.12E+11,")).rejects.toThrow(
      "Line 8, Chq./Ref.No.: a spreadsheet turned the reference into a number (4.12E+11) and lost digits.",
    );
  });

  test("a missing line, and a changed amount: the balance says so", async () => {
    const without = HDFC.split("\n")
      .filter((line) => !line.includes("0000632500000042"))
      .join("\n");
    await expect(read(without)).rejects.toThrow(
      /^Line 9, balance: the statement says ₹2,21,956.78, but the previous balance and the line's amount add up to ₹2,22,456.78/,
    );
    await expect(changed('"500.00"', '"600.00"')).rejects.toThrow(/^Line 8, balance: /);
  });

  test("what is no amount, no day, or on both sides", async () => {
    await expect(changed('"500.00"', "5OO")).rejects.toThrow("Line 8, Withdrawal Amt.: “5OO” is not an amount.");
    for (const amount of ["500,00", "1500,50", "1,23,45", "1 500.00"]) {
      await expect(changed('"500.00"', `"${amount}"`)).rejects.toThrow(
        `Line 8, Withdrawal Amt.: “${amount}” is not an amount.`,
      );
    }
    await expect(changed("21/11/26,CHQ", "31/11/26,CHQ")).rejects.toThrow("Line 10, Date: “31/11/26” is not a date");
    await expect(changed('"500.00",,', '"500.00",7,')).rejects.toThrow("the line has both a debit and a credit");
    await expect(changed("1000.00,,", "1000.005,,")).rejects.toThrow(
      "Line 10, Withdrawal Amt.: “1000.005” is not an amount.",
    );
  });

  test("a line with more cells than headings, or cut off", async () => {
    const more = changed('"500.00",,', "1,500.00,,,");
    await expect(more).rejects.toThrow("Line 8, cells: the line has 9 cells under 7 headings");
    const plain = "Date,Narration,Amount,Dr / Cr\n";
    await expect(read(`${plain}20/11/2026,A, B,5.00,DR\n`)).rejects.toThrow("Line 2, cells: the line has 5 cells");
    await expect(read(`${plain}20/11/2026,A,5.00,DR\n,goes on, here,,\n`)).rejects.toThrow("Line 3, cells:");
    await expect(read(`${plain}20/11/2026,A,5.00,DR\n21/11/2026,B\n`)).rejects.toThrow(
      "Line 3, cells: the line ends before its amount",
    );
    await expect(read(`${plain}20/11/2026,A,5.00`)).rejects.toThrow("Line 2, cells: the line ends after 3 of 4 cells");
    // Trailing cells, and banks' texts below the lines.
    const padded = `${plain}20/11/2026,A,5.00,DR,\nThis is, as ever, made by a computer, and signed by nobody,\n`;
    expect(await linesOf(padded)).toEqual(["2026-11-20 | -5.00 | none |  | A"]);
  });

  test("what is no statement", async () => {
    await expect(read(new Uint8Array([0x50, 0x4b, 0x03, 0x04, 0x00, 0xff]))).rejects.toThrow("is an Excel workbook");
    await expect(read("")).rejects.toThrow("no heading row");
    await expect(read("Date,Debit,Credit\n")).rejects.toThrow("The file has no statement lines.");
    await expect(read("<html><body>Session expired</body></html>")).rejects.toThrow("is a web page");
    await expect(read("<a><b></a>")).rejects.toThrow("not valid XML");
    await expect(read('{"error": {}}')).rejects.toThrow("not a list of RazorpayX transactions");
    const repeated = '{"items":[{"credit":500,"debit":0,"cr\\u0065dit":900,"created_at":1795000000}]}';
    await expect(read(repeated)).rejects.toThrow('The file has "credit" more than once');
  });
});

const MT940 = `{1:F01HDFCINBBXXXX0000000000}{2:O940}{4:
:20:STMT1
:25:50100012345678
:28C:325/1
:60F:C261120INR1000,00
:61:2611201120D250,50NTRFPAYOUT-1//632500000049
IMPS
:86:IMPS-632500000049-RAVI KUMAR
-PAYOUT
:61:2611211120RD250,50NTRFNONREF//632500000049
:86:IMPS RETURN
:62F:C261121INR1000,00
-}
`;

describe("MT940", () => {
  test("lines, returned ones, narrations, and balances that add up", async () => {
    expect(await linesOf(MT940)).toEqual([
      "2026-11-20 | -250.50 | 632500000049 | 749.50 | PAYOUT-1 IMPS-632500000049-RAVI KUMAR -PAYOUT",
      "2026-11-20 | +250.50 | 632500000049 | 1000.00 | IMPS RETURN",
    ]);
    await expect(read(MT940.replace(":62F:C261121INR1000,00", ":62F:C261121INR999,00"))).rejects.toThrow(
      "Line 12, :62F:: opening balance and lines do not add up",
    );
    await expect(read(MT940.replaceAll("INR", "USD"))).rejects.toThrow("not a balance in INR");
    await expect(read(MT940.replace("D250,50NTRF", "X250,50NTRF"))).rejects.toThrow("Line 6, :61:");
  });

  test("the day of an entry is in the year nearest to that of its value", async () => {
    const text = MT940.replace("2611201120D", "2601011231D");
    expect((await linesOf(text))[0]).toMatch(/^2025-12-31/);
  });
});

const camt = (entries: string, closing = "700.00") => `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt><Stmt><Id>1</Id>
<Bal><Tp><CdOrPrtry><Cd>OPBD</Cd></CdOrPrtry></Tp><Amt Ccy="INR">1000.00</Amt><CdtDbtInd>CRDT</CdtDbtInd></Bal>
<Bal><Tp><CdOrPrtry><Cd>CLBD</Cd></CdOrPrtry></Tp><Amt Ccy="INR">${closing}</Amt><CdtDbtInd>CRDT</CdtDbtInd></Bal>
${entries}</Stmt></BkToCstmrStmt></Document>`;
const entry = (amount: string, inside: string) => `<Ntry><Amt Ccy="INR">${amount}</Amt><CdtDbtInd>DBIT</CdtDbtInd>
<Sts>BOOK</Sts><BookgDt><Dt>2026-11-20</Dt></BookgDt>${inside}</Ntry>`;
const detail = (amount: string, utr: string) => `<TxDtls><Refs><EndToEndId>${utr}</EndToEndId></Refs>
<AmtDtls><TxAmt><Amt Ccy="INR">${amount}</Amt></TxAmt></AmtDtls><RmtInf><Ustrd>Salary &amp; more</Ustrd></RmtInf></TxDtls>`;

describe("camt.053", () => {
  test("an entry of several payments is a line for each; what is not booked is left out", async () => {
    const batch = entry("300.00", `<NtryDtls>${detail("100.00", "HDFCN1")}${detail("200.00", "HDFCN2")}</NtryDtls>`);
    const pending = entry("5.00", "").replace("BOOK", "PDNG");
    expect(await linesOf(camt(batch + pending))).toEqual([
      "2026-11-20 | -100.00 | HDFCN1 |  | Salary & more",
      "2026-11-20 | -200.00 | HDFCN2 |  | Salary & more",
    ]);
  });

  test("sums are checked, and the currency", async () => {
    const short = entry("300.00", `<NtryDtls>${detail("100.00", "HDFCN1")}${detail("100.00", "HDFCN2")}</NtryDtls>`);
    await expect(read(camt(short))).rejects.toThrow("its payments do not add up to the entry's amount");
    await expect(read(camt(entry("300.00", ""), "650.00"))).rejects.toThrow("do not add up to the closing balance");
    await expect(read(camt(entry("300.00", "").replace('"INR"', '"USD"')))).rejects.toThrow("the currency is USD");
    await expect(read('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>')).rejects.toThrow("DOCTYPE");
  });
});

test("RazorpayX: transactions as its API answers, the newest first, fees apart, which include their tax", async () => {
  const source = { id: "pout_1", entity: "payout", amount: 10_000, fees: 590, tax: 90, utr: "632500000050" };
  const back = { id: "rvrsl_1", entity: "reversal", amount: 10_000, fee: -590, tax: -90, utr: "632500000050" };
  const fees = {
    id: "pout_2",
    entity: "payout",
    amount: 1770,
    fees: 0,
    tax: 0,
    purpose: "rzp_fees",
    utr: "632500000051",
  };
  const items = [
    { id: "txn_4", credit: 0, debit: 1770, currency: "INR", balance: 98_230, source: fees, created_at: 1_795_000_200 },
    {
      id: "txn_3",
      credit: 10_590,
      debit: 0,
      currency: "INR",
      balance: 100_000,
      source: back,
      created_at: 1_795_000_100,
    },
    { id: "txn_2", credit: 0, debit: 10_590, currency: "INR", balance: 89_410, source, created_at: 1_795_000_000 },
    {
      id: "txn_1",
      credit: 100_000,
      debit: 0,
      currency: "INR",
      balance: 100_000,
      source: { id: "bt_1", utr: "UTIBN1" },
      created_at: 1_794_999_000,
    },
  ];
  expect(await linesOf(JSON.stringify({ entity: "collection", count: 2, items }))).toEqual([
    "2026-11-18 | +1000.00 | UTIBN1 | 1000.00 | bt_1 txn_1",
    "2026-11-18 | -100.00 | 632500000050 | 900.00 | pout_1 txn_2",
    "2026-11-18 | -5.90 | 632500000050 | 894.10 | Fee, of which tax ₹0.90 pout_1 txn_2",
    "2026-11-18 | +100.00 | 632500000050 | 994.10 | rvrsl_1 txn_3",
    "2026-11-18 | +5.90 | 632500000050 | 1000.00 | Fee, of which tax ₹0.90 rvrsl_1 txn_3",
    "2026-11-18 | -17.70 | 632500000051 | 982.30 | Fee pout_2 txn_4",
  ]);
});

test("a day of 100,000 lines is read while other work goes on", async () => {
  const line = (n: number) =>
    `20/11/26,IMPS PAYOUT ${n},${String(632_500_000_000 + n)},20/11/26,1.00,,${200_000 - n}.00`;
  const lines = Array.from({ length: 100_000 }, (_, index) => line(index + 1));
  const head = "Date,Narration,Chq./Ref.No.,Value Dt,Withdrawal Amt.,Deposit Amt.,Closing Balance";
  let turns = 0;
  const ticking = setInterval(() => (turns += 1), 1);
  const statement = await read([head, ...lines].join("\n"));
  clearInterval(ticking);
  expect(statement.lines).toHaveLength(100_000);
  expect(statement.closingPaise).toBe(10_000_000n);
  expect(turns).toBeGreaterThan(20);
});

describe("what strangers' files have in them", () => {
  const DEBITS = "Date,Narration,Debit,Credit\n";
  const AMOUNTS = "Date,Narration,Amount,Dr / Cr\n";

  test("an amount with a sign never comes in that was taken back", async () => {
    const rows = ["A,,-5.00", "B,9.00DR,", "C,,(3.00)", "D,,4.00CR"].map((row) => `20/11/2026,${row}\n`);
    const side = (lines: readonly string[]): string[] => lines.map((line) => line.split(" | ")[1]!);
    expect(side(await linesOf(DEBITS + rows.join("")))).toEqual(["-5.00", "-9.00", "-3.00", "+4.00"]);
    const signed = ["A,-5.00,DR", "B,-7.00,DR", "C,9.00,CR", "D,(3.00),DR"].map((row) => `20/11/2026,${row}\n`);
    expect(side(await linesOf(AMOUNTS + signed.join("")))).toEqual(["-5.00", "-7.00", "+9.00", "-3.00"]);
  });

  test("a day of no time that banks keep is refused by its line, in each format", async () => {
    const camt = (day: string): string =>
      `<Document><BkToCstmrStmt><Stmt><Ntry><Amt Ccy="INR">1.00</Amt><CdtDbtInd>CRDT</CdtDbtInd>
       <BookgDt><Dt>${day}</Dt></BookgDt></Ntry></Stmt></BkToCstmrStmt></Document>`;
    const transactions = (created_at: number): string =>
      JSON.stringify({ items: [{ id: "txn_1", credit: 100, debit: 0, created_at, balance: 100 }] });
    const refused = [
      `${DEBITS}0000-01-01,A,,5.00`,
      `${DEBITS}01/01/9999,A,,5.00`,
      camt("0000-01-01"),
      camt("9999-12-31"),
      ...[9_007_199_254_740_991, 6_248_000_000_000, -99_999_999_999].map(transactions),
    ];
    for (const text of refused)
      await expect(read(text)).rejects.toMatchObject({ code: "validation_failed", message: /Line \d/ });
    expect((await read(transactions(1_795_400_000))).lines).toHaveLength(1);
  });

  test("texts that no database keeps are told apart from none", async () => {
    const utr = ["UTR\u00001234567", "UTR\ud8001234567", "UTR\r\n1234567"];
    const items = utr.map((each) => ({ credit: 100, debit: 0, created_at: 1_795_400_000, source: { utr: each } }));
    const { lines } = await read(JSON.stringify({ items }));
    const expected = ["UTR 1234567", "UTR\ufffd1234567", "UTR 1234567"];
    expect(lines.map(({ reference }) => reference)).toEqual(expected.toReversed());
  });
});
