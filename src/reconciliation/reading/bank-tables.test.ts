// Banks' tables, in CSV and HTML: known headings, which rows are lines, and what is refused.
import { describe, expect, test } from "vitest";
import { balancesOf, linesOf, read, rows } from "./testing.ts";

describe("headings", () => {
  test("Kotak: withdrawals and deposits apart, with balances such as 1,000.00(Cr)", async () => {
    const text = rows(
      "Date,Narration,Chq/Ref No.,Withdrawal (Dr),Deposit (Cr),Balance",
      '20-11-2026,UPI/ASHA/632600000001,UPI-632600000001,"1,250.50",,"8,749.50(Cr)"',
      '21-11-2026,NEFT KKBKH26326000001,KKBKH26326000001,,"2,000.00","10,749.50 (Cr)"',
    );
    expect(await linesOf(text)).toEqual([
      "2026-11-20 | -1250.50 | UPI-632600000001 | UPI/ASHA/632600000001",
      "2026-11-21 | 2000.00 | KKBKH26326000001 | NEFT KKBKH26326000001",
    ]);
    expect(await balancesOf(text)).toEqual(["10000.00", "10749.50"]);
  });

  test("Kotak: one column of both, of which each amount says its side", async () => {
    const text = rows(
      "Date,Narration,Chq/Ref No,Withdrawal (Dr)/Deposit (Cr),Balance",
      '20/11/2026,RENT,IMPS-632600000002,"1,000.00(Dr)","500.00(Dr)"',
      "21/11/2026,SALE,IMPS-632600000003,700.00(Cr),200.00(Cr)",
    );
    expect(await linesOf(text)).toEqual([
      "2026-11-20 | -1000.00 | IMPS-632600000002 | RENT",
      "2026-11-21 | 700.00 | IMPS-632600000003 | SALE",
    ]);
    expect(await balancesOf(text)).toEqual(["500.00", "200.00"]);
    await expect(read(text.replace("700.00(Cr)", "700.00"))).rejects.toThrow(
      "Line 3, Withdrawal (Dr)/Deposit (Cr): it must be marked as a debit or a credit",
    );
  });

  test("Kotak and Federal: a column CR/DR behind the balance is that of the balance", async () => {
    const text = rows(
      "Sl. No.,Date,Description,Chq / Ref number,Value Date,Withdrawal,Deposit,Balance,CR/DR",
      "1,20/11/2026,RENT,,20/11/2026,300.00,,100.00,DR",
      "2,21/11/2026,SALE,,21/11/2026,,150.00,50.00,CR",
    );
    expect(await linesOf(text)).toEqual(["2026-11-20 | -300.00 | none | RENT", "2026-11-21 | 150.00 | none | SALE"]);
    expect(await balancesOf(text)).toEqual(["200.00", "50.00"]);
  });

  test("Kotak: rupee signs in headings, and texts as formulas", async () => {
    const text = rows(
      "#,TRANSACTION DATE,VALUE DATE,TRANSACTION DETAILS,CHQ / REF NO.,DEBIT(₹),CREDIT(₹),BALANCE(₹)",
      '1,20 Nov 2026,20 Nov 2026,="UPI/ASHA",="000632600000004",10.00,,90.00',
      '2,21 Nov 2026,21 Nov 2026,"=""SALE ""","=""632600000005""",,5.00,95.00',
    );
    expect(await linesOf(text)).toEqual([
      "2026-11-20 | -10.00 | 000632600000004 | UPI/ASHA",
      "2026-11-21 | 5.00 | 632600000005 | SALE",
    ]);
  });

  test("PNB: a comma behind each line, texts below, the newest first, and the number where there is no cheque", async () => {
    const text = rows(
      "Account Statement for Account Number 2222000011119999",
      "",
      "Branch Name:,KAROL BAGH,MAIN BAZAR",
      "Txn No.,Txn Date,Description,Branch Name,Cheque No.,Dr Amount,Cr Amount,Balance",
      "T20721400,22/11/2026,UPI/DR/632600000006/ASHA,-,,420.0,,10728.27 Cr.,",
      "U55126421,20/11/2026,UPI/CR/632600000007/UMA,-,000123,,1.0,11148.27 Cr.,",
      "",
      "***Generated through PNB ONE ***",
      '"1.  Unless constituent notifies the bank immediately, it will be taken that the account is correct."',
    );
    expect(await linesOf(text)).toEqual([
      "2026-11-20 | 1.00 | 000123 | UPI/CR/632600000007/UMA",
      "2026-11-22 | -420.00 | T20721400 | UPI/DR/632600000006/ASHA",
    ]);
    expect(await balancesOf(text)).toEqual(["11147.27", "10728.27"]);
  });

  test("PNB: an amount with its type, and withdrawals with years first", async () => {
    const typed = rows(
      "Date,Instrument ID,Amount(INR),Type,Balance,Remarks",
      "20/11/2026,,0.89,DR,99.11,SMS CHRG",
      "21/11/2026,,10.00,CR,109.11,UPI",
    );
    expect(await linesOf(typed)).toEqual(["2026-11-20 | -0.89 | none | SMS CHRG", "2026-11-21 | 10.00 | none | UPI"]);
    const dated = rows(
      "Transaction Date,Cheque Number,Withdrawal,Deposit,Balance,Narration",
      "2026/11/20,,5.00,,95.00 Cr.,NEFT",
    );
    expect(await linesOf(dated)).toEqual(["2026-11-20 | -5.00 | none | NEFT"]);
  });

  test("Bank of Baroda: both orders of its columns, and a dash for no amount", async () => {
    const first = rows(
      "Customer Id: LV5000000,,,,Account No:,876XXXXXXXX122,",
      "TRAN DATE,VALUE DATE,NARRATION,CHQ.NO.,WITHDRAWAL(DR),DEPOSIT(CR),BALANCE(INR)",
      '21/11/2026,21/11/2026,CHARGES FOR :IMPS,,17.70,-,"1,52,513.14Cr"',
      '20/11/2026,20/11/2026,EBANK:SELF,,-,"2,00,000.00","1,52,530.84Cr"',
    );
    expect(await linesOf(first)).toEqual([
      "2026-11-20 | 200000.00 | none | EBANK:SELF",
      "2026-11-21 | -17.70 | none | CHARGES FOR :IMPS",
    ]);
    expect(await balancesOf(first)).toEqual(["-47469.16", "152513.14"]);
    const second = rows(
      "NARRATION,DEPOSIT(CR),TRAN DATE,CHQ.NO.,WITHDRAWAL(DR),BALANCE(INR),VALUE DATE",
      "TO CASH,,21-11-2026,000456,100.00,900.00Cr,21-11-2026",
    );
    expect(await linesOf(second)).toEqual(["2026-11-21 | -100.00 | 000456 | TO CASH"]);
    const third = rows(
      "S.No,Date,Description,Cheque No,Debit,Credit,Balance,Value Date",
      "1,21-11-2026,NEFT,,7.00,,93.00,21-11-2026",
    );
    expect(await linesOf(third)).toEqual(["2026-11-21 | -7.00 | none | NEFT"]);
  });

  test("ICICI: the day of posting, and not that of the value", async () => {
    const text = rows(
      "No.,Transaction ID,Value Date,Txn Posted Date,ChequeNo.,Description,Cr/Dr,Transaction Amount(INR),Available Balance(INR)",
      "1,S11111111,18/11/2026,19/11/2026 10:15:22 AM,-,RTGS IN,CR,700.00,700.00",
      "2,S22222222,20/11/2026,22/11/2026 09:00:01 PM,-,IMPS OUT,DR,250.00,450.00",
    );
    expect(await linesOf(text)).toEqual([
      "2026-11-19 | 700.00 | S11111111 | RTGS IN",
      "2026-11-22 | -250.00 | S22222222 | IMPS OUT",
    ]);
    await expect(read(text.replace("450.00", "451.00"))).rejects.toThrow(/^Line 3, balance: /);
  });

  test("Union, Canara, IndusInd and Axis", async () => {
    const texts = [
      rows("Tran Id,Tran Date,Remarks,Amount (Rs.),Balance (Rs.)", 'S1000001,20/11/2026,RENT,5.00 (Dr),"95.00 (Cr)"'),
      rows(
        "TRANS DATE,VALUE DATE,BRANCH,REF/CHQ.NO,DESCRIPTION,WITHDRAWS,DEPOSIT,BALANCE",
        "20-11-2026,20-11-2026,14,S1000001,RENT,5.00,,95.00",
      ),
      rows("Date,Particulars,Chq./Ref.No.,Withdrawl,Deposit,Balance", "20-Nov-2026,RENT,S1000001,5.00,,95.00"),
      rows("Tran Date,Particulars,Amount (INR),DR|CR,Balance,Chq No", "20-11-2026,RENT,5.00,DR,95.00,S1000001"),
    ];
    for (const text of texts) expect(await linesOf(text)).toEqual(["2026-11-20 | -5.00 | S1000001 | RENT"]);
  });

  test("columns are named with or without the currency of their headings", async () => {
    const text = rows("When,Text,Gone (INR),Come (INR)", "20/11/2026,RENT,5.00,");
    const mapping = { date: "When", narration: "Text", debit: "Gone", credit: "COME" };
    expect(await linesOf(text, mapping)).toEqual(["2026-11-20 | -5.00 | none | RENT"]);
  });
});

