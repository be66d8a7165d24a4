// Headings that say more than the role of their column: the order of dates, the currency, and columns that occur twice.
import { describe, expect, test } from "vitest";
import { linesOf, read, rows } from "./testing.ts";

describe("a heading with a date format", () => {
  const axis = (format: string, ...dates: string[]): string =>
    rows(
      `S.No,Transaction Date ${format},Value Date ${format},Particulars,Amount(INR),Debit/Credit,Balance(INR),Cheque Number,Branch Name(SOL)`,
      ...dates.map((date, index) => `${index},${date},${date},UPI,100.00,DR,${1000 - index * 100}.00,,ANDHERI`),
    );
  const daysOf = async (text: string): Promise<string[]> =>
    (await read(text)).lines.map(({ bookedOn }) => bookedOn.toString());

  test.each([
    "(dd/mm/yyyy)",
    "(DD-MM-YYYY)",
    "[dd-MM-yyyy HH:mm:ss]",
    "dd/mm/yy",
    "(DDMMYYYY)",
    "(DD/MM/YYYY hh:mm:ss AM/PM)",
  ])("%s is known, and answers whether the day is first", async (format) => {
    const text = axis(format, "05/11/2026", "06/11/2026");
    expect(await daysOf(text)).toEqual(["2026-11-05", "2026-11-06"]);
    expect(await read(text)).toMatchObject({ dateOrder: "day-first", mapping: { balance: "Balance(INR)" } });
  });

  test("may have the month first; the dates themselves count more", async () => {
    expect(await daysOf(axis("(mm/dd/yyyy)", "11/05/2026", "11/06/2026"))).toEqual(["2026-11-05", "2026-11-06"]);
    expect(await daysOf(axis("(mm/dd/yyyy)", "05/11/2026", "26/11/2026"))).toEqual(["2026-11-05", "2026-11-26"]);
    expect(await daysOf(axis("(yyyy-mm-dd)", "2026-11-05"))).toEqual(["2026-11-05"]);
  });
});

describe("another date of the same line", () => {
  const HEAD = "Date,Value Date,Narration,Debit,Credit";

  test("answers whether the day is first", async () => {
    const [line] = await linesOf(rows(HEAD, "05/11/2026,26/11/2026,A,5.00,"));
    expect(line).toMatch(/^2026-11-05/);
    const [other] = await linesOf(rows(HEAD, "11/05/2026,11/26/2026,A,5.00,"));
    expect(other).toMatch(/^2026-11-05/);
  });

  test("answers nothing if it has both orders, or is of no line", async () => {
    const both = rows(HEAD, "05/11/2026,26/11/2026,A,5.00,", "05/11/2026,11/26/2026,A,5.00,");
    await expect(read(both)).rejects.toThrow("Every date in the file is ambiguous");
    const none = rows(HEAD, "05/11/2026,05/11/2026,A,5.00,", "Printed,26/11/2026,,,");
    await expect(read(none)).rejects.toThrow("Every date in the file is ambiguous");
  });
});

describe("amounts of another currency", () => {
  test("are refused as such, if the file has no others", async () => {
    for (const [debit, credit, balance] of [
      ["Debit (USD)", "Credit (USD)", "Balance (USD)"],
      ["Withdrawal Amt EUR", "Deposit Amt EUR", "Balance"],
    ]) {
      const text = rows(`Date,Narration,${debit},${credit},${balance}`, "20/11/2026,A,5.00,,95.00");
      await expect(read(text)).rejects.toThrow(
        /Line 1, (?:Debit|Withdrawal).*: the currency is “(?:USD|EUR)”, not INR/,
      );
    }
    const both = rows("Date,Narration,Debit (USD),Credit (USD),Debit (INR),Credit (INR)", "20/11/2026,A,1.00,,83.00,");
    expect(await linesOf(both)).toEqual(["2026-11-20 | -83.00 | none | A"]);
  });

  test("a heading with another short word is none of amounts", async () => {
    const text = rows("Date,Narration,Debit (CHQ),Credit (CHQ)", "20/11/2026,A,5.00,");
    await expect(read(text)).rejects.toThrow("The file has no heading row");
  });
});

describe("a heading that occurs twice", () => {
  test("of references: what is in either column is one", async () => {
    const text = rows(
      "Date,Particulars,Reference No,Reference No,Debit,Credit",
      "20/11/2026,A,,632600000051,5.00,",
      "21/11/2026,B,000123,632600000052,5.00,",
      "22/11/2026,C,632600000053,632600000053,5.00,",
    );
    const { lines } = await read(text);
    expect(lines.map(({ reference, otherWords }) => [reference, otherWords])).toEqual([
      ["632600000051", []],
      ["000123", ["632600000052"]],
      ["632600000053", []],
    ]);
  });

  test("of references: also where a mapping names it", async () => {
    const text = rows("Date,Text,Slip,Slip,Debit,Credit", "20/11/2026,A,-,632600000054,5.00,");
    const mapping = { date: "Date", narration: "Text", reference: "Slip", debit: "Debit", credit: "Credit" };
    expect(await linesOf(text, mapping)).toEqual(["2026-11-20 | -5.00 | 632600000054 | A"]);
  });

  test("of narrations: they are one text, also where they go on below", async () => {
    const text = rows(
      "Date,Narration,Narration,Debit,Credit",
      "20/11/2026,PAY A,UTR 632600000055,5.00,",
      "20/11/2026,PAY B,PAY B,5.00,",
      ",,RENT,,",
      "20/11/2026,,C,,5.00",
    );
    expect((await linesOf(text)).map((line) => line.split(" | ")[3])).toEqual([
      "PAY A UTR 632600000055",
      "PAY B RENT",
      "C",
    ]);
  });

  test("of amounts is refused where the two differ, with a place for each", async () => {
    const text = rows("Date,Narration,Amount,Amount,Dr/Cr", "20/11/2026,A,100.00,,DR", "21/11/2026,B,,200.00,CR");
    await expect(read(text)).rejects.toThrow("Two columns are named “Amount”, and differ on line 3.");
  });
});

test("MT940: an amount with points between thousands is refused, and not read up to the point", async () => {
  const file = (opening: string, closing: string, paid = "500,00"): string =>
    rows(
      ":20:X",
      ":25:5",
      ":28C:1/1",
      `:60F:C261120INR${opening}`,
      `:61:2611201120C${paid}NTRF632600000056`,
      `:62F:C261120INR${closing}`,
    );
  for (const opening of ["1.000,00", "1,000.00", "1.000", "1,000,00"])
    await expect(read(file(opening, "1500,00"))).rejects.toThrow(`“C261120INR${opening}” is not a balance in INR.`);
  await expect(read(file("1,00", "501.000"))).rejects.toThrow("Line 6, :62F:: “C261120INR501.000” is not a balance");
  await expect(read(file("1,00", "2,00", "1.000"))).rejects.toThrow("Line 5, :61:");
  for (const opening of ["1000,", "1000,00", "1000.00", "1000", "1000,00 "])
    expect(await read(file(opening, "1500,"))).toMatchObject({ openingPaise: 100_000n });
});
