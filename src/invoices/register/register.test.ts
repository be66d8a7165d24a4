// The tax register of many documents that change at once, compared with sums over the documents themselves.
import { afterAll, beforeAll, expect, test } from "vitest";
import { Invoicing } from "../../../test/support/invoicing.ts";
import { openLedgerDatabase, type LedgerDatabase } from "../../../test/support/ledger.ts";
import type { Invoice, InvoiceInput } from "../invoice.ts";
import { cancelInvoice, changeInvoice } from "../saves/update-invoice.ts";
import { seriesOf } from "./document-series.ts";
import {
  readHsnSummary,
  readNumberRuns,
  readProblems,
  readSalesRegister,
  readTaxSummary,
  sumSalesRegister,
  type TaxSums,
} from "./report-store.ts";

const MONTH = { from: Temporal.PlainDate.from("2026-06-01"), to: Temporal.PlainDate.from("2026-06-30") };
const ALL = { after: null, limit: 10_000 };

let db: LedgerDatabase;
let shop: Invoicing;
let other: Invoicing;

beforeAll(async () => {
  db = await openLedgerDatabase();
  shop = await Invoicing.ofNewMerchant(db);
  other = await Invoicing.ofNewMerchant(db);
});
afterAll(() => db.close());

/** An invoice that is due on its day. */
function save(changes: Partial<InvoiceInput> & { readonly billDate: Temporal.PlainDate }): Promise<Invoice> {
  return shop.save({ dueDate: changes.billDate, ...changes });
}

/** A generator of numbers below `limit`, the same in each run. */
function dice(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * limit);
  };
}

const RATES = [0n, 5000n, 18_000n, 40_000n, 250n];
const CODES = ["998311", "8471", "1006", ""];

function rowsOf(roll: (limit: number) => number): NonNullable<InvoiceInput["rows"]> {
  return Array.from({ length: 1 + roll(5) }, (_, index) => ({
    item: `Item ${index}`,
    sacCode: CODES[roll(CODES.length)]!,
    description: "",
    gstThousandths: RATES[roll(RATES.length)]!,
    amountPaise: BigInt(1 + roll(1_000_000)),
  }));
}

const NOTHING: Partial<InvoiceInput> = {
  customerCode: null,
  billDate: null,
  dueDate: null,
  headerFields: null,
  rows: null,
};

async function change(invoice: Invoice, changes: Partial<InvoiceInput>): Promise<void> {
  const context = { pool: db.server, ids: db.ids, merchant: shop.merchant, idempotency: null };
  const kept = { ...EMPTY, ...NOTHING, ...changes };
  await changeInvoice(context, { invoiceId: invoice.invoiceId, input: kept });
}
const EMPTY: InvoiceInput = {
  customerCode: null,
  newCustomer: null,
  customerId: null,
  cycleName: null,
  billDate: null,
  dueDate: null,
  notify: false,
  headerFields: null,
  takesSeriesNumber: false,
  rows: null,
  taxRows: null,
  franchiseId: null,
  previousDuesPaise: null,
  roundsTotal: null,
  supply: {},
  carries: [],
};

function cancel({ invoiceId }: Invoice): Promise<unknown> {
  return cancelInvoice({ pool: db.server, merchant: shop.merchant, idempotency: null }, invoiceId);
}

/** The sums from the documents themselves, by SQL over their contents. */
async function sumsOfDocuments(): Promise<Record<string, bigint>> {
  const { rows } = await db.owner.query<Record<string, string>>(
    `with document as (
       select 1 as sign, content from invoice
       where merchant_id = $1 and not (status = 'Cancelled' and credited_paise = 0)
       union all
       select -1, content from credit_note where merchant_id = $1
     ), tax as (
       select sign, tax ->> 'name' as name, (tax ->> 'amountPaise')::bigint as paise
       from document, jsonb_array_elements(content -> 'taxes') as tax
     )
     select
       (select sum(sign * (row ->> 'amountPaise')::bigint) from document, jsonb_array_elements(content -> 'rows') as row)::text
         as taxable,
       (select coalesce(sum(sign * paise) filter (where name = 'IGST'), 0) from tax)::text as igst,
       (select coalesce(sum(sign * paise) filter (where name = 'CGST'), 0) from tax)::text as cgst,
       (select coalesce(sum(sign * paise) filter (where name = 'SGST'), 0) from tax)::text as sgst`,
    [shop.merchant.merchantId],
  );
  return Object.fromEntries(Object.entries(rows[0]!).map(([name, text]) => [name, BigInt(text)]));
}

function headsOf(rows: readonly TaxSums[]): Record<string, bigint> {
  const add = (amount: (row: TaxSums) => bigint): bigint => rows.reduce((sum, row) => sum + amount(row), 0n);
  return {
    taxable: add((row) => row.taxablePaise),
    igst: add((row) => row.igstPaise),
    cgst: add((row) => row.cgstPaise),
    sgst: add((row) => row.sgstPaise),
  };
}

