// Credit by lines: by number or by amount, until nothing is left.
import fc from "fast-check";
import { expect, test } from "vitest";
import { withoutTax, type Supply } from "../gst-row.ts";
import { amountOfPrice } from "../lines/line-amount.ts";
import type { Row } from "../lines/line.ts";
import { addUp, sum } from "../totals.ts";
import { creditByLine, type ChosenLine } from "./credit-lines.ts";
import type { CreditParts, Earlier } from "./share-credit.ts";

const BLANK = { item: "Part", sacCode: "", description: "" };

function invoiceOf(sent: readonly Row[], supply: Supply) {
  const rows = sent.map((row) => withoutTax(row, supply));
  const { taxes, subTotalPaise } = addUp(rows, [], 0n, supply);
  const party = {} as never;
  const content = {
    kind: "tax_invoice" as const,
    headerFields: [],
    rows,
    taxes,
    ownTaxes: false,
    supply,
    placeOfSupply: null,
    supplier: party,
    recipient: party,
  };
  return { subTotalPaise, content };
}

const noteOf = (parts: CreditParts, invoice: ReturnType<typeof invoiceOf>): Earlier => ({
  byRows: true,
  lines: parts.lines,
  taxablePaise: parts.taxablePaise,
  content: { ...invoice.content, rows: parts.rows, taxes: parts.taxes },
});

const pieces = (line: number, quantityThousandths: bigint): ChosenLine => ({
  line,
  quantityThousandths,
  taxablePaise: null,
});
const amount = (line: number, taxablePaise: bigint): ChosenLine => ({ line, quantityThousandths: null, taxablePaise });

const TEN: Row = {
  ...BLANK,
  quantityThousandths: 10_000n,
  unit: "NOS",
  unitPricePaise: 33_33n,
  gstThousandths: 18_000n,
  amountPaise: 333_30n,
};

test("two of ten pieces are credited at their price, with the tax on it, and the note says so", () => {
  const invoice = invoiceOf([TEN, { ...BLANK, gstThousandths: 5000n, amountPaise: 100_00n }], "intra_state");
  const parts = creditByLine(invoice, [], [pieces(1, 2000n)]);
  expect(parts).toMatchObject({ taxablePaise: 66_66n, taxPaise: 12_00n, amountPaise: 78_66n });
  expect(parts.rows).toEqual([
    {
      ...BLANK,
      quantityThousandths: 2000n,
      unit: "NOS",
      unitPricePaise: 33_33n,
      gstThousandths: 18_000n,
      amountPaise: 66_66n,
    },
  ]);
  expect(parts.taxes.map(({ name, applicableOnPaise, amountPaise }) => [name, applicableOnPaise, amountPaise])).toEqual(
    [
      ["CGST", 66_66n, 6_00n],
      ["SGST", 66_66n, 6_00n],
      ["CGST", 0n, 0n],
      ["SGST", 0n, 0n],
    ],
  );
});

test.each<[string, readonly ChosenLine[], string, RegExp]>([
  ["more pieces than there are", [pieces(1, 10_001n)], "rows[0].quantity", /has 10 left to credit/],
  ["more than the row", [amount(1, 333_31n)], "rows[0].amount", /₹333\.30 left to credit, without tax/],
  [
    "pieces of a row without a quantity",
    [pieces(2, 1000n)],
    "rows[0].quantity",
    /row 2 of the invoice has no quantity/,
  ],
  ["so little of a piece that it is worth nothing", [pieces(1, 0n)], "rows[0].quantity", /comes to 0\.00/],
  ["a row twice", [pieces(1, 1000n), amount(1, 1n)], "rows[1].row", /a second time/],
  ["a row that there is none of", [amount(3, 1n)], "rows[0].row", /the invoice has 2/],
])("%s is refused", (_what, chosen, field, problem) => {
  const invoice = invoiceOf([TEN, { ...BLANK, gstThousandths: 5000n, amountPaise: 100_00n }], "intra_state");
  expect(() => creditByLine(invoice, [], chosen)).toThrow(
    expect.objectContaining({ errors: [expect.objectContaining({ field, problem: expect.stringMatching(problem) })] }),
  );
});

