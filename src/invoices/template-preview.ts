// What a template will make: the next number of its series, and an invoice with a customer that is made up.
// What belongs here: samples. Nothing is saved and no number is taken.
import type { MerchantKey } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { decode } from "../platform/http/field.ts";
import { invoiceUpdateFields, toInvoiceInput } from "./invoice-fields.ts";
import type { InvoiceInput } from "./invoice-input.ts";
import { financialYearOf, writeNumber, type NumberSeries } from "./number-series.ts";
import { sampleInvoiceRequest } from "./template-sample.ts";
import { readLastNumbers } from "./template-store.ts";
import type { Template } from "./template.ts";

/** How far a merchant's number series have come on a day. */
export type SeriesPosition = {
  readonly financialYear: number;
  readonly lastNumbers: ReadonlyMap<bigint, bigint>;
};

/** Reads how far the series have come in the financial year of a day. */
export async function readSeriesPosition(
  db: Queryable,
  merchant: MerchantKey,
  day: Temporal.PlainDate,
): Promise<SeriesPosition> {
  const financialYear = financialYearOf(day);
  return { financialYear, lastNumbers: await readLastNumbers(db, merchant, financialYear) };
}

/** The number that a series gives next; `null` where it has none left. */
export function nextNumberOf(series: NumberSeries, { financialYear, lastNumbers }: SeriesPosition): string | null {
  return writeNumber(series, financialYear, (lastNumbers.get(series.seriesId) ?? 0n) + 1n);
}

/** What somebody would send to make a first invoice from a template. */
export function sampleInput(template: Template, day: Temporal.PlainDate): InvoiceInput {
  const { new_customer: _, customer_code: _code, ...sample } = sampleInvoiceRequest(template, day).invoice[0]!;
  const customer = { customer_code: "C-001", customer_name: "Sample customer", address: "1, MG Road" };
  const wire = decode(invoiceUpdateFields, { ...sample, new_customer: customer });
  return toInvoiceInput(wire, "invoice", new Map(), []);
}
