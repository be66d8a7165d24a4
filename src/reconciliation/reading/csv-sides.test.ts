// Whether a line of a bank's table came in or went out: what proves it, and refusals if nothing does.
import { describe, expect, test } from "vitest";
import { formatPaise } from "../../platform/money.ts";
import { readStatementFile } from "./read-statement.ts";
import { signed, type ColumnMapping } from "./statement.ts";

const rows = (...lines: string[]): string => `${lines.join("\n")}\n`;

/** The signed amounts of the lines. */
async function amountsOf(text: string, mapping: ColumnMapping | null = null): Promise<string[]> {
  const { lines } = await readStatementFile(new TextEncoder().encode(text), { mapping, key: "test" });
  return lines.map((line) => formatPaise(signed(line)));
}

/** A table with a column beside its amounts. */
const beside = (heading: string, ...words: string[]): string =>
  rows(
    `Date,Description,Amount,${heading}`,
    ...words.map((word, index) => `2${index}/11/2026,N,${index + 1}.00,${word}`),
  );

describe("a word beside the amount", () => {
  test.each([
    ["Paid", "Received"],
    ["PAID OUT", "Paid in"],
    ["Out", "In"],
    ["-", "+"],
    ["−", "+"],
    ["Withdrawal", "Deposit"],
    ["PAYMENT", "RECEIPT"],
    ["Payment", "Received"],
    ["Outward", "Inward"],
    ["Outgoing", "incoming"],
    ["Sent", "Received"],
    ["Money out", "Money in"],
    ["(D)", "(C)"],
  ])("%s and %s, whatever the heading", async (out, came) => {
    for (const heading of ["Type", "Flow", "Direction", "Dr/Cr", "Kind of booking"]) {
      expect(await amountsOf(beside(heading, out, came, out))).toEqual(["-1.00", "2.00", "-3.00"]);
    }
    expect(await amountsOf(beside("Flow", came, came))).toEqual(["1.00", "2.00"]);
  });

  test.each(["Sign", "+/-"])("a minus alone below %s", async (heading) => {
    expect(await amountsOf(beside(heading, "-", "-"))).toEqual(["-1.00", "-2.00"]);
  });

  test("a word that is not known is refused, with its column and what to do", async () => {
    for (const heading of ["Type", "Flow", "Direction"]) {
      await expect(amountsOf(beside(heading, "Payout", "Refund"))).rejects.toThrow(
        `Line 3, ${heading}: “Refund” is neither debit nor credit. Write DR for what went out, and CR for what came in.`,
      );
      await expect(amountsOf(beside(heading, "Loss", "Gain"))).rejects.toThrow(
        `Line 2, ${heading}: “Loss” does not say whether “1.00” came in or went out. Add a column that has DR or CR`,
      );
    }
    for (const word of ["", "-", "N/A", "NEFT", "CR12"]) {
      await expect(amountsOf(beside("Dr / Cr", "CR", word))).rejects.toThrow(`“${word}” is neither debit nor credit.`);
    }
    const mapping = { date: "Date", amount: "Amount", side: "Kind" };
    await expect(amountsOf(beside("Kind", "Gain"), mapping)).rejects.toThrow("Line 2, Kind: “Gain” is neither");
  });

  test("a column of something else is none of sides", async () => {
    for (const [heading, word] of [
      ["Country", "IN"],
      ["Status", "Paid"],
      ["Cheque No", "-"],
      ["Branch", "C1001"],
    ]) {
      await expect(amountsOf(beside(heading!, word!, word!))).rejects.toThrow(
        "Line 2, Amount: nothing says whether “1.00” came in or went out.",
      );
    }
  });
});

describe("an amount alone", () => {
  const amounts = (...written: string[]): string =>
    rows("Date,Description,Amount", ...written.map((amount) => `20/11/2026,N,"${amount}"`));

  test("says nothing in a file without any sign", async () => {
    await expect(amountsOf(amounts("500.00", "1,200.00"))).rejects.toThrow(
      /Line 2, Amount: nothing says whether “500.00” came in or went out\. .*Line 3, Amount: nothing says whether “1,200.00”/,
    );
    await expect(amountsOf(amounts("500.00"), { date: "Date", amount: "Amount" })).rejects.toThrow("Line 2, Amount");
  });

  test("came in beside others with a minus or in brackets", async () => {
    expect(await amountsOf(amounts("500.00", "-3.00"))).toEqual(["500.00", "-3.00"]);
    expect(await amountsOf(amounts("(4.00)", "500.00", "−3.00"))).toEqual(["-4.00", "500.00", "-3.00"]);
  });

  test("with a plus came in; one without then says nothing", async () => {
    expect(await amountsOf(amounts("+500.00", "+3.00"))).toEqual(["500.00", "3.00"]);
    expect(await amountsOf(amounts("+500.00", "-3.00"))).toEqual(["500.00", "-3.00"]);
    for (const others of [["+500.00"], ["+500.00", "-3.00"]]) {
      await expect(amountsOf(amounts(...others, "7.00"))).rejects.toThrow("nothing says whether “7.00” came in");
    }
  });

  test("also behind a text below the lines", async () => {
    const text = rows("Date,Description,Amount", "Note: part 2,,", "20/11/2026,N,5.00");
    await expect(amountsOf(text)).rejects.toThrow("Line 3, Amount: nothing says whether “5.00” came in");
  });
});

