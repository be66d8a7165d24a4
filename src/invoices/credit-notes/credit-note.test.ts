// Splitting a credit note's amount over rows and taxes: worked examples, and invariants.
import fc from "fast-check";
import { expect, test } from "vitest";
import { creditableOf, NOT_REFUNDED, owedOf } from "./credit-note.ts";
import { creditableRows, creditRows, spreadCredit, type CreditParts } from "./share-credit.ts";
import type { NodalError } from "../../platform/errors.ts";
import type { InvoiceContent } from "../invoice.ts";
import { addUp } from "../totals.ts";
import type { Row } from "../lines/line.ts";

const PARTY = {
  name: "",
  address: "",
  city: "",
  state: "",
  zipcode: "",
  email: "",
  mobile: "",
  gstin: "",
  pan: "",
};

function invoiceOf(
  lines: readonly (readonly [amountPaise: bigint, gstThousandths: bigint])[],
  supply: "intra_state" | "inter_state",
) {
  const rows: Row[] = lines.map(([amountPaise, gstThousandths]) => ({
    item: "Work",
    sacCode: "",
    description: "",
    gstThousandths,
    amountPaise,
  }));
  const totals = addUp(rows, [], 0n, supply);
  const content: InvoiceContent = {
    kind: "tax_invoice",
    headerFields: [],
    rows,
    taxes: totals.taxes,
    ownTaxes: false,
    supply,
    placeOfSupply: null,
    supplier: PARTY,
    recipient: PARTY,
  };
  return { ...totals, content };
}

/** An amount of all rows, or amounts of rows by their places from 1. */
type CreditRequest = bigint | readonly (readonly [line: number, amountPaise: bigint])[];
type Billed = Pick<ReturnType<typeof invoiceOf>, "subTotalPaise" | "content">;

/** Credits in sequence, as separate notes would. */
class Notes {
  readonly invoice: Billed;
  readonly parts: CreditParts[] = [];
  readonly #notes: (CreditParts & { byRows: boolean; content: InvoiceContent })[] = [];

  constructor(invoice: Billed) {
    this.invoice = invoice;
  }

  credit(asked: CreditRequest): CreditParts {
    const byRows = typeof asked !== "bigint";
    const parts = byRows
      ? creditRows(
          this.invoice,
          this.#notes,
          asked.map(([line, amountPaise]) => ({ line, amountPaise })),
        )
      : spreadCredit(this.invoice, this.#notes, asked);
    const content = { ...this.invoice.content, rows: parts.rows, taxes: parts.taxes };
    this.#notes.push({ ...parts, byRows, content });
    this.parts.push(parts);
    return parts;
  }

  /** The rest of each row. */
  get left(): bigint[] {
    return creditableRows(this.invoice, this.#notes)!.map(({ amountPaise }) => amountPaise);
  }
}

function creditAll(invoice: Billed, asked: readonly CreditRequest[]): CreditParts[] {
  const notes = new Notes(invoice);
  for (const each of asked) notes.credit(each);
  return notes.parts;
}

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);

test.each([
  { what: "half of 118.00", amount: 5900n, taxable: 5000n, taxes: [450n, 450n] },
  { what: "all of it", amount: 11_800n, taxable: 10_000n, taxes: [900n, 900n] },
  { what: "10.00, half away from zero", amount: 1000n, taxable: 848n, taxes: [76n, 76n] },
  { what: "a paisa", amount: 1n, taxable: 1n, taxes: [0n, 0n] },
])("$what", ({ amount, taxable, taxes }) => {
  const [parts] = creditAll(invoiceOf([[10_000n, 18_000n]], "intra_state"), [amount]);
  expect(parts!.taxablePaise).toBe(taxable);
  expect(parts!.taxes.map((tax) => tax.amountPaise)).toEqual(taxes);
  expect(parts!.taxes.map((tax) => tax.applicableOnPaise)).toEqual([taxable, taxable]);
});

test("rates keep their own taxes, and the rows of each add up to what its tax is on", () => {
  const invoice = invoiceOf(
    [
      [10_000n, 18_000n],
      [20_000n, 5000n],
      [3333n, 18_000n],
    ],
    "inter_state",
  );
  const [parts] = creditAll(invoice, [10_000n]);
  for (const tax of parts!.taxes) {
    const rows = parts!.rows.filter((row) => row.gstThousandths === tax.percentThousandths);
    expect(sum(rows.map((row) => row.amountPaise))).toBe(tax.applicableOnPaise);
  }
  expect(sum(parts!.rows.map((row) => row.amountPaise))).toBe(parts!.taxablePaise);
});

test("whatever is credited in whatever steps adds up, and in full it is the invoice", () => {
  const line = fc.tuple(fc.bigInt(1n, 100_000n), fc.constantFrom(0n, 250n, 5000n, 18_000n, 40_000n));
  const steps = fc.array(fc.bigInt(1n, 50_000n), { maxLength: 8 });
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 6 }), fc.boolean(), steps, (lines, isIntra, wanted) => {
      const invoice = invoiceOf(lines, isIntra ? "intra_state" : "inter_state");
      const amounts: bigint[] = [];
      for (const amount of wanted) if (sum(amounts) + amount < invoice.amountPaise) amounts.push(amount);
      amounts.push(invoice.amountPaise - sum(amounts));
      const parts = creditAll(invoice, amounts);
      parts.forEach(({ rows, taxes, taxablePaise, taxPaise }, place) => {
        expect(taxablePaise + taxPaise).toBe(amounts[place]);
        expect(sum(taxes.map((tax) => tax.amountPaise))).toBe(taxPaise);
        expect(sum(rows.map((row) => row.amountPaise))).toBe(taxablePaise);
        expect(taxes.every(({ amountPaise }) => amountPaise >= 0n) && taxablePaise >= 0n).toBe(true);
        expect(rows.every(({ amountPaise }) => amountPaise > 0n)).toBe(true);
        for (const { percentThousandths, applicableOnPaise } of taxes) {
          const rate = percentThousandths * (isIntra ? 2n : 1n);
          expect(applicableOnPaise).toBe(sum(rows.filter((r) => r.gstThousandths === rate).map((r) => r.amountPaise)));
        }
      });
      expect(sum(parts.map((part) => part.taxablePaise))).toBe(invoice.subTotalPaise);
      invoice.taxes.forEach((tax, index) =>
        expect(sum(parts.map((part) => part.taxes[index]!.amountPaise))).toBe(tax.amountPaise),
      );
    }),
  );
});

