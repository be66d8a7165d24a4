// The HSN/SAC summary: its columns add up to the printed taxes, or are left out.
import fc from "fast-check";
import { expect, test } from "vitest";
import { taxSummary } from "./render-summary.ts";
import { row, tax } from "../../test/support/invoice-documents.ts";

const ROWS = [
  row("Line", "998422", "", 1_000_00n),
  row("Line, second site", "998422", "", 500_00n),
  row("Router", "851762", "", 333_33n, 1200n),
];

test("rows of one code and rate are one line; CGST and SGST are half of the rate each", () => {
  const { taxNames, lines } = taxSummary(ROWS, [
    tax("CGST@9%", 900n, 1_500_00n, 135_00n),
    tax("SGST@9%", 900n, 1_500_00n, 135_00n),
    tax("CGST", 600n, 333_33n, 20_00n),
    tax("SGST", 600n, 333_33n, 20_00n),
  ]);
  expect(taxNames).toEqual(["CGST", "SGST"]);
  expect(lines).toEqual([
    { sacCode: "998422", gstThousandths: 18_000n, taxablePaise: 1_500_00n, taxesPaise: [135_00n, 135_00n] },
    { sacCode: "851762", gstThousandths: 12_000n, taxablePaise: 333_33n, taxesPaise: [20_00n, 20_00n] },
  ]);
});

test("one rate over several codes: a paisa of rounding goes to the largest remainder", () => {
  const rows = [row("a", "1", "", 1n), row("b", "2", "", 1n), row("c", "3", "", 1n)];
  const { lines } = taxSummary(rows, [tax("IGST", 1800n, 3n, 1n)]);
  expect(lines.map((line) => line.taxesPaise)).toEqual([[1n], [0n], [0n]]);
});

test("taxes that do not follow from the rows get no columns; a cess neither", () => {
  expect(taxSummary(ROWS, [tax("IGST", 1800n, 99_00n, 17_82n)]).taxNames).toEqual([]);
  expect(taxSummary(ROWS, [tax("IGST", 500n, 1_500_00n, 75_00n)]).taxNames).toEqual([]);
  expect(taxSummary(ROWS, [tax("Cess", 100n, 1_833_33n, 18_33n)]).taxNames).toEqual([]);
});

test("cess of the rows' own rates has a column, and rows that are not taxed have no line", () => {
  const cola = { ...row("Cola", "220210", "", 1_000_00n, 4000n), cessThousandths: 12_000n };
  const exempt = { ...row("Milk", "040110", "", 52_50n, 0n), taxTreatment: "exempt" as const };
  const { taxNames, lines } = taxSummary(
    [cola, row("Water", "220190", "", 100_00n), exempt],
    [
      tax("IGST", 4000n, 1_000_00n, 400_00n),
      tax("IGST", 1800n, 100_00n, 18_00n),
      tax("Cess", 1200n, 1_000_00n, 120_00n),
    ],
  );
  expect(taxNames).toEqual(["IGST", "Cess"]);
  expect(lines).toEqual([
    { sacCode: "220210", gstThousandths: 40_000n, taxablePaise: 1_000_00n, taxesPaise: [400_00n, 120_00n] },
    { sacCode: "220190", gstThousandths: 18_000n, taxablePaise: 100_00n, taxesPaise: [18_00n, 0n] },
  ]);
});

test("taxes of all rows, which name no rate, get columns by code with their own rate", () => {
  const rows = [
    row("a", "998422", "", 1_000_00n, 0n),
    row("b", "851762", "", 500_00n, 0n),
    row("c", "998422", "", 1n, 0n),
  ];
  const igst = taxSummary(rows, [tax("IGST @18%", 1800n, 1_500_01n, 270_00n)]);
  expect(igst.taxNames).toEqual(["IGST"]);
  expect(igst.lines).toEqual([
    { sacCode: "998422", gstThousandths: 18_000n, taxablePaise: 1_000_01n, taxesPaise: [180_00n] },
    { sacCode: "851762", gstThousandths: 18_000n, taxablePaise: 500_00n, taxesPaise: [90_00n] },
  ]);
  const halves = [tax("CGST", 900n, 1_500_01n, 135_00n), tax("SGST", 900n, 1_500_01n, 135_00n)];
  expect(taxSummary(rows, halves)).toMatchObject({
    taxNames: ["CGST", "SGST"],
    lines: [{ gstThousandths: 18_000n }, {}],
  });
  for (const taxes of [
    [tax("IGST", 1800n, 1_000_00n, 180_00n)],
    [halves[0]!, tax("SGST", 600n, 1_500_01n, 90_00n)],
    [halves[0]!],
    [halves[0]!, tax("IGST", 1800n, 1_500_01n, 270_00n)],
  ]) {
    const { taxNames, lines } = taxSummary(rows, taxes);
    expect([taxNames, lines[0]!.gstThousandths]).toEqual([[], 0n]);
  }
});

