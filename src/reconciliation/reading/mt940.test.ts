// SWIFT's MT940 statements: the meaning of their fields.
import { describe, expect, test } from "vitest";
import { formatPaise } from "../../platform/money.ts";
import { readStatementFile } from "./read-statement.ts";
import { signed, type ReadStatement } from "./statement.ts";

const read = (text: string): Promise<ReadStatement> =>
  readStatementFile(new TextEncoder().encode(text), { key: "test" });

/** Each line as a text: day, signed amount, reference, narration. */
async function linesOf(text: string): Promise<string[]> {
  const { lines } = await read(text);
  return lines.map((line) => {
    return [line.bookedOn.toString(), formatPaise(signed(line)), line.reference ?? "none", line.narration].join(" | ");
  });
}

/** An MT940 statement between two balances. */
function mt940(opening: string, entries: readonly string[], closing: string, account = "50100000000001"): string {
  return [
    ":20:T1",
    `:25:${account}`,
    ":28C:1/1",
    `:60F:C261120INR${opening}`,
    ...entries,
    `:62F:C261120INR${closing}`,
    "-",
    "",
  ].join("\n");
}

describe("MT940", () => {
  test("a line keeps the references of :61: and its details beside :86:", async () => {
    const entries = [
      ":61:2611201120D10,00NTRF632600000001//BANKREF1",
      "TO ASHA UTR 632600000002",
      ":86:IMPS OUTWARD",
      ":61:2611201120D10,00NTRFPAYOUT-12//BANKREF2",
      ":86:IMPS PAYOUT-123 OUTWARD",
      ":61:2611201120D10,00NTRF632600000003",
      ":61:2611201120D10,00NTRFNONREF",
    ];
    expect(await linesOf(mt940("100,00", entries, "60,00"))).toEqual([
      "2026-11-20 | -10.00 | BANKREF1 | 632600000001 TO ASHA UTR 632600000002 IMPS OUTWARD",
      "2026-11-20 | -10.00 | BANKREF2 | PAYOUT-12 IMPS PAYOUT-123 OUTWARD",
      "2026-11-20 | -10.00 | 632600000003 | ",
      "2026-11-20 | -10.00 | none | ",
    ]);
  });

  test("marks, funds codes, blanks between subfields, and amounts with and without decimals", async () => {
    const entries = [
      ":61:2611201120D1,50NTRFREF000001",
      ":61:2611201120DR2,NTRFREF000002",
      ":61:261120RC4,00NMSCREF000003",
      ":61:2611201120RDR8,00S103REF000004",
      ":61:2611201120CR16,5 NTRF REF000005//BANK5",
      ":61:261120 1120 C 32.00 FMSC REF000006",
    ];
    expect(await linesOf(mt940("0,", entries, "49,00"))).toEqual([
      "2026-11-20 | -1.50 | REF000001 | ",
      "2026-11-20 | -2.00 | REF000002 | ",
      "2026-11-20 | -4.00 | REF000003 | ",
      "2026-11-20 | 8.00 | REF000004 | ",
      "2026-11-20 | 16.50 | BANK5 | REF000005",
      "2026-11-20 | 32.00 | REF000006 | ",
    ]);
  });

  test("a :86: belongs to the :61: directly before it, also in several fields; others are the statement's", async () => {
    const first = mt940(
      "100,00",
      [":86:OF THE STATEMENT", ":61:2611201120D10,00NTRFREF000001", ":86:ONE", ":86:TWO"],
      "90,00",
    );
    const text = first.replace(
      ":62F:C261120INR90,00\n",
      ":62F:C261120INR90,00\n:64:C261120INR90,00\n:86:END OF STATEMENT 1\n",
    );
    const second = mt940("90,00", [":61:2611201120C5,00NTRFREF000002"], "95,00").replace(
      ":28C:1/1",
      ":28C:1/1\n:86:NOT OF A LINE",
    );
    expect(await linesOf(text + second)).toEqual([
      "2026-11-20 | -10.00 | REF000001 | ONE TWO",
      "2026-11-20 | 5.00 | REF000002 | ",
    ]);
  });

  test("a reference that is cut by the end of a row is whole", async () => {
    const full = "IMPS OUTWARD TO ASHA RAO OF HDFC BANK FOR INVOICE 44 UTR 63260000";
    expect(full).toHaveLength(65);
    const text = (...said: string[]) =>
      mt940("100,00", [":61:2611201120D10,00NTRFNONREF//B1234567", ":86:" + said.join("\n")], "90,00");
    expect(await linesOf(text(full, "0001 THANK YOU"))).toEqual([
      "2026-11-20 | -10.00 | B1234567 | IMPS OUTWARD TO ASHA RAO OF HDFC BANK FOR INVOICE 44 UTR 632600000001 THANK YOU",
    ]);
    // With shorter rows the cut is unknown: both readings are looked up.
    const { lines } = await read(text("UTR 63260000", "0001", "THANK YOU"));
    expect(lines[0]).toMatchObject({
      narration: "UTR 63260000 0001 THANK YOU",
      otherWords: ["632600000001", "0001THANK", "632600000001THANK"],
    });
    const three = (await read(text("UTR 6326", "0000", "0002 THANK YOU"))).lines[0]!;
    expect(three.otherWords).toContain("632600000002");
    const four = (await read(text("PAID 632", "600", "000", "003"))).lines[0]!;
    expect(four.otherWords).toContain("632600000003");
    const ofEntry = mt940("100,00", [":61:2611201120D10,00NTRFNONREF//63260", "000", "0004"], "90,00");
    expect((await read(ofEntry)).lines[0]!.otherWords).toContain("632600000004");
    // Subfields are cut too, after 27 characters.
    const divided = await read(text("166?00TRANSFER?20INVOICE NUMBER 44 UTR 63260?210000002 ASHA?32RAO"));
    expect(divided.lines[0]!.narration).toBe("166 TRANSFER INVOICE NUMBER 44 UTR 632600000002 ASHA RAO");
  });

  test("blank rows and lines of 0,00 are passed over", async () => {
    const entries = [
      ":61:2611201120D10,00NTRFREF000001",
      "",
      "  ",
      ":86:PAID",
      "",
      ":61:2611201120D0,00NCHGNONREF",
      ":86:WAIVED",
    ];
    expect(await linesOf(mt940("100,00", entries, "90,00"))).toEqual(["2026-11-20 | -10.00 | REF000001 | PAID"]);
  });

  test("several statements of one account, also the newest first; a gap and another account are refused", async () => {
    const one = mt940("100,00", [":61:2611201120D10,00NTRFREF000001"], "90,00");
    const two = mt940("90,00", [":61:2611211121C5,00NTRFREF000002"], "95,00");
    const expected = ["2026-11-20 | -10.00 | REF000001 | ", "2026-11-21 | 5.00 | REF000002 | "];
    expect(await linesOf(one + two)).toEqual(expected);
    expect(await linesOf(two + one)).toEqual(expected);
    expect(await read(two + one)).toMatchObject({ openingPaise: 10_000n, closingPaise: 9500n });
    const late = mt940("95,00", [":61:2611221122C1,00NTRFREF000003"], "96,00");
    await expect(read(one + late)).rejects.toThrow("begins with ₹95.00, but the statement before it ends with ₹90.00");
    const other = mt940("90,00", [":61:2611211121C5,00NTRFREF000002"], "95,00", "50100000000002");
    await expect(read(one + other)).rejects.toThrow(
      "The file has statements of two accounts: one ends in 0001, the other in 0002.",
    );
    expect(await linesOf(one + two.replace(":25:50100000000001", ":25: 5010 0000 0000 01"))).toEqual(expected);
  });

  test("an account is the same with the bank's code, zeros and currency; two that end alike are told apart", async () => {
    const one = mt940("100,00", [":61:2611201120D10,00NTRFREF000001"], "90,00");
    const two = (account: string) => mt940("90,00", [":61:2611211121C5,00NTRFREF000002"], "95,00", account);
    for (const same of ["HDFCINBB/50100000000001", "HDFCINBB/0050100000000001/INR", "50100000000001INR"])
      expect(await linesOf(one + two(same))).toHaveLength(2);
    await expect(read(one + two("60100000000001"))).rejects.toThrow(
      "two accounts: one ends in 50100000000001, the other in 60100000000001.",
    );
  });

  test("a statement that is in the file twice is refused; another one of the same number is not", async () => {
    const entries = [":61:2611201120D10,00NTRFREF000001", ":61:2611201120C10,00NTRFREF000002"];
    const one = mt940("100,00", entries, "100,00");
    const refusal =
      "statement 1/1 (T1) is in the file twice, first on line 4. Remove one of the two, and import the file again. Nothing was imported.";
    await expect(read(one + one)).rejects.toThrow(`Line 12, :60F:: ${refusal}`);
    // A statement in between, and one with other balances, which is not a gap.
    const between = mt940("100,00", [":61:2611201120C0,50NTRFREF000003"], "100,50").replace("1/1", "2/1");
    const back = mt940("100,50", [":61:2611201120D0,50NTRFREF000004"], "100,00").replace("1/1", "3/1");
    await expect(read(one + between + back + one)).rejects.toThrow(refusal);
    await expect(read(between + between)).rejects.toThrow("statement 2/1 (T1) is in the file twice, first on line 4.");
    for (const other of [
      one.replace(":28C:1/1", ":28C:1/2"),
      one.replace(":20:T1", ":20:T2"),
      one.replaceAll("1120D10,00NTRFREF000001", "1120D10,00NTRFREF000003"),
      one.replaceAll("2611201120", "2611211121"),
    ])
      expect(await linesOf(one + other)).toHaveLength(4);
    // Days without a line may all have the same number.
    expect(await linesOf(one + mt940("100,00", [], "100,00") + mt940("100,00", [], "100,00"))).toHaveLength(2);
  });

  test("three digits behind a comma are refused: a rupee has two decimals, and some write thousands so", async () => {
    const text = (written: string, balance = "90,00") =>
      mt940("100,00", [`:61:2611201120D${written}NTRFREF000001`], balance);
    expect(await linesOf(text("10,0000"))).toHaveLength(1);
    await expect(read(text("10,000"))).rejects.toThrow("Line 5, :61:: ");
    await expect(read(text("10,00", "90,000"))).rejects.toThrow("Line 6, :62F:: ");
  });

  test("a line outside of a statement is refused", async () => {
    const text = mt940("100,00", [], "100,00");
    const entry = ":61:2611201120D10,00NTRFREF000001\n";
    await expect(read(text.replace(":60F:", `${entry}:60F:`))).rejects.toThrow("no opening or no closing balance");
    await expect(read(text.replace("-\n", `${entry}-\n`))).rejects.toThrow("no opening or no closing balance");
  });
});
