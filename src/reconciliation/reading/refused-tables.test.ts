// Tables and messages that contradict themselves, or are for another account, currency or time: nothing in them is used.
import { describe, expect, test } from "vitest";
import { formatPaise } from "../../platform/money.ts";
import { readStatementFile } from "./read-statement.ts";
import { signed, type ColumnMapping, type ReadStatement } from "./statement.ts";

const rows = (...lines: string[]): string => `${lines.join("\n")}\n`;

function read(text: string, mapping: ColumnMapping | null = null): Promise<ReadStatement> {
  const today = Temporal.PlainDate.from("2026-11-30");
  return readStatementFile(new TextEncoder().encode(text), { mapping, key: "test", today });
}

/** Each line as a text: signed amount, reference, narration. */
async function linesOf(text: string, mapping: ColumnMapping | null = null): Promise<string[]> {
  const { lines } = await read(text, mapping);
  return lines.map((line) => [formatPaise(signed(line)), line.reference ?? "none", line.narration].join(" | "));
}

describe("another currency than INR", () => {
  const table = (heading: string, ...currencies: string[]): string =>
    rows(`Date,Narration,${heading},Debit,Credit`, ...currencies.map((each) => `20/11/2026,A,${each},5.00,`));

  test("in a column of a table is refused", async () => {
    for (const heading of ["Currency", "CCY", "Txn Currency", "Currency Code", "Account Currency"]) {
      expect(await linesOf(table(heading, "INR", "Rs.", "₹", "", "-", "Indian Rupee"))).toHaveLength(6);
      await expect(read(table(heading, "INR", "USD"))).rejects.toThrow(
        `Line 3, ${heading}: the currency is “USD”, not INR. Import a statement in rupees.`,
      );
    }
    await expect(read(table("Currency", "US Dollar"))).rejects.toThrow("“US Dollar”");
  });

  test("above the lines or in a heading too", async () => {
    const plain = table("Currency", "INR");
    for (const above of ["Account Currency : USD,,,", "Currency,USD,,", "Currency Code:,,EUR,"])
      await expect(read(rows(above) + plain)).rejects.toThrow(/^Line 1, currency: the currency is “(?:USD|EUR)”/);
    for (const above of [
      "Account Currency : INR,,,",
      "Currency,INR - Indian Rupee,,",
      "Currency of all amounts: rupees",
    ])
      expect(await linesOf(rows(above) + plain)).toHaveLength(1);
    const foreign = rows("Date,Narration,Debit (USD),Credit (USD)", "20/11/2026,A,5.00,");
    const mapping = { date: "Date", debit: "Debit (USD)", credit: "Credit (USD)" };
    await expect(read(foreign, mapping)).rejects.toThrow("Line 1, Debit (USD): the currency is “USD”, not INR.");
  });

  const camt = (account: string, details: string): string =>
    `<Document><BkToCstmrStmt><Stmt><Acct>${account}</Acct><Ntry><Amt Ccy="INR">830.00</Amt><CdtDbtInd>CRDT</CdtDbtInd>
     <BookgDt><Dt>2026-11-20</Dt></BookgDt><NtryDtls>${details}</NtryDtls></Ntry></Stmt></BkToCstmrStmt></Document>`;

  test("of an account or a payment in camt", async () => {
    await expect(read(camt("<Ccy>USD</Ccy>", ""))).rejects.toThrow("Acct/Ccy: the account's currency is USD, not INR.");
    const paid = (utr: string): string =>
      `<TxDtls><Refs><TxId>${utr}</TxId></Refs><AmtDtls><TxAmt><Amt Ccy="USD">415.00</Amt></TxAmt></AmtDtls></TxDtls>`;
    expect(await linesOf(camt("<Ccy>INR</Ccy>", paid("HDFCN1") + paid("HDFCN2")))).toEqual([
      "830.00 | HDFCN1 | HDFCN2",
    ]);
  });

  test("of a transaction's source at RazorpayX", async () => {
    const source = { id: "bt_1", utr: "UTIBN1", currency: "USD" };
    const items = [{ id: "txn_1", credit: 100, debit: 0, currency: "INR", source, created_at: 1_795_000_000 }];
    await expect(read(JSON.stringify({ items }))).rejects.toThrow("Line 1, source.currency: it is not INR.");
  });
});