test("taxes that the merchant sent are on their share of what they were on", () => {
  const cess = { name: "Cess", percentThousandths: 50_000n, applicableOnPaise: 4000n, amountPaise: 2000n };
  const { content } = invoiceOf([[10_000n, 0n]], "inter_state");
  const own = { ...content, ownTaxes: true, taxes: [cess] };
  const parts = spreadCredit({ subTotalPaise: 10_000n, content: own }, [], 6000n);
  expect(parts).toMatchObject({ taxablePaise: 5000n, taxPaise: 1000n });
  expect(parts.taxes).toEqual([{ ...cess, applicableOnPaise: 2000n, amountPaise: 1000n }]);
});

test("an invoice of nothing but taxes is credited without rows", () => {
  const cess = { name: "Cess", percentThousandths: 50_000n, applicableOnPaise: 4000n, amountPaise: 2000n };
  const { content } = invoiceOf([[0n, 0n]], "inter_state");
  const own = { ...content, ownTaxes: true, taxes: [cess] };
  const parts = spreadCredit({ subTotalPaise: 0n, content: own }, [], 500n);
  expect(parts).toEqual({
    amountPaise: 500n,
    lines: [{ line: 1, taxablePaise: 0n, taxesPaise: [500n] }],
    rows: [],
    taxes: [{ ...cess, applicableOnPaise: 0n, amountPaise: 500n }],
    taxablePaise: 0n,
    taxPaise: 500n,
  });
});

test("rows for nothing are left out", () => {
  const invoice = invoiceOf(
    [
      [0n, 18_000n],
      [10_000n, 18_000n],
    ],
    "inter_state",
  );
  expect(creditAll(invoice, [5900n])[0]!.rows.map(({ amountPaise }) => amountPaise)).toEqual([5000n]);
});

test("no tax takes more than is credited, or less than nothing", () => {
  const invoice = invoiceOf([[100n, 40_000n]], "intra_state");
  // With the fourth paisa, both taxes reach half a paisa or more.
  const [, paisa] = creditAll(invoice, [3n, 1n]);
  expect(paisa!.taxes.map(({ amountPaise }) => amountPaise)).toEqual([1n, 0n]);
  expect([paisa!.taxablePaise, paisa!.taxPaise]).toEqual([0n, 1n]);
});