describe("which side a line is on", () => {
  const typed = (heading: string, ...types: string[]): string =>
    rows(`Date,Description,${heading},Amount`, ...types.map((type) => `20/11/2026,N,${type},5.00`));
  const sidesOf = async (text: string): Promise<string[]> => (await linesOf(text)).map((line) => line.split(" | ")[1]!);

  test("is said by a column of debits and credits, whatever its heading", async () => {
    for (const heading of ["Type", "Transaction Type", "Dr/Cr", "DEBIT/CREDIT", "D/C Flag", "Direction"]) {
      expect(await sidesOf(typed(heading, "DEBIT", "Credit", "dr.", "(Cr)"))).toEqual([
        "-5.00",
        "5.00",
        "-5.00",
        "5.00",
      ]);
    }
    const { lines, mapping } = await read(typed("Type", "DEBIT"));
    expect([lines[0]!.narration, mapping]).toEqual([
      "N",
      { date: "Date", narration: "Description", amount: "Amount", side: "Type" },
    ]);
  });

  test("a line with another word in it is refused, and is not money that came in", async () => {
    await expect(read(typed("Type", "DEBIT", "REVERSAL"))).rejects.toThrow(
      "Line 3, Type: “REVERSAL” is neither debit nor credit.",
    );
    await expect(read(typed("Dr / Cr", "NEFT"))).rejects.toThrow("“NEFT” is neither debit nor credit.");
  });

  test("a column of channels says nothing of it", async () => {
    const text = rows("Date,Description,Type,Amount", "20/11/2026,A,NEFT,-5.00", "20/11/2026,B,CREDIT,5.00");
    expect(await sidesOf(text)).toEqual(["-5.00", "5.00"]);
  });

  test("where some amounts say it, each has to", async () => {
    const text = rows("Date,Description,Amount", "20/11/2026,A,5.00 Dr", "20/11/2026,B,6.00");
    await expect(read(text)).rejects.toThrow("Line 3, Amount: it must be marked as a debit or a credit (Dr or Cr).");
    expect(await sidesOf(text.replace("6.00", "6.00 (Cr)"))).toEqual(["-5.00", "6.00"]);
  });
});

