// How a credit note's amount is shared out over rows and taxes: worked examples, and what always holds.
import fc from "fast-check";
import { expect, test } from "vitest";
import { creditableOf, NOT_REFUNDED, owedOf, shareCredit } from "./credit-note.ts";
import type { InvoiceContent } from "../invoice.ts";
import { addUp, type Row } from "../totals.ts";

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

/** Credits the amounts one after another, as their notes would. */
function creditAll(invoice: ReturnType<typeof invoiceOf>, amounts: readonly bigint[]) {
  const notes: { amountPaise: bigint; content: InvoiceContent; parts: ReturnType<typeof shareCredit> }[] = [];
  for (const amountPaise of amounts) {
    const parts = shareCredit(invoice, notes, amountPaise);
    notes.push({ amountPaise, parts, content: { ...invoice.content, rows: parts.rows, taxes: parts.taxes } });
  }
  return notes.map(({ parts }) => parts);
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
  const parts = shareCredit({ subTotalPaise: 10_000n, taxTotalPaise: 2000n, content: own }, [], 6000n);
  expect(parts).toMatchObject({ taxablePaise: 5000n, taxPaise: 1000n });
  expect(parts.taxes).toEqual([{ ...cess, applicableOnPaise: 2000n, amountPaise: 1000n }]);
});

test("an invoice of nothing but taxes is credited without rows", () => {
  const cess = { name: "Cess", percentThousandths: 50_000n, applicableOnPaise: 4000n, amountPaise: 2000n };
  const { content } = invoiceOf([[0n, 0n]], "inter_state");
  const own = { ...content, ownTaxes: true, taxes: [cess] };
  const parts = shareCredit({ subTotalPaise: 0n, taxTotalPaise: 2000n, content: own }, [], 500n);
  expect(parts).toEqual({
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
  // The fourth paisa is the one with which both taxes come to half a paisa and more.
  const [, paisa] = creditAll(invoice, [3n, 1n]);
  expect(paisa!.taxes.map(({ amountPaise }) => amountPaise)).toEqual([1n, 0n]);
  expect([paisa!.taxablePaise, paisa!.taxPaise]).toEqual([0n, 1n]);
  const whole = { amountPaise: 3n, content: invoice.content };
  const [cgst] = shareCredit(invoice, [whole], 10n).taxes;
  expect(cgst!.amountPaise).toBe(0n);
});

test("what can be credited leaves previous dues out, and what earlier notes have credited", () => {
  expect(creditableOf({ subTotalPaise: 100n, taxTotalPaise: 18n }, [{ amountPaise: 20n }, { amountPaise: 8n }])).toBe(
    90n,
  );
});

test("a bank that pays late makes nothing owed by the customer", () => {
  const refund = { attempts: 2, refundedPaise: 200n, underWayPaise: 0n, lastTransferId: 2n };
  expect(owedOf({ refundPaise: 100n, refund })).toBe(0n);
  expect(owedOf({ refundPaise: 100n, refund: { ...refund, refundedPaise: 30n, underWayPaise: 20n } })).toBe(50n);
  expect(owedOf({ refundPaise: 100n, refund: NOT_REFUNDED })).toBe(100n);
  expect(NOT_REFUNDED).toMatchObject({ attempts: 0, lastTransferId: null });
});