test("a row that is returned is credited alone, with the tax of its own rate", () => {
  const invoice = invoiceOf(
    [
      [100_000n, 5000n],
      [100_000n, 18_000n],
    ],
    "inter_state",
  );
  const notes = new Notes(invoice);
  const returned = notes.credit([[1, 105_000n]]);
  expect(returned).toMatchObject({ amountPaise: 105_000n, taxablePaise: 100_000n, taxPaise: 5000n });
  expect(returned.rows).toEqual([invoice.content.rows[0]]);
  expect(returned.taxes).toMatchObject([
    { amountPaise: 5000n, applicableOnPaise: 100_000n },
    { amountPaise: 0n, applicableOnPaise: 0n },
  ]);
  expect(notes.left).toEqual([0n, 118_000n]);
  // One row is left: the rest is taxed at its rate alone.
  expect(notes.credit(11_800n)).toMatchObject({ taxablePaise: 10_000n, taxPaise: 1800n, lines: [{ line: 2 }] });
  expect(notes.left).toEqual([0n, 106_200n]);
});

test("what was credited in proportion limits what is left of a row", () => {
  const invoice = invoiceOf(
    [
      [100_000n, 5000n],
      [100_000n, 18_000n],
    ],
    "intra_state",
  );
  const notes = new Notes(invoice);
  notes.credit(111_500n);
  expect(notes.left).toEqual([52_500n, 59_000n]);
  expect(() => notes.credit([[1, 52_501n]])).toThrow(
    expect.objectContaining({
      code: "credit_exceeds_invoice",
      message: "Row 1 (Work) has ₹525.00 left to credit, tax included: credit at most that much of it.",
    }),
  );
  notes.credit([[1, 52_500n]]);
  expect(notes.left).toEqual([0n, 59_000n]);
  expect(() => notes.credit([[1, 1n]])).toThrow("Row 1 (Work) has nothing left to credit: choose another row.");
});

test.each<[string, CreditRequest, string[]]>([
  ["a row that there is not", [[3, 100n]], ["rows[0].row"]],
  [
    "a row twice",
    [
      [1, 100n],
      [1, 100n],
    ],
    ["rows[1].row"],
  ],
])("%s can't be credited", (_, asked, fields) => {
  const notes = new Notes(
    invoiceOf(
      [
        [100n, 0n],
        [100n, 0n],
      ],
      "inter_state",
    ),
  );
  try {
    notes.credit(asked);
    expect.unreachable();
  } catch (error) {
    expect((error as NodalError).errors.map(({ field }) => field)).toEqual(fields);
  }
});

const RATED = [
  [100_000n, 5000n],
  [100_000n, 18_000n],
] as const;

test.each<[string, readonly (readonly [name: string, percent: bigint, base: bigint])[], bigint[] | null]>([
  [
    "at the rows' rates",
    [
      ["IGST", 5000n, 100_000n],
      ["igst 18 %", 18_000n, 100_000n],
    ],
    [105_000n, 118_000n],
  ],
  [
    "at halves of them",
    [
      ["CGST", 2500n, 100_000n],
      ["SGST", 2500n, 100_000n],
    ],
    [105_000n, 100_000n],
  ],
  ["on everything", [["IGST", 18_000n, 200_000n]], [118_000n, 118_000n]],
  ["on a part that no rate tells", [["Cess", 1000n, 50_000n]], null],
  ["at a rate whose rows come to something else", [["IGST", 18_000n, 90_000n]], null],
])("taxes that the merchant sent %s", (_, sent, left) => {
  const { content } = invoiceOf(RATED, "inter_state");
  const taxes = sent.map(([name, percentThousandths, applicableOnPaise]) => ({
    name,
    percentThousandths,
    applicableOnPaise,
    amountPaise: (applicableOnPaise * percentThousandths) / 100_000n,
  }));
  const invoice = { subTotalPaise: 200_000n, content: { ...content, ownTaxes: true, taxes } };
  expect(creditableRows(invoice, [])?.map(({ amountPaise }) => amountPaise) ?? null).toEqual(left);
  if (left === null) {
    const [first] = creditAll(invoice, [10_000n]);
    expect(first!.lines.every(({ taxesPaise }) => taxesPaise.length === 0)).toBe(true);
    expect(() => creditRows(invoice, [], [{ line: 1, amountPaise: 1n }])).toThrow(
      expect.objectContaining({ code: "validation_failed", errors: [expect.objectContaining({ field: "rows" })] }),
    );
  }
});

