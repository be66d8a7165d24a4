// Totals of invoices: worked examples by hand, and invariants for any amounts and rates.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatPaise, formatThousandths, parsePaise } from "../platform/money.ts";
import { withoutTax, type Supply } from "./gst-row.ts";
import { addUp, gstOf, roundOffOf, rowRateOf, type TaxRow } from "./totals.ts";
import type { Row } from "./lines/line.ts";

/** A row with an amount and a rate, both as people write them. */
function row(amount: string, gst: string): Row {
  const gstThousandths = parsePaise(gst)! * 10n;
  return { item: "", sacCode: "", description: "", gstThousandths, amountPaise: parsePaise(amount)! };
}

function taxRow(name: string, percentage: string, applicableOn: string): TaxRow {
  return { name, percentThousandths: parsePaise(percentage)! * 10n, applicableOnPaise: parsePaise(applicableOn)! };
}

/** Taxes as `name percentage of applicable_on = amount`, then the total. */
function print(supply: Supply, rows: readonly Row[], taxRows: readonly TaxRow[] = [], dues = "0"): string[] {
  const { taxes, amountPaise } = addUp(rows, taxRows, parsePaise(dues)!, supply);
  const lines = taxes.map(({ name, percentThousandths, applicableOnPaise, amountPaise: tax }) => {
    return `${name} ${formatThousandths(percentThousandths)} of ${formatPaise(applicableOnPaise)} = ${formatPaise(tax)}`;
  });
  return [...lines, formatPaise(amountPaise)];
}

describe("worked examples", () => {
  test.each<[string, string[], string[]]>([
    [
      "18 % within a state",
      print("intra_state", [row("1000", "18")]),
      ["CGST 9 of 1000.00 = 90.00", "SGST 9 of 1000.00 = 90.00", "1180.00"],
    ],
    ["18 % between states", print("inter_state", [row("1000", "18")]), ["IGST 18 of 1000.00 = 180.00", "1180.00"]],
    ["18 % without a GSTIN", print("untaxed", [row("1000", "18")]), ["1000.00"]],
    ["no rate", print("intra_state", [row("1000", "0")]), ["1000.00"]],
    [
      "5 % of an odd amount",
      print("intra_state", [row("99.99", "5")]),
      ["CGST 2.5 of 99.99 = 2.50", "SGST 2.5 of 99.99 = 2.50", "104.99"],
    ],
    [
      "0.25 %, the rate of rough diamonds",
      print("intra_state", [row("1000", "0.25")]),
      ["CGST 0.125 of 1000.00 = 1.25", "SGST 0.125 of 1000.00 = 1.25", "1002.50"],
    ],
    [
      "a half that is rounded by itself",
      print("intra_state", [row("10", "0.25")]),
      ["CGST 0.125 of 10.00 = 0.01", "SGST 0.125 of 10.00 = 0.01", "10.02"],
    ],
    ["the same between states", print("inter_state", [row("10", "0.25")]), ["IGST 0.25 of 10.00 = 0.03", "10.03"]],
    ["half a paisa goes up", print("inter_state", [row("0.10", "5")]), ["IGST 5 of 0.10 = 0.01", "0.11"]],
    ["less than half a paisa goes down", print("inter_state", [row("0.09", "5")]), ["IGST 5 of 0.09 = 0.00", "0.09"]],
    [
      "rows of two rates, each rate one line, each row rounded by itself",
      print("inter_state", [row("0.10", "5"), row("100", "28"), row("0.10", "5")]),
      ["IGST 5 of 0.20 = 0.02", "IGST 28 of 100.00 = 28.00", "128.22"],
    ],
    [
      "an untaxed row beside a taxed one",
      print("inter_state", [row("50", "0"), row("50", "12")]),
      ["IGST 12 of 50.00 = 6.00", "106.00"],
    ],
    [
      "taxes of the merchant's own win over the rows' rates, also without a GSTIN",
      print("untaxed", [row("1000", "18")], [taxRow("VAT", "12.50", "800"), taxRow("Cess", "1", "0.50")]),
      ["VAT 12.5 of 800.00 = 100.00", "Cess 1 of 0.50 = 0.01", "1100.01"],
    ],
    [
      "a tax of 0 % on nothing",
      print("intra_state", [row("10", "18")], [taxRow("None", "0", "0")]),
      ["None 0 of 0.00 = 0.00", "10.00"],
    ],
    [
      "previous dues are not taxed",
      print("inter_state", [row("100", "18")], [], "500.50"),
      ["IGST 18 of 100.00 = 18.00", "618.50"],
    ],
    ["dues alone", print("intra_state", [], [], "0.01"), ["0.01"]],
    [
      "a row of nothing",
      print("intra_state", [row("0", "18")]),
      ["CGST 9 of 0.00 = 0.00", "SGST 9 of 0.00 = 0.00", "0.00"],
    ],
    [
      "the largest amount",
      print("inter_state", [row("9999999999999.99", "0.01")]),
      ["IGST 0.01 of 9999999999999.99 = 1000000000.00", "10000999999999.99"],
    ],
  ])("%s", (_what, actual, expected) => {
    expect(actual).toEqual(expected);
  });
});

