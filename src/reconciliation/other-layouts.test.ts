// One account in two layouts of the same bank, and lines that a later download spells differently.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { importStatement } from "./import-statement.ts";
import { reconcile } from "./reconcile.ts";
import { bookAsFunding } from "./resolve.ts";
import { Stage } from "./testing.ts";

const FULL = "Date,Narration,Ref No,Debit,Credit,Balance";
const SHORT = "Date,Narration,Ref No,Debit,Credit";

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage.db.close());
beforeEach(() => stage.newMerchant());

/** Imports these files in order. Returns the state of each line, or its difference. */
async function take(...files: readonly string[]): Promise<string[]> {
  for (const text of files) {
    const bytes = new TextEncoder().encode(text);
    await importStatement(stage.context, { account: "ICICI", fileName: "day", bytes });
    await reconcile(stage.context);
  }
  return (await stage.lines()).map(({ state, difference }) => difference ?? state);
}

const ONCE = ["missing_here"];
const MARKED = ["missing_here", "duplicate"];
const TWICE = ["missing_here", "missing_here"];

describe("a line that a later file of the same layout has in other writing is the same line", () => {
  test.each([
    ["blanks", "IMPS IN,R1000001,,5000.00,6000.00", "IMPS  IN,R100 0001,,5000.00,6000.00"],
    ["capitals of the narration", "IMPS IN,R1000001,,5000.00,6000.00", "Imps in,R1000001,,5000.00,6000.00"],
    ["capitals of the reference", "NEFT,hdfcn12684,,900.00,6000.00", "NEFT,HDFCN12684,,900.00,6000.00"],
    ["zeros before the reference", "IMPS,0000632500000042,,5.00,6.00", "IMPS,632500000042,,5.00,6.00"],
    ["an apostrophe before the reference", "IMPS,632500000042,,5.00,6.00", "IMPS,'632500000042,,5.00,6.00"],
    ["an apostrophe before the narration", "IMPS IN,632500000042,,5.00,6.00", "'IMPS IN,632500000042,,5.00,6.00"],
    ["a decimal place of the reference", "IMPS,632500000042,,5.00,6.00", "IMPS,632500000042.0,,5.00,6.00"],
    ["a dash for no reference", "CASH,,,5000.00,6000.00", "CASH,-,,5000.00,6000.00"],
  ])("%s", async (_, first, second) => {
    expect(await take(`${FULL}\n20/11/2026,${first}`, `${FULL}\n20/11/2026,${second}`)).toEqual(ONCE);
  });

  test("in HTML too", async () => {
    const row = (cells: string): string => `<tr><td>${cells.split(",").join("</td><td>")}</td></tr>`;
    const html = `<table>${row(FULL)}${row("20/11/2026,A &amp; B,R1000001,,5000.00,6000.00")}</table>`;
    expect(await take(`${FULL}\n20/11/2026,A &  B,R1000001,,5000.00,6000.00`, html)).toEqual(ONCE);
  });
});

describe("a line that the same layout has with the narration cut short", () => {
  test.each([
    ["with the same balance", "CHQ DEP 15096 MG ROAD,,,310.00,6000.00", "CHQ DEP 15096,,,310.00,6000.00"],
    ["with the same reference", "IMPS ASHA RAO HDFC,R1000001,,310.00,6000.00", "IMPS ASHA,R1000001,,310.00,6000.00"],
  ])("is marked as a possible duplicate, %s", async (_, first, second) => {
    expect(await take(`${FULL}\n20/11/2026,${first}`, `${FULL}\n20/11/2026,${second}`)).toEqual(MARKED);
  });

  test("is marked without a balance too", async () => {
    const [first, second] = ["CHQ DEP 15096 MG ROAD,,,310.00", "Chq Dep 15096,,,310.00"];
    expect(await take(`${SHORT}\n20/11/2026,${first}`, `${SHORT}\n20/11/2026,${second}`)).toEqual(MARKED);
  });
});

describe("equal payments of a day in two downloads of the same layout are two payments", () => {
  test.each([
    ["with other balances", FULL, "CASH DEP,,,500.00,1500.00", "CASH DEP,,,500.00,2000.00"],
    ["with other references", SHORT, "IMPS,632500000042,,500.00", "IMPS,632500000043,,500.00"],
    ["with other narrations", SHORT, "CASH DEP ANDHERI,,,500.00", "CASH DEP MG ROAD,,,500.00"],
    ["on an account emptied each time", FULL, "UPI/632500000042/A,,,5.00,5.00", "UPI/632500000043/B,,,5.00,5.00"],
  ])("%s", async (_, headings, first, second) => {
    expect(await take(`${headings}\n20/11/2026,${first}`, `${headings}\n20/11/2026,${second}`)).toEqual(TWICE);
  });

  test("also if the second file has both", async () => {
    const [first, second] = ["20/11/2026,CASH DEP,,,500.00", "20/11/2026,CASH DEP MG ROAD,,,500.00"];
    expect(await take(`${SHORT}\n${first}`, `${SHORT}\n${second}\n${first}`)).toEqual(TWICE);
  });
});