test("columns add up to the tax lines, and CGST is SGST on every line, whatever the rows", () => {
  const someRow = fc.record({
    code: fc.constantFrom("998422", "851762", ""),
    rate: fc.constantFrom(0n, 500n, 1200n, 1800n, 2800n),
    paise: fc.bigInt({ min: 0n, max: 10n ** 10n }),
  });
  fc.assert(
    fc.property(fc.array(someRow, { minLength: 1, maxLength: 30 }), (list) => {
      const rows = list.map(({ code, rate, paise }) => row("x", code, "", paise, rate));
      const taxes = [500n, 1200n, 1800n, 2800n].flatMap((rate) => {
        const base = rows
          .filter((one) => one.gstThousandths === rate * 10n)
          .reduce((sum, one) => sum + one.amountPaise, 0n);
        const half = (base * rate + 10_000n) / 20_000n;
        return base === 0n ? [] : [tax("CGST", rate / 2n, base, half), tax("SGST", rate / 2n, base, half)];
      });
      const { taxNames, lines } = taxSummary(rows, taxes);
      taxNames.forEach((name, column) => {
        const printed = taxes.filter((one) => one.name === name).reduce((sum, one) => sum + one.amountPaise, 0n);
        expect(lines.reduce((sum, line) => sum + line.taxesPaise[column]!, 0n)).toBe(printed);
      });
      for (const line of lines) expect(line.taxesPaise[0]).toBe(line.taxesPaise[1]);
      expect(taxNames.length).toBe(taxes.length > 0 ? 2 : 0);
    }),
  );
});

/** The shares of a tax of 18 % in rows of these amounts, each with its own code. */
function sharesOf(amounts: readonly bigint[], taxPaise: bigint): bigint[] {
  const rows = amounts.map((amountPaise, index) => ({ ...PLAIN_ROW, sacCode: `99${index}`, amountPaise }));
  const applicableOnPaise = amounts.reduce((total, amount) => total + amount, 0n);
  const igst = { name: "igst @ 18%", percentThousandths: 18_000n, applicableOnPaise, amountPaise: taxPaise };
  const cess = { name: "Cess", percentThousandths: 1000n, applicableOnPaise: 5n, amountPaise: 1n };
  const summary = taxSummary(rows, [cess, igst]);
  expect(summary.taxNames).toEqual(["IGST"]);
  return summary.lines.map(({ taxesPaise }) => taxesPaise[0]!);
}

const PLAIN_ROW = { item: "Work", sacCode: "", description: "", gstThousandths: 18_000n, amountPaise: 0n };

test.each([
  // Exact: 1.67, 3.33 and 5.00. The largest remainder gets the remaining paisa, in any position.
  [[10n, 20n, 30n], 10n, [2n, 3n, 5n]],
  [[20n, 10n, 30n], 10n, [3n, 2n, 5n]],
  [[30n, 20n, 10n], 10n, [5n, 3n, 2n]],
  // Of equal ones, the first.
  [[10n, 10n, 10n], 10n, [4n, 3n, 3n]],
  [[10n, 10n, 10n], 11n, [4n, 4n, 3n]],
  // No weights.
  [[0n, 0n], 7n, [7n, 0n]],
])("codes of %o with a tax of %s have %o of it", (amounts, taxPaise, shares) => {
  expect(sharesOf(amounts, taxPaise)).toEqual(shares);
});

test("where taxes do not follow from the rows, lines have none", () => {
  const igst = { name: "IGST", percentThousandths: 18_000n, applicableOnPaise: 99n, amountPaise: 18n };
  const { taxNames, lines } = taxSummary([{ ...PLAIN_ROW, amountPaise: 100n }], [igst]);
  expect(taxNames).toEqual([]);
  expect(lines).toEqual([{ sacCode: "", gstThousandths: 18_000n, taxablePaise: 100n, taxesPaise: [] }]);
});
