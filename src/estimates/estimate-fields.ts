// The request of an estimate: documentation, validation and decoding.
import {
  checkInvoice,
  fillRows,
  invoiceUpdateFields,
  readInvoiceSettings,
  toInvoiceInput,
  type InvoiceInput,
  type InvoiceSettings,
} from "../invoices/index.ts";
import type { MerchantKey } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { validationError, type FieldError } from "../platform/errors.ts";
import { encoderOf, fail } from "../platform/http/field.ts";
import { date, digitsOrNumber, optional, wholeNumber, type Decoded } from "../platform/http/fields.ts";
import type { JsonObject } from "../platform/json.ts";

const MAX_DUE_DAYS = 3650;

export const estimateFields = {
  template_id: optional(digitsOrNumber(16)),
  estimate_date: date(),
  valid_until: date(),
  due_days: optional(wholeNumber(0, MAX_DUE_DAYS)),
  invoice: invoiceUpdateFields,
};
type Sent = { readonly [Name in keyof typeof estimateFields]: Decoded<(typeof estimateFields)[Name]> };

/** The content of an estimate. */
export type EstimateRequest = {
  /** `null` for the merchant's default template. */
  readonly templateId: bigint | null;
  readonly estimateDate: Temporal.PlainDate;
  readonly validUntil: Temporal.PlainDate;
  readonly dueDays: number;
  readonly input: InvoiceInput;
  /** The stored invoice object: without dates and customer, which the estimate itself has. */
  readonly invoice: JsonObject;
};

/**
 * Checks an estimate as an invoice is checked. docs/rules/estimates.md#content
 * @throws NodalError `validation_failed` naming all members at fault
 */
export async function readEstimate(db: Queryable, merchant: MerchantKey, sent: Sent): Promise<EstimateRequest> {
  const { estimate_date: estimateDate, valid_until: validUntil, invoice: wire } = sent;
  const templateId = sent.template_id === null ? null : BigInt(sent.template_id);
  const errors: FieldError[] = [];
  const settings = await readInvoiceSettings(db, merchant, [wire], { templateId });
  if (Temporal.PlainDate.compare(validUntil, estimateDate) < 0) {
    fail(errors, "valid_until", "invalid", "must not be before estimate_date.");
  }
  if (wire.previous_dues) {
    fail(errors, "invoice.previous_dues", "not_allowed", "can't be estimated: add them to the invoice.");
  }
  checkInvoice({ ...wire, bill_date: null, due_date: null }, "invoice", settings, errors, true);
  if (errors.length > 0) throw validationError(errors);
  const input = toInvoiceInput(wire, "invoice", settings, errors);
  if (errors.length > 0) throw validationError(errors);
  return {
    templateId,
    estimateDate,
    validUntil,
    dueDays: sent.due_days ?? 0,
    input,
    invoice: toKept(wire, settings.items),
  };
}

/** Rows are filled in from their items now: an estimate doesn't change later. */
function toKept(wire: Sent["invoice"], items: InvoiceSettings["items"]): JsonObject {
  const rows = fillRows(wire.particular_rows ?? [], items).map((row) => ({ ...row, item_code: null }));
  const kept = {
    ...wire,
    particular_rows: wire.particular_rows && rows,
    bill_date: null,
    due_date: null,
    customer_code: null,
    new_customer: null,
  };
  return encoderOf(invoiceUpdateFields)(kept) as JsonObject;
}