test("pieces are credited at their share of what is left, once a part of the row was credited without pieces", () => {
  const chairs = { ...TEN, unitPricePaise: 1000_00n, amountPaise: 10_000_00n };
  const invoice = invoiceOf([chairs], "intra_state");
  const reduction = creditByLine(invoice, [], [amount(1, 5000_00n)]);
  const six = creditByLine(invoice, [noteOf(reduction, invoice)], [pieces(1, 6000n)]);
  expect([six.taxablePaise, six.taxPaise]).toEqual([3000_00n, 540_00n]);
  // The invoice's price would give another amount.
  expect(six.rows).toMatchObject([{ quantityThousandths: 6000n, amountPaise: 3000_00n }]);
  expect(six.rows[0]).not.toHaveProperty("unitPricePaise");
  const four = creditByLine(invoice, [noteOf(reduction, invoice), noteOf(six, invoice)], [pieces(1, 4000n)]);
  expect([four.taxablePaise, four.taxPaise]).toEqual([2000_00n, 360_00n]);
});

test("notes in any steps, until nothing is left, take back each row and each tax to the paisa", () => {
  const line = fc.record({
    quantity: fc.integer({ min: 1, max: 20_000 }).map(BigInt),
    price: fc.bigInt({ min: 1n, max: 99_999n }),
    gst: fc.constantFrom(0n, 250n, 5000n, 18_000n, 40_000n),
    cess: fc.constantFrom(0n, 0n, 12_000n),
    discount: fc.constantFrom("", "7%", "0.01"),
    includesTax: fc.boolean(),
    steps: fc.array(fc.record({ part: fc.integer({ min: 1, max: 99 }), byNumber: fc.boolean() }), { maxLength: 4 }),
  });
  const supplies = fc.constantFrom<Supply>("intra_state", "inter_state", "untaxed");
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 4 }), supplies, (lines, supply) => {
      const rows = lines.map(({ quantity, price, gst, cess, discount, includesTax }): Row => {
        const amountPaise = amountOfPrice({ quantity, unit_price: price, discount: "" })!;
        const isLess = discount !== "" && (discount.endsWith("%") || amountPaise > 0n);
        const ownPaise = isLess ? amountOfPrice({ quantity, unit_price: price, discount })! : amountPaise;
        return {
          ...BLANK,
          quantityThousandths: quantity,
          unitPricePaise: price,
          gstThousandths: gst,
          cessThousandths: cess,
          ...(isLess ? { discount } : {}),
          ...(includesTax ? { includedPaise: ownPaise, priceIncludesTax: true } : {}),
          amountPaise: ownPaise,
        };
      });
      const invoice = invoiceOf(rows, supply);
      const notes: CreditParts[] = [];
      const credit = (chosen: readonly ChosenLine[]): void => {
        const earlier = notes.map((parts) => noteOf(parts, invoice));
        notes.push(creditByLine(invoice, earlier, chosen));
      };
      const left = invoice.content.rows.map((row) => ({ pieces: row.quantityThousandths!, paise: row.amountPaise }));
      for (const [place, { steps }] of lines.entries()) {
        const rest = left[place]!;
        for (const { part, byNumber } of steps) {
          const number = (rest.pieces * BigInt(part)) / 100n;
          const paise = (rest.paise * BigInt(part)) / 100n;
          if (byNumber ? number === 0n || rest.paise === 0n : paise === 0n) continue;
          const chosen = byNumber ? pieces(place + 1, number) : amount(place + 1, paise);
          try {
            credit([chosen]);
          } catch (error) {
            // A part of a piece may be worth less than half a paisa.
            const problem = expect.stringContaining("comes to 0.00");
            expect([byNumber, error]).toEqual([
              true,
              expect.objectContaining({ errors: [expect.objectContaining({ problem })] }),
            ]);
            continue;
          }
          if (byNumber) rest.pieces -= number;
          rest.paise -= notes.at(-1)!.taxablePaise;
        }
      }
      const last = left.flatMap(({ paise }, place) => (paise > 0n ? [amount(place + 1, paise)] : []));
      if (last.length > 0) credit(last);
      expect(sum(notes.map(({ taxablePaise }) => taxablePaise))).toBe(invoice.subTotalPaise);
      for (const [index, tax] of invoice.content.taxes.entries()) {
        expect(sum(notes.map(({ taxes }) => taxes[index]!.amountPaise))).toBe(tax.amountPaise);
      }
      for (const note of notes)
        expect(note.lines.every(({ taxesPaise }) => taxesPaise.every((paise) => paise >= 0n))).toBe(true);
    }),
    { numRuns: 500 },
  );
});
