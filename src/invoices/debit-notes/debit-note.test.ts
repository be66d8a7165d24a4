// The content of a debit note: rows and taxes at the invoice's own rates. docs/rules/invoicing.md#debit-notes
import fc from "fast-check";
import { expect, test } from "vitest";
import { chargedSupply, taxOfRow, withoutTax, type Supply } from "../gst-row.ts";
import { amountOfPrice } from "../lines/line-amount.ts";
import type { Row } from "../lines/line.ts";
import { creditByLine, type ChosenLine } from "../credit-notes/credit-lines.ts";
import type { CreditParts } from "../credit-notes/share-credit.ts";
import { tieTaxes } from "../register/tie-taxes.ts";
import { addUp, sum, type TaxRow } from "../totals.ts";
import { draftDebitNote } from "./debit-note.ts";

const BLANK = { item: "Part", sacCode: "", description: "" };
const DAY = Temporal.PlainDate.from("2026-06-10");

function invoiceOf(sent: readonly Row[], supply: Supply, more: { taxRows?: TaxRow[]; reverseCharge?: boolean } = {}) {
  const { taxRows = [], reverseCharge = false } = more;
  const charged = chargedSupply({ supply, reverseCharge });
  const rows = sent.map((row) => withoutTax(row, charged));
  const { taxes, subTotalPaise } = addUp(rows, taxRows, 0n, charged);
  const party = {} as never;
  const content = {
    kind: "tax_invoice" as const,
    headerFields: [],
    rows,
    taxes,
    ownTaxes: taxRows.length > 0,
    supply,
    reverseCharge,
    placeOfSupply: null,
    roundsTotal: true,
    roundOffPaise: 7n,
    supplier: party,
    recipient: party,
  };
  return { invoiceId: 7n, invoiceNumber: "INV-2627-00007", billDate: DAY, subTotalPaise, content };
}

const pieces = (line: number, quantityThousandths: bigint): ChosenLine => {
  return { line, quantityThousandths, taxablePaise: null };
};
const amount = (line: number, taxablePaise: bigint): ChosenLine => ({ line, quantityThousandths: null, taxablePaise });

const FIVE: Row = { ...BLANK, gstThousandths: 5000n, amountPaise: 100_00n };
const TEN: Row = {
  ...BLANK,
  quantityThousandths: 10_000n,
  unit: "NOS",
  unitPricePaise: 33_33n,
  gstThousandths: 18_000n,
  discount: "10%",
  amountPaise: 299_97n,
};

test("an amount has the unit of the row, so that returns add it up with the pieces", () => {
  const { content } = draftDebitNote(invoiceOf([TEN], "intra_state"), [amount(1, 5_00n)], "More");
  expect(content.rows).toEqual([{ ...BLANK, unit: "NOS", gstThousandths: 18_000n, amountPaise: 5_00n }]);
});

test("rows are in the invoice's order, with the price of pieces and without one for an amount", () => {
  const invoice = invoiceOf([TEN, FIVE], "intra_state");
  const { content, amountPaise, subTotalPaise } = draftDebitNote(
    invoice,
    [amount(2, 10_01n), pieces(1, 2000n)],
    "More",
  );
  // 2 × 33.33 less 10 % (6.67): 59.99. Half of 18 % is 5.40 (5.3991), half of 5 % on 10.01 is 0.25 (0.25025).
  expect(content.rows).toEqual([
    { ...TEN, quantityThousandths: 2000n, amountPaise: 59_99n },
    { ...FIVE, amountPaise: 10_01n },
  ]);
  expect([subTotalPaise, amountPaise]).toEqual([70_00n, 81_30n]);
  expect(content).toMatchObject({
    kind: "debit_note",
    original: { invoiceId: 7n, number: "INV-2627-00007", date: "2026-06-10" },
    headerFields: [{ name: "Reason", value: "More" }],
  });
  expect(content).not.toHaveProperty("roundsTotal");
  expect(content).not.toHaveProperty("roundOffPaise");
});

test("taxes that the merchant sent are charged on the rows that they were on, and stay tied to them", () => {
  const taxRows = [
    { name: "CGST", percentThousandths: 9000n, applicableOnPaise: 299_97n },
    { name: "SGST", percentThousandths: 9000n, applicableOnPaise: 299_97n },
  ];
  const invoice = invoiceOf([TEN, { ...FIVE, gstThousandths: 0n }], "intra_state", { taxRows });
  const { content, taxTotalPaise } = draftDebitNote(invoice, [amount(1, 50_00n), amount(2, 20_00n)], "More");
  expect(content.taxes.map(({ applicableOnPaise, amountPaise }) => [applicableOnPaise, amountPaise])).toEqual([
    [50_00n, 4_50n],
    [50_00n, 4_50n],
  ]);
  expect([taxTotalPaise, tieTaxes(content).untied]).toEqual([9_00n, false]);
  const untaxed = draftDebitNote(invoice, [amount(2, 20_00n)], "More");
  expect([untaxed.content.taxes, untaxed.amountPaise, untaxed.content.ownTaxes]).toEqual([[], 20_00n, true]);
});