describe("a line that another layout of the same account has", () => {
  const ICICI = [
    "Transaction Date,Value Date,Cheque Number,Transaction Remarks,Withdrawal Amount (INR ),Deposit Amount (INR ),Balance (INR )",
    "No.,Transaction ID,Value Date,Txn Posted Date,ChequeNo.,Description,Cr/Dr,Transaction Amount(INR),Available Balance(INR)",
  ] as const;

  test("counts once with the same balance", async () => {
    const first = `${ICICI[0]}\n20/11/2026,20/11/2026,-,BY CASH-15096-MUMBAI,0.00,420.00,9000.00`;
    const second = `${ICICI[1]}\n1,S15096111,20/11/2026,20/11/2026 10:15:22 AM,-,BY CASH -MUMBAI,CR,420.00,9000.00`;
    expect(await take(first, second, first, second)).toEqual(ONCE);
    await stage.newMerchant();
    expect(await take(second, first, second, first)).toEqual(ONCE);
  });

  test("counts once with the same reference, whatever the columns of amounts", async () => {
    const amounts = `Date,Narration,Ref No,Dr/Cr,Amount\n20/11/2026,X,R1000001,CR,"5,000.00"`;
    expect(await take(`${FULL}\n20/11/2026,CASH,R1000001,,5000.00,6000.00`, amounts)).toEqual(ONCE);
  });

  test("is marked with only day, side and amount, and not credited a second time", async () => {
    const [full, short] = [
      `${FULL}\n20/11/2026,CHQ DEP 12684,,,800.00,6000.00`,
      `${SHORT}\n20/11/2026,CHQ DEP,,,800.00`,
    ];
    expect(await take(full, short)).toEqual(MARKED);
    const [credited, marked] = await stage.lines();
    await bookAsFunding(stage.context, credited!.lineId);
    await expect(bookAsFunding(stage.context, marked!.lineId)).rejects.toThrow(/may be line/);
    expect(await take(short, full)).toEqual(["matched", "duplicate"]);
    await stage.newMerchant();
    expect(await take(short, full)).toEqual(MARKED);
  });

  test.each([
    ["the value date", "Txn Date,Value Date,Narration,Ref No,Debit,Credit", "Value Date,Narration,Ref No,Debit,Credit"],
    [
      "the posting date",
      "Value Date,Txn Posted Date,Narration,Ref No,Debit,Credit",
      "Txn Posted Date,Narration,Ref No,Debit,Credit",
    ],
  ])("counts once with the same reference below %s alone", async (_, both, one) => {
    const [first, second] = [`${both}\n20/11/2026,21/11/2026,X,R1000001,,5.00`, `${one}\n21/11/2026,X,R1000001,,5.00`];
    expect(await take(first, second)).toEqual(ONCE);
    await stage.newMerchant();
    expect(await take(second, first)).toEqual(ONCE);
  });

  test("is marked below the value date alone without a reference", async () => {
    const both = "Txn Date,Value Date,Narration,Ref No,Debit,Credit\n20/11/2026,21/11/2026,CASH A,,,5.00";
    expect(await take(both, "Value Date,Narration,Ref No,Debit,Credit\n21/11/2026,BY CASH,,,5.00")).toEqual(MARKED);
  });

  test("is marked in another kind of camt, and in MT940 below the day of the value", async () => {
    const swift =
      ":20:1\n:25:50100\n:28C:1/1\n:60F:C261120INR1000,00\n:61:2611211120C5,00NTRFNONREF\n:86:CASH\n:62F:C261120INR1005,00";
    expect(await take(swift, "Value Date,Narration,Ref No,Debit,Credit\n21/11/2026,BY CASH,,,5.00")).toEqual(MARKED);
    await stage.newMerchant();
    const camt = (message: string, part: string, text: string): string =>
      `<Document xmlns="urn:x"><${message}><${part}><Id>1</Id><Ntry><Amt Ccy="INR">5.00</Amt><CdtDbtInd>CRDT</CdtDbtInd>` +
      `<Sts>BOOK</Sts><BookgDt><Dt>2026-11-20</Dt></BookgDt><AddtlNtryInf>${text}</AddtlNtryInf></Ntry></${part}></${message}></Document>`;
    const [notified, stated] = [
      camt("BkToCstmrDbtCdtNtfctn", "Ntfctn", "CASH"),
      camt("BkToCstmrStmt", "Stmt", "BY CASH AT BRANCH"),
    ];
    const opening =
      '<Bal><Tp><CdOrPrtry><Cd>OPBD</Cd></CdOrPrtry></Tp><Amt Ccy="INR">1.00</Amt><CdtDbtInd>CRDT</CdtDbtInd></Bal>';
    expect(await take(notified, stated.replace("<Ntry>", `${opening}<Ntry>`))).toEqual(MARKED);
  });
});