test("whatever is credited of rows and of all of them, no row is credited beyond its amount, and in full it is the invoice", () => {
  const line = fc.tuple(fc.bigInt(1n, 100_000n), fc.constantFrom(0n, 250n, 5000n, 18_000n, 40_000n));
  const step = fc.record({
    isSpread: fc.boolean(),
    rows: fc.array(fc.nat(5)),
    share: fc.integer({ min: 1, max: 100 }),
  });
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 1, maxLength: 6 }),
      fc.boolean(),
      fc.array(step, { maxLength: 10 }),
      (lines, isIntra, steps) => {
        const invoice = invoiceOf(lines, isIntra ? "intra_state" : "inter_state");
        const notes = new Notes(invoice);
        for (const { isSpread, rows, share } of steps) {
          const { left } = notes;
          const part = (paise: bigint): bigint => (paise * BigInt(share) + 99n) / 100n;
          const chosen = [...new Set(rows)].filter((row) => (left[row] ?? 0n) > 0n);
          const whole = part(sum(left));
          if (isSpread ? whole === 0n : chosen.length === 0) continue;
          const asked = isSpread ? whole : chosen.map((row) => [row + 1, part(left[row]!)] as const);
          const { rows: printed, taxes, ...note } = notes.credit(asked);
          expect(note.taxablePaise + note.taxPaise).toBe(note.amountPaise);
          expect(note.amountPaise).toBe(typeof asked === "bigint" ? asked : sum(asked.map(([, paise]) => paise)));
          expect(sum(note.lines.map(({ taxablePaise }) => taxablePaise))).toBe(note.taxablePaise);
          expect(sum(note.lines.flatMap(({ taxesPaise }) => taxesPaise))).toBe(note.taxPaise);
          expect(sum(printed.map(({ amountPaise }) => amountPaise))).toBe(note.taxablePaise);
          expect(sum(taxes.map(({ amountPaise }) => amountPaise))).toBe(note.taxPaise);
          // Each row's tax is that of its rate, within the paise that earlier notes rounded.
          for (const { line: place, taxablePaise, taxesPaise } of note.lines) {
            const rate = Number(lines[place - 1]![1]) / 100_000;
            if (!isSpread) expect(Math.abs(Number(sum(taxesPaise)) - Number(taxablePaise) * rate)).toBeLessThan(6);
            expect(taxablePaise >= 0n && taxesPaise.every((paise) => paise >= 0n)).toBe(true);
          }
          expect(notes.left.every((paise) => paise >= 0n)).toBe(true);
        }
        const rest = sum(notes.left);
        if (rest > 0n) notes.credit(rest);
        expect(notes.left.every((paise) => paise === 0n)).toBe(true);
        expect(sum(notes.parts.map(({ taxablePaise }) => taxablePaise))).toBe(invoice.subTotalPaise);
        for (const [index, tax] of invoice.taxes.entries()) {
          expect(sum(notes.parts.map(({ taxes }) => taxes[index]!.amountPaise))).toBe(tax.amountPaise);
        }
        for (const [index, row] of invoice.content.rows.entries()) {
          const ofRow = notes.parts.flatMap((part) => part.lines.filter(({ line: place }) => place === index + 1));
          expect(sum(ofRow.map(({ taxablePaise }) => taxablePaise))).toBe(row.amountPaise);
        }
      },
    ),
  );
});

test("what can be credited leaves previous dues out, and what earlier notes have credited", () => {
  const earlier = [{ amountPaise: 20n }, { amountPaise: 8n }];
  expect(creditableOf({ amountPaise: 168n, previousDuesPaise: 50n }, earlier)).toBe(90n);
});

test("a bank that pays late makes nothing owed by the customer", () => {
  const owing = { refundPaise: 100n, cancelledAt: null };
  const refund = { attempts: 2, refundedPaise: 200n, underWayPaise: 0n, lastTransferId: 2n };
  expect(owedOf({ ...owing, refund })).toBe(0n);
  expect(owedOf({ ...owing, refund: { ...refund, refundedPaise: 30n, underWayPaise: 20n } })).toBe(50n);
  expect(owedOf({ ...owing, refund: NOT_REFUNDED })).toBe(100n);
  expect(owedOf({ ...owing, cancelledAt: Temporal.Now.instant(), refund: NOT_REFUNDED })).toBe(0n);
  expect(NOT_REFUNDED).toMatchObject({ attempts: 0, lastTransferId: null });
});