describe("a balance proves the side", () => {
  const HEAD = "Date,Description,Amount,Balance";
  const opening = ",OPENING BALANCE,,1000.00";

  test("of each line between two balances, whichever way the file goes", async () => {
    const lines = ["20/11/2026,A,400.00,600.00", "21/11/2026,B,50.00,650.00", "22/11/2026,C,650.00,0.00"];
    expect(await amountsOf(rows(HEAD, opening, ...lines))).toEqual(["-400.00", "50.00", "-650.00"]);
    expect(await amountsOf(rows(HEAD, ...lines.toReversed(), opening))).toEqual(["-400.00", "50.00", "-650.00"]);
    const oneDay = lines.map((line) => line.replace(/^\d+/, "20"));
    expect(await amountsOf(rows(HEAD, opening, ...oneDay))).toEqual(["-400.00", "50.00", "-650.00"]);
    expect(await amountsOf(rows(HEAD, ...oneDay.toReversed(), opening))).toEqual(["-400.00", "50.00", "-650.00"]);
  });

  test("and not of the first line, if there is none before it, nor of one that does not follow", async () => {
    const lines = ["20/11/2026,A,400.00,600.00", "21/11/2026,B,50.00,650.00"];
    await expect(amountsOf(rows(HEAD, ...lines))).rejects.toThrow(
      /^Line 2, Amount: nothing says whether “400.00” .* Nothing was imported\.$/,
    );
    await expect(amountsOf(rows(HEAD, opening, ...lines, "22/11/2026,C,1.00,700.00"))).rejects.toThrow(
      "Line 5, Amount: nothing says whether “1.00” came in",
    );
    await expect(amountsOf(rows(HEAD, opening, "20/11/2026,A,400.00,,"))).rejects.toThrow("Line 3, Amount: ");
  });
});

test("columns of receipts and payments, and of money in and out", async () => {
  for (const [out, came] of [
    ["Payments", "Receipts"],
    ["Paid", "Received"],
    ["Money Out", "Money In"],
    ["OUT", "IN"],
  ]) {
    const text = rows(`Date,Description,${out},${came}`, "20/11/2026,A,5.00,", "20/11/2026,B,,7.00");
    expect(await amountsOf(text)).toEqual(["-5.00", "7.00"]);
  }
});

describe("a debit below zero", () => {
  const debits = (...lines: string[]): string => rows("Date,Narration,Debit,Credit,Balance", ...lines);

  test("went out where all debits are written so", async () => {
    expect(await amountsOf(debits("20/11/2026,A,-100.00,,", "21/11/2026,B,-50.00,,"))).toEqual(["-100.00", "-50.00"]);
  });

  test("was taken back, beside others, if the balances prove it", async () => {
    const text = debits("20/11/2026,A,100.00,,900.00", "21/11/2026,B,-50.00,,950.00", "22/11/2026,C,,-10.00,940.00");
    expect(await amountsOf(text)).toEqual(["-100.00", "50.00", "-10.00"]);
  });

  test("is refused beside others where nothing proves it", async () => {
    await expect(amountsOf(debits("20/11/2026,A,100.00,,", "21/11/2026,B,-50.00,,"))).rejects.toThrow(
      "Line 3, Debit: nothing says whether “-50.00” came in or went out.",
    );
  });
});

test("a second column with the heading of an amount is refused where it differs", async () => {
  const heading = "Date,Narration,Debit,Credit,Debit (INR)";
  expect(await amountsOf(rows(heading, "20/11/2026,A,100.00,,100.00", "21/11/2026,B,,5.00,0.00"))).toEqual([
    "-100.00",
    "5.00",
  ]);
  await expect(amountsOf(rows(heading, "20/11/2026,A,100.00,,200.00"))).rejects.toThrow(
    "Two columns are named “Debit”, and differ on line 2.",
  );
});