describe("which rows are lines", () => {
  const HEAD = "Tran Date,CHQNO,PARTICULARS,DR,CR,BAL,SOL";

  test("Axis: opening, total and closing rows are none, and their balances count", async () => {
    const text = rows(
      HEAD,
      ",,OPENING BALANCE,,,500.00,",
      "20-11-2026,,NEFT IN,,50.00,550.00,1",
      "21-11-2026,,NEFT OUT,20.00,,530.00,1",
      ",,TRANSACTION TOTAL,20.00,50.00,,",
      ",,CLOSING BALANCE,,,530.00,",
      "Unless the constituent notifies the bank, it is correct,,,,,,",
    );
    expect(await linesOf(text)).toEqual([
      "2026-11-20 | 50.00 | none | NEFT IN",
      "2026-11-21 | -20.00 | none | NEFT OUT",
    ]);
    expect(await balancesOf(text)).toEqual(["500.00", "530.00"]);
    await expect(read(text.replace(",,CLOSING BALANCE,,,530.00,", ",,CLOSING BALANCE,,,531.00,"))).rejects.toThrow(
      "The closing balance is ₹531.00, but the opening balance and the lines add up to ₹530.00.",
    );
  });

  test("totals of pages end nothing, whatever they are called and wherever they stand", async () => {
    const totals = ["Total,,,20.00,,,", ",,Page Total,20.00,,,", ",,Grand Total:,20.00,0.00,,", "Sub-Total,,,20.00,,,"];
    for (const total of totals) {
      const text = rows(HEAD, "20-11-2026,,A,20.00,,,", total, HEAD, "21-11-2026,,B,,5.00,,");
      expect(await linesOf(text)).toEqual(["2026-11-20 | -20.00 | none | A", "2026-11-21 | 5.00 | none | B"]);
    }
  });

  test("payees of such names are lines, also where the narration comes first and where it goes on below", async () => {
    const text = rows(
      "Particulars,Date,DR,CR",
      "NOTE BOOKS LTD,20-11-2026,5.00,",
      "Total,20-11-2026,,7.00",
      "LEGEND TRADERS,20-11-2026,8.00,",
      "STATEMENT SUMMARY SERVICES,20-11-2026,8.50,",
      "PAID TO,21-11-2026,9.00,",
      "TOTAL GAZ INDIA PVT LTD,,,",
      "NOTE 632600000010,,,",
      "LAST,22-11-2026,1.00,",
    );
    expect(await linesOf(text)).toEqual([
      "2026-11-20 | -5.00 | none | NOTE BOOKS LTD",
      "2026-11-20 | 7.00 | none | Total",
      "2026-11-20 | -8.00 | none | LEGEND TRADERS",
      "2026-11-20 | -8.50 | none | STATEMENT SUMMARY SERVICES",
      "2026-11-21 | -9.00 | none | PAID TO TOTAL GAZ INDIA PVT LTD NOTE 632600000010",
      "2026-11-22 | -1.00 | none | LAST",
    ]);
  });

  test("an undated row with an amount is refused, unless it is a total", async () => {
    await expect(read(rows(HEAD, "20-11-2026,,A,20.00,,,", ",,TOTAL GAZ,5.00,,,"))).rejects.toThrow(
      "Line 3, Tran Date: “” is not a date",
    );
  });

  test("an opening balance with a date and an amount is no money that came in", async () => {
    const text = rows(HEAD, "01-11-2026,,B/F,,1000.00,1000.00,", "20-11-2026,,A,20.00,,980.00,");
    expect(await linesOf(text)).toEqual(["2026-11-20 | -20.00 | none | A"]);
    expect(await balancesOf(text)).toEqual(["1000.00", "980.00"]);
  });

  test("lines of 0.00 are passed over", async () => {
    const text = rows(HEAD, "20-11-2026,,SMS CHARGES WAIVED,0.00,0.00,100.00,", "20-11-2026,,A,20.00,,80.00,");
    expect(await linesOf(text)).toEqual(["2026-11-20 | -20.00 | none | A"]);
  });

  test("what stands for nothing is nothing", async () => {
    const text = rows(
      HEAD,
      "20-11-2026,NIL,A,5.00,NIL,95.00,",
      "20-11-2026,n/a,B,-,5.00,nil,",
      "21-11-2026,NA,C,1.00,N.A.,99.00,",
    );
    expect(await linesOf(text)).toEqual([
      "2026-11-20 | -5.00 | none | A",
      "2026-11-20 | 5.00 | none | B",
      "2026-11-21 | -1.00 | none | C",
    ]);
  });

  test("a second account in the file is refused", async () => {
    const account = (number: string) => `Account No :,${number},,,,,`;
    const part = (number: string, line: string) => [account(number), HEAD, line];
    const first = part("50100000000001", "20-11-2026,,A,5.00,,,");
    await expect(read(rows(...first, ...part("50100000000002", "20-11-2026,,B,5.00,,,")))).rejects.toThrow(
      "statements of two accounts",
    );
    expect(await linesOf(rows(...first, ...part("50100000000001", "20-11-2026,,B,5.00,,,")))).toHaveLength(2);
  });
});