describe("two accounts", () => {
  const table = (heading: string, ...accounts: string[]): string =>
    rows(`${heading},Date,Narration,Debit,Credit`, ...accounts.map((each) => `${each},20/11/2026,A,5.00,`));

  test("in a column of a table are refused", async () => {
    for (const heading of ["Account No", "A/c No.", "Account Number", "Account"]) {
      const same = table(heading, "50100000000001", "0050100000000001", "");
      expect(await linesOf(rows("Account No : XXXXXXXXXX0001,,,,") + same)).toHaveLength(3);
      await expect(read(table(heading, "50100000000001", "50100000000002"))).rejects.toThrow(
        "The file has statements of two accounts: one ends in 0001, the other in 0002.",
      );
    }
    expect(await linesOf(table("Beneficiary Account No", "50100000000001", "50100000000002"))).toHaveLength(2);
  });
});

describe("headings", () => {
  test.each(["Ref", "UTR / RRN Number", "Transaction Reference", "Bank Ref.", "Payment Ref No."])(
    "%s is of references",
    async (heading) => {
      const text = rows(`Date,Narration,${heading},Debit,Credit`, "20/11/2026,A,R12345678,5.00,");
      expect(await linesOf(text)).toEqual(["-5.00 | R12345678 | A"]);
    },
  );

  test.each(["Payment Narration", "Details of transaction", "Details of Transactions"])(
    "%s is of narrations",
    async (heading) => {
      const text = rows(`Date,${heading},Withdrawl Amt,Deposit Amt`, "20/11/2026,A,5.00,");
      expect(await linesOf(text)).toEqual(["-5.00 | none | A"]);
    },
  );
});

describe("a line that is named as a balance", () => {
  const HEAD = "Date,Narration,Debit,Credit,Balance";

  test.each(["B/F", "OPENING BALANCE", "Closing Balance", "C/F"])(
    "%s is kept where its amount is a payment",
    async (name) => {
      const first = "20/11/2026,A,,1000.00,1000.00";
      const amounts = async (line: string): Promise<string[]> =>
        linesOf(rows(HEAD, first, line, "22/11/2026,Z,1.00,,699.00"));
      expect(await amounts(`21/11/2026,${name},300.00,,700.00`)).toEqual([
        "1000.00 | none | A",
        `-300.00 | none | ${name}`,
        "-1.00 | none | Z",
      ]);
      const emptied = rows(HEAD, first, "20/11/2026,B,1000.00,,0.00", `21/11/2026,${name},,300.00,300.00`);
      expect((await linesOf(emptied)).at(-1)).toBe(`300.00 | none | ${name}`);
    },
  );

  test("is refused where no balance tells", async () => {
    const text = rows("Date,Narration,Debit,Credit", "20/11/2026,A,5.00,", "21/11/2026,B/F,,300.00");
    await expect(read(text)).rejects.toThrow("Line 3, Narration: the line is named as a balance, and no balance shows");
    const both = rows(HEAD, "20/11/2026,B/F,5.00,6.00,7.00");
    await expect(read(both)).rejects.toThrow("the line has both a debit and a credit");
  });

  test("is no line at the edge, nor at a new page", async () => {
    const text = rows(
      HEAD,
      "19/11/2026,B/F,,1000.00,1000.00",
      "20/11/2026,A,5.00,,995.00",
      "20/11/2026,C/F,,995.00,995.00",
      HEAD,
      "20/11/2026,B/F,,995.00,995.00",
      "21/11/2026,B,5.00,,990.00",
      "21/11/2026,Closing Balance,10.00,1000.00,990.00",
    );
    expect(await linesOf(text)).toEqual(["-5.00 | none | A", "-5.00 | none | B"]);
    const newestFirst = rows(HEAD, "21/11/2026,B,1000.00,,0.00", "20/11/2026,Opening balance,,1000.00,1000.00");
    expect(await linesOf(newestFirst)).toEqual(["-1000.00 | none | B"]);
    const overdrawn = rows("Date,Narration,Amount,Balance", "19/11/2026,B/F,50.00,-50.00", "20/11/2026,A,10.00,-60.00");
    expect(await linesOf(overdrawn)).toEqual(["-10.00 | none | A"]);
  });
});