test("taxes that don't tell which rows they are on leave only an invoice for the difference", () => {
  const taxRows = [{ name: "IGST", percentThousandths: 18_000n, applicableOnPaise: 1_00n }];
  const invoice = invoiceOf([TEN, FIVE], "inter_state", { taxRows });
  const problem = expect.stringContaining("Create an invoice for the difference");
  expect(() => draftDebitNote(invoice, [amount(1, 50_00n)], "More")).toThrow(
    expect.objectContaining({ errors: [expect.objectContaining({ field: "rows", problem })] }),
  );
});

test("under reverse charge no tax is charged, and the register has what the recipient pays", () => {
  const invoice = invoiceOf([TEN], "inter_state", { reverseCharge: true });
  const { content, amountPaise } = draftDebitNote(invoice, [amount(1, 100_00n)], "More");
  expect([amountPaise, content.taxes, content.reverseCharge]).toEqual([100_00n, [], true]);
  expect(tieTaxes(content).lineTaxes).toMatchObject([{ igstPaise: 18_00n }]);
});

test("notes of any rows and steps charge each row's own tax, and credit notes take them back to the paisa", () => {
  const line = fc.record({
    quantity: fc.integer({ min: 1, max: 20_000 }).map(BigInt),
    price: fc.bigInt({ min: 1n, max: 99_999n }),
    gst: fc.constantFrom(0n, 250n, 5000n, 18_000n, 40_000n),
    cess: fc.constantFrom(0n, 0n, 12_000n),
    discount: fc.constantFrom("", "7%"),
    includesTax: fc.boolean(),
    more: fc.bigInt({ min: 1n, max: 50_000n }),
    byNumber: fc.boolean(),
    back: fc.integer({ min: 1, max: 99 }),
  });
  const supplies = fc.constantFrom<Supply>("intra_state", "inter_state", "untaxed", "zero_rated");
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 4 }), supplies, (lines, supply) => {
      const rows = lines.map(({ quantity, price, gst, cess, discount, includesTax }): Row => {
        const ownPaise = amountOfPrice({ quantity, unit_price: price, discount })!;
        return {
          ...BLANK,
          quantityThousandths: quantity,
          unitPricePaise: price,
          gstThousandths: gst,
          cessThousandths: cess,
          ...(discount === "" ? {} : { discount }),
          ...(includesTax ? { includedPaise: ownPaise, priceIncludesTax: true } : {}),
          amountPaise: ownPaise,
        };
      });
      const invoice = invoiceOf(rows, supply);
      const chosen = lines.map(({ more, byNumber }, place) => {
        const { amountPaise, quantityThousandths } = invoice.content.rows[place]!;
        // A piece that costs too little is charged by amount.
        return byNumber && amountPaise * more > quantityThousandths!
          ? pieces(place + 1, more)
          : amount(place + 1, more);
      });
      const note = draftDebitNote(invoice, chosen, "More");
      const { content } = note;
      const own = content.rows.map((row) => taxOfRow(row, supply));
      expect(sum(content.rows.map(({ amountPaise }) => amountPaise))).toBe(note.subTotalPaise);
      expect(sum(own.flatMap((heads) => Object.values(heads)))).toBe(note.taxTotalPaise);
      expect(note.subTotalPaise + note.taxTotalPaise).toBe(note.amountPaise);
      expect(tieTaxes(content)).toMatchObject({ untied: false, lineTaxes: own });
      const debited = { subTotalPaise: note.subTotalPaise, content };
      const credits: CreditParts[] = [];
      const earlier = () =>
        credits.map((parts) => {
          const credited = { ...content, rows: parts.rows, taxes: parts.taxes };
          return { byRows: true, lines: parts.lines, taxablePaise: parts.taxablePaise, content: credited };
        });
      const left = content.rows.map(({ amountPaise }) => amountPaise);
      for (const [place, { back }] of lines.entries()) {
        const paise = (left[place]! * BigInt(back)) / 100n;
        if (paise === 0n) continue;
        credits.push(creditByLine(debited, earlier(), [amount(place + 1, paise)]));
        left[place]! -= paise;
      }
      const last = left.flatMap((paise, place) => (paise > 0n ? [amount(place + 1, paise)] : []));
      credits.push(creditByLine(debited, earlier(), last));
      expect(sum(credits.map(({ taxablePaise }) => taxablePaise))).toBe(note.subTotalPaise);
      expect(sum(credits.map(({ taxPaise }) => taxPaise))).toBe(note.taxTotalPaise);
    }),
    { numRuns: 500 },
  );
});