test("lines, heads, HSN, rates, register and documents agree after changes, notes and cancellations at once", async () => {
  const work = async (index: number): Promise<void> => {
    const roll = dice(7919 * (index + 1));
    const invoice = await save({ rows: rowsOf(roll), billDate: MONTH.from.add({ days: roll(30) }) });
    const fate = roll(5);
    if (fate === 0) await cancel(invoice);
    if (fate === 1) await change(invoice, { rows: rowsOf(roll) });
    if (fate === 2) await shop.credit(invoice, null);
    if (fate === 3) {
      const part = 1n + (invoice.subTotalPaise + invoice.taxTotalPaise - 1n) / 3n;
      await Promise.all([shop.credit(invoice, part), shop.credit(invoice, part)]);
    }
    if (fate === 4) await Promise.allSettled([change(invoice, { rows: rowsOf(roll) }), cancel(invoice)]);
  };
  // No more at once than there are connections: waiting for one times out.
  const queue = Array.from({ length: 80 }, (_, index) => index).values();
  const workers = Array.from({ length: 4 }, async () => {
    for (const index of queue) await work(index);
  });
  await Promise.all(workers);
  const expected = await sumsOfDocuments();
  // Notes are dated today or the invoice's day.
  const { from } = MONTH;
  const year = { from, to: from.add({ years: 2 }) };
  const register = await readSalesRegister(db.server, shop.merchant, year, ALL);
  expect(headsOf(register)).toEqual(expected);
  expect(headsOf(await readTaxSummary(db.server, shop.merchant, year))).toEqual(expected);
  expect(headsOf(await readHsnSummary(db.server, shop.merchant, year))).toEqual(expected);
  const sums = await sumSalesRegister(db.server, shop.merchant, year);
  expect(headsOf([sums])).toEqual(expected);
  expect(sums.documents).toBe(register.length);
  expect(sums.roundOffPaise).toBe(register.reduce((sum, row) => sum + row.roundOffPaise, 0n));
  expect(sums.valuePaise).toBe(register.reduce((sum, row) => sum + row.valuePaise, 0n));
  expect(sums.valuePaise).toBe(expected["taxable"]! + expected["igst"]! + expected["cgst"]! + expected["sgst"]!);
  expect(await shop.violations()).toEqual([]);
});

test("a page goes on after the last row of the one before", async () => {
  const whole = await readSalesRegister(db.server, shop.merchant, MONTH, ALL);
  const paged = [];
  let after = null;
  for (;;) {
    const page = await readSalesRegister(db.server, shop.merchant, MONTH, { after, limit: 7 });
    if (page.length === 0) break;
    paged.push(...page);
    after = { day: page.at(-1)!.documentDate, id: page.at(-1)!.documentId };
  }
  expect(paged).toEqual(whole);
  expect(whole.length).toBeGreaterThan(20);
});

test("another merchant sees nothing of it", async () => {
  expect(await readSalesRegister(db.server, other.merchant, MONTH, ALL)).toEqual([]);
  expect(await readHsnSummary(db.server, other.merchant, MONTH)).toEqual([]);
  expect(await readNumberRuns(db.server, other.merchant, MONTH)).toEqual([]);
  expect(await readProblems(db.server, other.merchant, MONTH, ALL)).toEqual([]);
});

const row = (amountPaise: bigint, changes: object = {}) =>
  ({ item: "Work", sacCode: "998311", description: "", gstThousandths: 0n, amountPaise, ...changes }) as never;
const JULY = { from: Temporal.PlainDate.from("2026-07-01"), to: Temporal.PlainDate.from("2026-07-31") };

test("own taxes are tied to rows where names, rates and bases agree, and else are a problem that an update mends", async () => {
  const taxes = (basePaise: bigint, names = ["CGST 9%", "SGST 9%"]) =>
    names.map((name) => ({ name, percentThousandths: 9000n, applicableOnPaise: basePaise }));
  const input = { rows: [row(100_000n), row(50_000n)], billDate: JULY.from };
  await save({ ...input, taxRows: taxes(150_000n) });
  const wrong = [
    { rows: input.rows, taxRows: taxes(140_000n) },
    { rows: [row(100_000n)], taxRows: taxes(90_000n) },
    { rows: [row(100_000n, { gstThousandths: 5000n })], taxRows: taxes(100_000n) },
    { rows: [row(100_000n)], taxRows: taxes(100_000n, ["CGST", "CGST"]) },
    { rows: [row(100_000n)], taxRows: taxes(100_000n, ["CGST"]) },
    { rows: [row(100_000n)], taxRows: taxes(100_000n, ["IGST"]) },
    { rows: [row(100_000n)], taxRows: taxes(100_000n, ["VAT"]) },
  ];
  const saved = [];
  for (const each of wrong) saved.push(await save({ ...each, billDate: JULY.from }));
  const problems = await readProblems(db.server, shop.merchant, JULY, ALL);
  expect(problems.filter(({ code }) => code === "tax_rows").map(({ documentId }) => documentId)).toEqual(
    saved.map(({ invoiceId }) => invoiceId),
  );
  const rates = await readTaxSummary(db.server, shop.merchant, JULY);
  expect(rates.find(({ rateThousandths }) => rateThousandths === 18_000n)).toMatchObject({
    taxablePaise: 150_000n,
    cgstPaise: 13_500n,
    sgstPaise: 13_500n,
  });
  expect(rates.find(({ treatment }) => treatment === "untied")).toMatchObject({ taxablePaise: 0n, otherPaise: 9000n });
  expect(await shop.violations()).toEqual([]);
  for (const invoice of saved) await change(invoice, { taxRows: [] });
  expect((await readProblems(db.server, shop.merchant, JULY, ALL)).filter(({ code }) => code === "tax_rows")).toEqual(
    [],
  );
  expect(await shop.violations()).toEqual([]);
});