describe("a row of totals", () => {
  const HEAD = "Date,Narration,Debit,Credit";
  const lines = ["20/11/2026,A,5.00,", "20/11/2026,B,,7.00", "21/11/2026,C,2.50,"];

  test("that is no sum of the lines is refused", async () => {
    for (const total of [
      "Total,,7.50,8.00",
      ",Grand Total,8.50,7.00",
      "Total Debits,,5.00,",
      ",Total credit:,,700.00",
    ]) {
      await expect(read(rows(HEAD, ...lines.slice(0, 2), lines[2]!, total))).rejects.toThrow(
        /^Line 5, (?:Debit|Credit): the total is ₹[\d.]+, but the lines make ₹[\d.]+\. A line is missing or was changed/,
      );
    }
    const missing = rows(HEAD, lines[0]!, lines[2]!, "Total,,7.50,7.00");
    await expect(read(missing)).rejects.toThrow("Line 4, Credit: the total is ₹7.00, but the lines make ₹0.00.");
    const amounts = rows("Date,Narration,Amount,Type", "20/11/2026,A,5.00,DR", "Total,,6.00,");
    await expect(read(amounts)).rejects.toThrow("Line 3, Amount: the total is ₹6.00");
  });

  test("may be of a page, of all lines, of one side, or of both in one column", async () => {
    const [a, b, c] = lines as [string, string, string];
    for (const text of [
      rows(HEAD, a, b, "Page Total,,5.00,7.00", HEAD, c, "Page Total,,2.50,", "Grand Total,,7.50,7.00"),
      rows(HEAD, a, b, "Total,,5.00,7.00", HEAD, c, "Total,,7.50,7.00"),
      rows(HEAD, "Total,,7.50,7.00", a, b, c),
      rows(HEAD, ",Opening Balance,,100.00", a, b, c, "Total,,7.50,107.00"),
      rows(HEAD, a, b, c, "Total Debits,,7.50,", "Total Credits,,,7.00"),
      rows(HEAD, a, b, c, "Transaction Total,,,"),
    ])
      expect(await linesOf(text)).toHaveLength(3);
    const amounts = rows("Date,Narration,Amount", "20/11/2026,A,-5.00", "20/11/2026,B,7.00");
    for (const total of ["2.00", "12.00"]) expect(await linesOf(amounts + rows(`Total,,${total}`))).toHaveLength(2);
  });
});

describe("a line that is dated in the future", () => {
  const csv = (date: string): string => rows("Date,Narration,Debit,Credit", `${date},A,5.00,`);

  test("is refused in each format, by its line", async () => {
    const inFormats = [
      csv("20/11/2126"),
      csv("31/12/2026"),
      rows(":20:T", ":60F:C261120INR100,00", ":61:270120D10,00NTRFREF000001", ":62F:C270120INR90,00"),
      `<Document><BkToCstmrStmt><Stmt><Ntry><Amt Ccy="INR">1.00</Amt><CdtDbtInd>CRDT</CdtDbtInd>
       <BookgDt><Dt>2027-01-20</Dt></BookgDt></Ntry></Stmt></BkToCstmrStmt></Document>`,
      JSON.stringify({ items: [{ id: "txn_1", credit: 100, debit: 0, created_at: 1_800_000_000 }] }),
    ];
    for (const text of inFormats) await expect(read(text)).rejects.toThrow(/^Line \d+, date: 2\d{3}-/);
    await expect(read(csv("20/11/2126"))).rejects.toThrow(
      "Line 2, date: 2126-11-20 is in the future. Look at its year, and whether dates have the day or the month first.",
    );
    for (const day of ["30/11/2026", "2026-12-01", "2026-12-02"]) expect(await linesOf(csv(day))).toHaveLength(1);
  });

  test("today is the day in India, unless another is given", async () => {
    const today = Temporal.Now.plainDateISO("Asia/Kolkata");
    const readNow = (day: Temporal.PlainDate) =>
      readStatementFile(new TextEncoder().encode(csv(day.toString())), { key: "test" });
    expect((await readNow(today)).lines).toHaveLength(1);
    await expect(readNow(today.add({ days: 30 }))).rejects.toThrow("is in the future");
  });
});

