// Amounts that were cut at their commas, and sound lines that only seem to be.
import { describe, expect, test } from "vitest";
import { linesOf, read, rows } from "./testing.ts";

describe("zeros at the beginning of an amount", () => {
  const HEAD = "Date,Narration,Reference,Debit,Credit";

  test.each(["8,000.00,", "8,000.25,", "8,050.00,", "8,,050.00", "8,00.50,", "8,000,"])(
    "“%s” is refused as the rest of an amount",
    async (cells) => {
      await expect(read(rows(HEAD, "23/11/2026,A,R1,5.00,", `24/11/2026,VENDOR,${cells}`))).rejects.toThrow(
        /^Line 3, (?:Debit|Credit): “0.*” begins with zeros, like the rest of an amount that was cut at its comma/,
      );
    },
  );

  test("that pad an amount to more than three digits are read", async () => {
    const lines = await linesOf(
      rows(HEAD, "24/11/2026,A,R1,000000001500.00,000000000000.00", "24/11/2026,B,R2,,0.50", "25/11/2026,C,R3,2.00,0"),
    );
    expect(lines).toEqual([
      "2026-11-24 | -1500.00 | R1 | A",
      "2026-11-24 | 0.50 | R2 | B",
      "2026-11-25 | -2.00 | R3 | C",
    ]);
  });

  test("of MT940 are read", async () => {
    const text = rows(
      ":20:X",
      ":25:50100000000001",
      ":28C:1/1",
      ":60F:C261120INR000000001000,00",
      ":61:2611201120D000000000050,00NTRF632500000201//B1",
      ":62F:C261120INR000000000950,00",
    );
    expect(await linesOf(text)).toEqual([expect.stringMatching(/^2026-11-20 \| -50\.00 \| /)]);
  });
});

describe("whole rupees beside a balance", () => {
  const HEAD = "Date,Narration,Debit,Credit,Balance";

  test.each([
    ["oldest first", "20/11/2026,A,50,,950.00", "21/11/2026,B,,10,960.00", "22/11/2026,C,1,,959.00"],
    ["newest first", "22/11/2026,C,1,,959.00", "21/11/2026,B,,10,960.00", "20/11/2026,A,50,,950.00"],
    ["behind an opening balance", "Opening Balance,,,,140.00", "20/11/2026,A,,10,150.00", "21/11/2026,B,,50,200.00"],
  ])("are read where the balances prove the lines, %s", async (_, ...lines) => {
    expect(await linesOf(rows(HEAD, ...lines))).not.toHaveLength(0);
  });

  test("are refused by their column where the balances don't", async () => {
    const problem = /^Line 3, Credit: the amount is split into several cells by its commas/;
    await expect(read(rows(HEAD, "20/11/2026,A,50,,950.00", "21/11/2026,B,,10,961.00"))).rejects.toThrow(problem);
    await expect(
      read(rows("Date,Narration,Debit,Credit", "20/11/2026,A,50.00,", "21/11/2026,B,1,500.00")),
    ).rejects.toThrow(/^Line 3, Debit: the amount is split/);
  });
});
