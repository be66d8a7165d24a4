// Previews of a template: the next number of its series, a working request, and an invoice with a fictitious customer. Nothing is
// saved and no number is taken.
import { customerRecord } from "../customers/index.ts";
import { companyRecord, todayOf, type Merchant, type MerchantKey, type ReadContext } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { decode } from "../platform/http/field.ts";
import { memberTexts } from "../platform/member.ts";
import type { PdfRenderer } from "../platform/pdf/renderer.ts";
import type { InvoiceDocument } from "./document.ts";
import { composeInvoice } from "./preview-invoice.ts";
import {
  applyChange,
  DEFAULT_WIDTH,
  drawLogo,
  EMPTY_CONTENT,
  NO_SETTINGS,
  SAMPLE_ROW,
  financialYearOf,
  findLogo,
  findTemplate,
  invoiceUpdateFields,
  namesInvoiceNumber,
  readLastNumbers,
  templateNotFound,
  toInvoiceInput,
  writeNumber,
  type HeaderField,
  type InvoiceInput,
  type NumberSeries,
  type PartySnapshot,
  type Template,
  type TemplateChange,
  type TemplateContent,
} from "../invoices/index.ts";

const SAMPLE_CODE = "C-001";
const SAMPLE_CUSTOMER: PartySnapshot = { ...companyRecord.blank, name: "Sample customer", address: "1, MG Road" };

/** The sample text of a header field without a value. */
const SAMPLE_VALUES: Record<HeaderField["type"], (day: Temporal.PlainDate) => string> = {
  text: () => "Sample text",
  textarea: () => "Sample text\non two lines",
  number: () => "100",
  date: (day) => day.toString(),
};

/** The counters of a merchant's number series on a day. */
export type SeriesPosition = {
  readonly financialYear: number;
  readonly lastNumbers: ReadonlyMap<bigint, bigint>;
};

/** Reads the counters in the financial year of a day. */
export async function readSeriesPosition(
  db: Queryable,
  merchant: MerchantKey,
  day: Temporal.PlainDate,
): Promise<SeriesPosition> {
  const financialYear = financialYearOf(day);
  return { financialYear, lastNumbers: await readLastNumbers(db, merchant, financialYear) };
}

/** The next number of a series; `null` if it has run out. */
export function nextNumberOf(series: NumberSeries, { financialYear, lastNumbers }: SeriesPosition): string | null {
  return writeNumber(series, financialYear, (lastNumbers.get(series.seriesId) ?? 0n) + 1n);
}

/** The source of a sample: an existing template, or a new one with its series, and the changes in the form. */
export type PreviewTemplate = {
  /** `null` for a new template. */
  readonly templateId: bigint | null;
  /** For a new template; `null` if it has no prefix yet. */
  readonly series: (Pick<NumberSeries, "prefix" | "yearly"> & { readonly width: number | null }) | null;
  readonly change: TemplateChange;
};

/**
 * The document of a template's next invoice, with unsaved changes of the template.
 * @throws NodalError `template_not_found`, or `validation_failed` for rows that can't be added up and a logo that can't be drawn
 */
export async function previewTemplate(
  { pool, merchant, renderer }: ReadContext<Merchant> & { readonly renderer: PdfRenderer },
  { templateId, series, change }: PreviewTemplate,
): Promise<InvoiceDocument> {
  const saved = templateId === null ? null : await findTemplate(pool, merchant, templateId);
  if (templateId !== null && !saved) throw templateNotFound();
  const savedLogo = saved && (await findLogo(pool, merchant, saved.templateId));
  const logo = change.logo ? await drawLogo(renderer, merchant, change.logo) : change.logo;
  const numbering =
    saved?.series.invoice ?? (series && { ...series, width: series.width ?? DEFAULT_WIDTH, seriesId: 0n });
  const today = todayOf(merchant);
  const position = await readSeriesPosition(pool, merchant, today);
  const template = applyChange<TemplateContent>(saved ?? EMPTY_CONTENT, change);
  const { document } = composeInvoice({
    merchant,
    template,
    logo: logo === undefined ? savedLogo : logo,
    recipient: SAMPLE_CUSTOMER,
    customerCode: SAMPLE_CODE,
    edited: null,
    input: sampleInput(template, today),
  });
  return { ...document, number: numbering && nextNumberOf(numbering, position) };
}

/** A sample request, with a text in each header field, to show its position. */
function sampleInput(template: TemplateContent, day: Temporal.PlainDate): InvoiceInput {
  const headerFields = template.headerFields.map((field) => ({
    ...field,
    value: field.value || (namesInvoiceNumber(field.name) ? "" : SAMPLE_VALUES[field.type](day)),
  }));
  const { invoice } = sampleInvoiceRequest({ ...template, headerFields, templateId: 0n }, day);
  const { new_customer: _, customer_code: _code, ...sample } = invoice[0]!;
  return toInvoiceInput(decode(invoiceUpdateFields, sample), "invoice", NO_SETTINGS, []);
}

const DAYS_TO_PAY = 15;

/** A sample body of `invoice/save` for a template, without the keys and the customer's code. */
export function sampleInvoiceRequest(
  template: Pick<Template, "templateId" | "headerFields" | "defaultRows" | "defaultTaxes">,
  billDate: Temporal.PlainDate,
) {
  return {
    access_key_id: "",
    secret_access_key: "",
    template_id: String(template.templateId),
    invoice: [
      {
        customer_code: "",
        bill_cycle_name: billDate.toLocaleString("en-IN", { month: "long", year: "numeric" }),
        bill_date: billDate.toString(),
        due_date: billDate.add({ days: DAYS_TO_PAY }).toString(),
        invoice_properties: { notify_patron: "0" },
        custom_header_fields: template.headerFields,
        particular_rows: template.defaultRows.length > 0 ? template.defaultRows : [SAMPLE_ROW],
        tax_rows: template.defaultTaxes,
        new_customer: {
          ...memberTexts(customerRecord.members, () => ""),
          custom_fields: [],
        },
      },
    ],
  };
}
