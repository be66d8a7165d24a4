// Balances at the breaks of pages, and charges beside payments.
import { describe, expect, test } from "vitest";
import { balancesOf, linesOf, rows } from "./testing.ts";

describe("balances at a page break", () => {
  const HEAD = "Date,Narration,Debit,Credit,Balance";
  const [a, b] = ["23/11/2026,A,75.00,,925.00", "24/11/2026,B,25.00,,900.00"];

  test.each([
    [["Brought Forward,,,,925.00"]],
    [["Balance C/F,,,,925.00", "Balance B/F,,,,925.00"]],
    [["C/F,,,,925.00"]],
    [["Opening Balance,,,,925.00"]],
  ])("are not those of the file: %s", async (between) => {
    for (const lines of [
      [a, ...between, b],
      [b, ...between.toReversed(), a],
    ])
      expect(await balancesOf(rows(HEAD, ...lines))).toEqual(["1000.00", "900.00"]);
  });

  test("those at the ends are checked, wherever they are written", async () => {
    for (const lines of [
      ["B/F,,,,1.00", a, b],
      [a, b, "Opening Balance,,,,1.00"],
      [a, b, "C/F,,,,1.00"],
      [b, a, "B/F,,,,1.00"],
    ])
      await expect(balancesOf(rows(HEAD, ...lines))).rejects.toThrow("was changed");
  });
});

describe("charges beside payments that the balance shows to have left", () => {
  const HEAD = "Date,Narration,Debit,Credit,Charges,Balance";
  const [a, b] = ["23/11/2026,A,100.00,,7.00,893.00", "24/11/2026,B,100.00,,7.00,786.00"];
  const expected = ["7.00 Fee", "100.00 A", "7.00 Fee", "100.00 B"];
  const said = async (text: string): Promise<string[]> =>
    (await linesOf(text)).map((line) => line.replace(/^.* \| -(.*) \| none \| /, "$1 "));

  test("left with the first payment too, whichever way the file goes", async () => {
    for (const text of [rows(HEAD, a, b), rows(HEAD, b, a)]) {
      expect((await said(text)).toSorted()).toEqual(expected.toSorted());
      expect(await balancesOf(text)).toEqual(["1000.00", "786.00"]);
    }
    expect(await said(rows(HEAD, a, b, "Total,,214.00,0.00,,"))).toEqual(expected);
    expect(await said(rows(HEAD, a, b, "Total,,200.00,0.00,14.00,"))).toEqual(expected);
  });

  test("did not leave with the first where the others show that they did not", async () => {
    const kept = rows(HEAD, a, b.replace("786", "793"));
    expect(await said(kept)).toEqual(["100.00 A", "100.00 B"]);
    expect(await balancesOf(kept)).toEqual(["993.00", "793.00"]);
  });
});