describe("RazorpayX", () => {
  const item = (id: string, source: object) => ({ id, credit: 0, debit: 10_590, created_at: 1_795_000_000, source });
  const source = { amount: 10_000, fees: 590, tax: 90, utr: "632500000050" };

  test("a part of the transactions is refused", async () => {
    const items = [item("txn_1", source)];
    await expect(read(JSON.stringify({ count: 1, has_more: true, items }))).rejects.toThrow(
      "a part of the transactions only (has_more). Ask for the others with `skip`",
    );
    await expect(read(JSON.stringify({ count: 2, items }))).rejects.toThrow(
      "The file has 1 of 2 transactions (count).",
    );
    expect(await linesOf(JSON.stringify({ count: 1, has_more: false, items }))).toHaveLength(2);
    expect(await linesOf(JSON.stringify(items))).toHaveLength(2);
  });

  test("a tax above its fees is refused", async () => {
    for (const wrong of [
      { ...source, tax: 591 },
      { ...source, fees: 0 },
      { ...source, fees: -590, tax: -600 },
    ]) {
      await expect(read(JSON.stringify([item("txn_1", wrong)]))).rejects.toThrow("Line 1, source.tax: the tax is more");
    }
  });
});

test("camt: an entry or balance without its side is refused", async () => {
  const side = "<CdtDbtInd>CRDT</CdtDbtInd>";
  const camt = (ofBalance: string, ofEntry: string): string =>
    `<Document><BkToCstmrStmt><Stmt><Bal><Tp><CdOrPrtry><Cd>OPBD</Cd></CdOrPrtry></Tp><Amt Ccy="INR">5.00</Amt>${ofBalance}</Bal>
     <Ntry><Amt Ccy="INR">1.00</Amt>${ofEntry}<BookgDt><Dt>2026-11-20</Dt></BookgDt></Ntry></Stmt></BkToCstmrStmt></Document>`;
  expect(await linesOf(camt(side, side))).toHaveLength(1);
  await expect(read(camt("", side))).rejects.toThrow("Bal/CdtDbtInd: the balance is neither a credit nor a debit.");
  await expect(read(camt(side, ""))).rejects.toThrow("Ntry/CdtDbtInd: the entry is neither a credit nor a debit.");
});

describe("a narration that was cut at a comma", () => {
  const HEAD = "Date,Debit,Credit,Narration,Remarks";

  test("is refused by the blank behind the comma, with or without an empty cell too many", async () => {
    for (const line of ["20/11/2026,5.00,,Salary, November,", "20/11/2026,5.00,,Salary, November"]) {
      await expect(read(rows(HEAD, line))).rejects.toThrow(
        'Line 2, Remarks: the line has “November” behind a comma and a blank: a text seems to be cut there. Put it in quotation marks, such as "Salary, November"',
      );
      await expect(read(rows(HEAD, "20/11/2026,6.00,,Rent,Paid", line))).rejects.toThrow("Line 3, ");
    }
  });

  test("a sound file is not: blanks behind all commas, a padded column, quotation marks, addresses above", async () => {
    const padded = [21, 22, 23].map((day) => `${day}/11/2026,5.00,,NEFT OUT,  REF ${day}`);
    for (const lines of [
      [HEAD, ...padded],
      [HEAD, "20/11/2026, 5.00,, Salary, Paid"],
      [HEAD.replaceAll(",", ", "), "20/11/2026,5.00,,Salary, Paid"],
      [HEAD, '20/11/2026,5.00,,"Salary, November", Paid'],
      [
        "MERCHANT PVT LTD, 5, MAIN ROAD,,",
        HEAD,
        "20/11/2026,5.00,,Salary,Paid",
        "This is, as ever, made by a computer,,",
      ],
    ])
      expect(await linesOf(rows(...lines))).not.toHaveLength(0);
  });
});