describe("rows with more cells than headings", () => {
  const HEAD = "Date,Narration,Reference No,Debit,Credit";

  test.each([
    "20/11/2026,NEFT IN,R12345678,,1,23,456.00",
    "20/11/2026,NEFT OUT,R12345678,1,000.00,",
    "20/11/2026,NEFT OUT,R12345678,12,345.00,",
    "20/11/2026,RENT, NOVEMBER,R12345678,5.00,0.00",
    "20/11/2026,NEFT,R12345678,,,1,000.00",
  ])("are refused: %s", async (line) => {
    await expect(read(rows(HEAD, line))).rejects.toThrow(/^Line 2, cells: the line has \d cells under 5 headings/);
  });

  test("also by an empty cell, if other lines have none", async () => {
    const wide = "20/11/2026,CASH,OUT,7.00,,";
    expect(await linesOf(rows(HEAD, wide))).toEqual(["2026-11-20 | -7.00 | OUT | CASH"]);
    await expect(read(rows(HEAD, wide, "20/11/2026,NEFT,R12345678,5.00,"))).rejects.toThrow(/^Line 2, cells: /);
    await expect(read(rows(HEAD, "20/11/2026,NEFT,R12345678,5.00,", wide))).rejects.toThrow(/^Line 3, cells: /);
  });

  test("also where a narration goes on", async () => {
    const text = rows(HEAD, "20/11/2026,A,R12345678,5.00,", ",GOES ON, AND ON,,,,X");
    await expect(read(text)).rejects.toThrow(/^Line 3, cells: /);
  });

  test("but a text of the bank's below the lines may have any", async () => {
    const text = rows(
      HEAD,
      "20/11/2026,A,R12345678,5.00,",
      "This is a computer generated statement, and needs no, signature, at, all, here",
    );
    expect(await linesOf(text)).toHaveLength(1);
  });
});