test("a row without a code and a number that the e-invoice portal refuses are problems", async () => {
  const day = Temporal.PlainDate.from("2026-08-01");
  const headerFields = [{ id: "", name: "Invoice no", type: "text", value: "0001/A" }];
  await save({ rows: [row(100n, { sacCode: "" }), row(100n, { sacCode: "12345" })], billDate: day, headerFields });
  const problems = await readProblems(db.server, shop.merchant, { from: day, to: day }, ALL);
  expect(problems.map(({ line, code }) => [line, code])).toEqual([
    [0, "number_form"],
    [1, "hsn_missing"],
    [2, "hsn_form"],
  ]);
});

test("a description is kept to the letter, whatever marks are in it", async () => {
  const day = Temporal.PlainDate.from("2026-08-15");
  const items = ['5" pipe', String.raw`a\b \"c\" \\`, "(1,2),{3}", "  two\nlines ", "NULL", "ग्राहक", '"', "\\", ","];
  const rows = items.map((item, index) => row(100n, { item, sacCode: `84${71 + index}` }));
  await save({ rows, billDate: day });
  await save({ rows: [row(100n, { item: "", description: "", sacCode: "" })], billDate: day });
  const summary = await readHsnSummary(db.server, shop.merchant, { from: day, to: day });
  expect(summary.map(({ description }) => description)).toEqual(["", ...items]);
  expect(await shop.violations()).toEqual([]);
});

test("a code of 4 digits is too short above a turnover of 5 crore, and for nobody else", async () => {
  const day = Temporal.PlainDate.from("2026-08-02");
  await save({
    rows: [row(100n, { sacCode: "8471" }), row(100n, { sacCode: "847130" }), row(100n, { sacCode: "84" })],
    billDate: day,
  });
  const codes = async (turnoverClass: string, page = ALL): Promise<unknown[]> => {
    const found = await readProblems(db.server, { ...shop.merchant, turnoverClass }, { from: day, to: day }, page);
    return found.map(({ line, code }) => [line, code]);
  };
  const form = [3, "hsn_form"];
  expect(await codes("")).toEqual([form]);
  expect(await codes("up_to_5_crore")).toEqual([form]);
  expect(await codes("above_5_crore")).toEqual([[1, "hsn_short"], form]);
  expect(await codes("above_5_crore", { after: null, limit: 1 })).toEqual([[1, "hsn_short"]]);
});

test("an invoice with previous dues alone is in the document series, and in no register", async () => {
  const day = Temporal.PlainDate.from("2026-09-01");
  const period = { from: day, to: day };
  await save({ rows: [], previousDuesPaise: 5000n, billDate: day });
  expect(await readSalesRegister(db.server, shop.merchant, period, ALL)).toEqual([]);
  expect(seriesOf(await readNumberRuns(db.server, shop.merchant, period))).toMatchObject([{ total: 1, cancelled: 0 }]);
  expect(await shop.violations()).toEqual([]);
});

test("a series says which numbers are cancelled, and which no document has, of this period or another", async () => {
  const [day, later] = [Temporal.PlainDate.from("2026-10-01"), Temporal.PlainDate.from("2026-10-02")];
  const number = (value: string) => [{ id: "", name: "Invoice no", type: "text", value }];
  for (const value of ["A/8", "A/9", "A/10", "A/14", "B"]) {
    const invoice = await save({ billDate: day, headerFields: number(value) });
    if (value === "A/9") await cancel(invoice);
  }
  await save({ billDate: later, headerFields: number("A/12") });
  const runs = await readNumberRuns(db.server, shop.merchant, { from: day, to: day });
  expect(seriesOf(runs)).toEqual([
    {
      kind: "invoice",
      prefix: "A/",
      from: "A/8",
      to: "A/14",
      total: 4,
      cancelled: 1,
      missing: 2,
      gaps: [
        { from: "A/11", to: "A/11", count: 1 },
        { from: "A/13", to: "A/13", count: 1 },
      ],
    },
    { kind: "invoice", prefix: "B", from: "B", to: "B", total: 1, cancelled: 0, missing: 0, gaps: [] },
  ]);
});
