// What a template will make: the next number of its series, and an invoice with a customer that is made up.
// What belongs here: samples. Nothing is saved and no number is taken.
import { todayOf, type Merchant, type MerchantKey } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { decode } from "../platform/http/field.ts";
import type { PdfRenderer } from "../platform/pdf/renderer.ts";
import type { InvoiceDocument } from "./document.ts";
import { drawLogo } from "./draw-logo.ts";
import { invoiceUpdateFields, toInvoiceInput } from "./invoice-fields.ts";
import type { InvoiceInput } from "./invoice-input.ts";
import { templateNotFound } from "./invoice-references.ts";
import type { PartySnapshot } from "./invoice.ts";
import { financialYearOf, namesInvoiceNumber, writeNumber, type NumberSeries } from "./number-series.ts";
import { composeInvoice, NOBODY } from "./preview-invoice.ts";
import { sampleInvoiceRequest } from "./template-sample.ts";
import { findLogo, findTemplate, readLastNumbers } from "./template-store.ts";
import {
  applyChange,
  DEFAULT_WIDTH,
  EMPTY_CONTENT,
  type HeaderField,
  type TemplateChange,
  type TemplateContent,
} from "./template.ts";

const SAMPLE_CODE = "C-001";
const SAMPLE_CUSTOMER: PartySnapshot = { ...NOBODY, name: "Sample customer", address: "1, MG Road" };

/** What stands in a header field that has no value of its own. */
const SAMPLE_VALUES: Record<HeaderField["type"], (day: Temporal.PlainDate) => string> = {
  text: () => "Sample text",
  textarea: () => "Sample text\non two lines",
  number: () => "100",
  date: (day) => day.toString(),
};

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

/** What a sample is made of: a template that there is, or a new one with its series, and what is different on the form. */
export type TemplatePreviewRequest = {
  /** `null` for a new template. */
  readonly templateId: bigint | null;
  /** Of a new template; `null` where it has no prefix yet. */
  readonly series: (Pick<NumberSeries, "prefix" | "yearly"> & { readonly width: number | null }) | null;
  readonly change: TemplateChange;
};

/**
 * The document of the first invoice that somebody makes from a template with a change that is not saved yet.
 * @throws NodalError `template_not_found`, or `validation_failed` for rows that can't be added up and a logo that can't be drawn
 */
export async function previewTemplate(
  { db, renderer }: { readonly db: Queryable; readonly renderer: PdfRenderer },
  merchant: Merchant,
  { templateId, series, change }: TemplatePreviewRequest,
): Promise<InvoiceDocument> {
  const standing = templateId === null ? null : await findTemplate(db, merchant, templateId);
  if (templateId !== null && !standing) throw templateNotFound();
  const standingLogo = standing && (await findLogo(db, merchant, standing.templateId));
  const logo = change.logo ? await drawLogo(renderer, merchant, change.logo) : change.logo;
  const numbering = standing?.series ?? (series && { ...series, width: series.width ?? DEFAULT_WIDTH, seriesId: 0n });
  const today = todayOf(merchant);
  const position = await readSeriesPosition(db, merchant, today);
  const template = applyChange<TemplateContent>(standing ?? EMPTY_CONTENT, change);
  const { document } = composeInvoice({
    merchant,
    template,
    logo: logo === undefined ? standingLogo : logo,
    recipient: SAMPLE_CUSTOMER,
    customerCode: SAMPLE_CODE,
    edited: null,
    input: sampleInput(template, today),
  });
  return { ...document, number: numbering && nextNumberOf(numbering, position) };
}

/** What somebody would send, with something in each header field, so that it is seen where it stands. */
function sampleInput(template: TemplateContent, day: Temporal.PlainDate): InvoiceInput {
  const headerFields = template.headerFields.map((field) => ({
    ...field,
    value: field.value || (namesInvoiceNumber(field.name) ? "" : SAMPLE_VALUES[field.type](day)),
  }));
  const { invoice } = sampleInvoiceRequest({ ...template, headerFields, templateId: 0n }, day);
  const { new_customer: _, customer_code: _code, ...sample } = invoice[0]!;
  return toInvoiceInput(decode(invoiceUpdateFields, sample), "invoice", { columns: new Map() }, []);
}