describe("whatever the amounts and rates are", () => {
  const paise = fc.bigInt({ min: 0n, max: 999_999_999_999n });
  const thousandths = fc.bigInt({ min: 0n, max: 10_000n }).map((hundredths) => hundredths * 10n);
  const rows = fc.array(
    fc.record({
      gstThousandths: fc.oneof(fc.constantFrom(250n, 5_000n, 18_000n, 28_000n), thousandths),
      amountPaise: paise,
    }),
    { maxLength: 12 },
  );
  const asRows = rows.map((all): Row[] => all.map((each) => ({ item: "", sacCode: "", description: "", ...each })));
  const taxRows = fc.array(
    fc.record({ name: fc.constantFrom("VAT", "Cess"), percentThousandths: thousandths, applicableOnPaise: paise }),
    { maxLength: 4 },
  );
  const supply = fc.constantFrom<Supply>("intra_state", "inter_state", "untaxed");

  test("the total is the sum of what is printed", () => {
    fc.assert(
      fc.property(asRows, taxRows, paise, supply, (all, own, dues, how) => {
        const totals = addUp(all, own, dues, how);
        const printed = [...all, ...totals.taxes].map(({ amountPaise }) => formatPaise(amountPaise));
        const sum = [...printed, formatPaise(dues)].reduce((total, text) => total + parsePaise(text)!, 0n);
        expect(totals.amountPaise).toBe(sum);
        expect(totals.amountPaise).toBe(totals.subTotalPaise + totals.taxTotalPaise + dues);
      }),
    );
  });

  test("CGST equals SGST, and together they are IGST but for a paisa a row", () => {
    fc.assert(
      fc.property(asRows, (all) => {
        const within = addUp(all, [], 0n, "intra_state").taxes;
        const sumOf = (name: string) => within.filter((tax) => tax.name === name).map((tax) => ({ ...tax, name: "" }));
        expect(sumOf("CGST")).toEqual(sumOf("SGST"));
        const between = addUp(all, [], 0n, "inter_state").taxTotalPaise;
        const difference = within.reduce((total, tax) => total + tax.amountPaise, 0n) - between;
        const bound = BigInt(all.length);
        expect(difference <= bound && -difference <= bound).toBe(true);
      }),
    );
  });

  test("a tax of one's own is off the exact one by at most half a paisa", () => {
    fc.assert(
      fc.property(taxRows, (own) => {
        for (const tax of addUp([], own, 0n, "untaxed").taxes) {
          const exact = tax.applicableOnPaise * tax.percentThousandths;
          const twiceOff = 2n * (tax.amountPaise * 100_000n - exact);
          expect(twiceOff > -100_000n && twiceOff <= 100_000n).toBe(true);
        }
      }),
    );
  });
});

describe("prices with tax", () => {
  const withTax = (includedPaise: bigint, gst: string, cess = "0"): Row => ({
    ...row("0", gst),
    cessThousandths: parsePaise(cess)! * 10n,
    includedPaise,
  });

  test.each<[string, Supply, Row, bigint, bigint]>([
    ["1,180.00 at 18 %", "intra_state", withTax(118_000n, "18"), 100_000n, 0n],
    ["100.00 at 18 % within a state", "intra_state", withTax(100_00n, "18"), 84_74n, 0n],
    // 423.73 gives 500.01, and 423.72 gives 499.98.
    ["500.00 at 18 % within a state, which no amount meets", "intra_state", withTax(500_00n, "18"), 423_73n, -1n],
    ["500.00 at 18 % between states", "inter_state", withTax(500_00n, "18"), 423_73n, 0n],
    ["129.00 at 28 % and 1 % cess", "inter_state", withTax(129_00n, "28", "1"), 100_00n, 0n],
    ["a price of a supplier without GSTIN", "untaxed", withTax(500_00n, "18"), 500_00n, 0n],
  ])("%s", (_what, supply, sent, amountPaise, roundOffPaise) => {
    const priced = withoutTax(sent, supply);
    expect(priced.amountPaise).toBe(amountPaise);
    const totals = addUp([priced], [], 0n, supply);
    expect([totals.roundOffPaise, totals.amountPaise]).toEqual([roundOffPaise, sent.includedPaise]);
  });

  test("the document comes to its prices, whatever they are", () => {
    const rate = fc.constantFrom(0n, 250n, 3000n, 5000n, 12_000n, 18_000n, 28_000n, 40_000n);
    const price = fc.record({
      includedPaise: fc.bigInt({ min: 0n, max: 99_999_999n }),
      gstThousandths: rate,
      cessThousandths: fc.constantFrom(0n, 1000n, 12_000n),
    });
    const supplies = fc.constantFrom<Supply>("intra_state", "inter_state", "untaxed");
    fc.assert(
      fc.property(fc.array(price, { minLength: 1, maxLength: 6 }), supplies, (prices, supply) => {
        const rows = prices.map((each) => withoutTax({ ...row("0", "0"), ...each }, supply));
        const totals = addUp(rows, [], 0n, supply);
        const wanted = prices.reduce((sum, { includedPaise }) => sum + includedPaise, 0n);
        expect(totals.amountPaise).toBe(wanted);
        // Each of three heads may be rounded up at the same step.
        const bound = 2n * BigInt(prices.length);
        expect(totals.roundOffPaise <= bound && -totals.roundOffPaise <= bound).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});

test.each<[string, bigint, bigint]>([
  ["1000.49", -49n, 100_000n],
  ["1000.50", 50n, 100_100n],
  ["999.51", 49n, 100_000n],
  ["0.49", -49n, 0n],
])("a total of %s is rounded by %s paise", (amount, roundOffPaise, amountPaise) => {
  const totals = addUp([row(amount, "0")], [], 1n, "inter_state", true);
  expect([totals.roundOffPaise, totals.amountPaise]).toEqual([roundOffPaise, amountPaise + 1n]);
  expect(roundOffOf({ ...totals, previousDuesPaise: 1n })).toBe(roundOffPaise);
});

test("cess is a tax of its own, on rows that have it", () => {
  const tobacco = { ...row("200", "40"), cessThousandths: 5000n };
  expect(print("intra_state", [tobacco, row("100", "40")])).toEqual([
    "CGST 20 of 300.00 = 60.00",
    "SGST 20 of 300.00 = 60.00",
    "Cess 5 of 200.00 = 10.00",
    "430.00",
  ]);
  expect(print("untaxed", [tobacco])).toEqual(["200.00"]);
});

test.for<[string, string | null, bigint]>([
  ["CGST 9%", "CGST", 18_000n],
  ["cgst_9", "CGST", 18_000n],
  ["UTGST", "UTGST", 18_000n],
  ["Output IGST", "IGST", 9000n],
  ["Cess", null, 9000n],
  ["MCGST", null, 9000n],
])("the tax %s is %s", ([name, gst, rate]) => {
  expect(gstOf({ name })).toBe(gst);
  expect(rowRateOf({ name, percentThousandths: 9000n })).toBe(rate);
});
