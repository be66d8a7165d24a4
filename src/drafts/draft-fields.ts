// The request of a draft: documentation, storage, and the errors of the invoice in it.
import { findCustomersByCode } from "../customers/index.ts";
import {
  billedTo,
  checkInvoice,
  draftInvoice,
  findTemplate,
  invoiceFields,
  partsOf,
  readInvoiceSettings,
  toInvoiceInput,
  type InvoiceInput,
} from "../invoices/index.ts";
import type { Merchant } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { fieldRefusal, type FieldError } from "../platform/errors.ts";
import { decoderOf, encoderOf } from "../platform/http/field.ts";
import { digitsOrNumber, optional, optionalText, type Decoded } from "../platform/http/fields.ts";
import { loose } from "../platform/http/loose-fields.ts";
import type { JsonObject } from "../platform/json.ts";
import type { InvoiceDraft } from "./invoice-draft.ts";

/** docs/rules/drafts.md#limits */
const MAX_DRAFT_BYTES = 256 * 1024;

const looseInvoice = loose(invoiceFields);

/** The saved members of a draft. docs/rules/drafts.md#content */
export const draftFields = {
  title: optionalText(100),
  template_id: optional(digitsOrNumber(16)),
  invoice: looseInvoice,
};
type Sent = { readonly [Name in keyof typeof draftFields]: Decoded<(typeof draftFields)[Name]> };

/** The content with which a save replaces a draft's. */
export type DraftContent = Pick<InvoiceDraft, "title" | "templateId" | "customerCode" | "invoice">;

/** @throws NodalError `validation_failed` for a draft that is too large, or has a PAN: drafts are not encrypted */
export function readDraft({ title, template_id: templateId, invoice: sent }: Sent): DraftContent {
  const invoice = encoderOf(looseInvoice)(sent) as JsonObject;
  const bytes = Buffer.byteLength(JSON.stringify(invoice));
  if (bytes > MAX_DRAFT_BYTES) {
    const problem = `has ${bytes} bytes; a draft can have at most ${MAX_DRAFT_BYTES}. Shorten its texts, or split it.`;
    throw fieldRefusal("validation_failed", "invoice", problem);
  }
  if ((invoice["new_customer"] as KeptTexts | undefined)?.["pan"]) {
    const problem = "can't be kept in a draft. Leave it out, and save it with the customer.";
    throw fieldRefusal("validation_failed", "invoice.new_customer.pan", problem);
  }
  return {
    title: title ?? "",
    templateId: templateId === null ? null : BigInt(templateId),
    customerCode: customerCodeOf(invoice),
    invoice,
  };
}

/** A JSON object whose members are texts. */
export type KeptTexts = { readonly [name: string]: string | undefined };

/** The code of the customer that an invoice object names or would create. */
function customerCodeOf({ customer_code: code, new_customer: newCustomer }: JsonObject): string {
  const made = (newCustomer as KeptTexts | undefined)?.["customer_code"];
  return made ?? (code as string | undefined) ?? "";
}

/** The invoice of a draft, with its errors; `input` is `null` if there are any. */
export type ReadInvoice = { readonly input: InvoiceInput | null; readonly errors: readonly FieldError[] };

/** Reads the invoice of a draft as a request for a new invoice is read. Fields are named `invoice.…`. */
export async function readInvoice(
  db: Queryable,
  merchant: Merchant,
  { templateId, invoice }: Pick<DraftContent, "templateId" | "invoice">,
): Promise<ReadInvoice> {
  const errors: FieldError[] = [];
  const decoded = decoderOf(invoiceFields)(invoice, "invoice", errors);
  const settings = await readInvoiceSettings(db, merchant, [decoded], { templateId });
  checkInvoice(decoded, "invoice", settings, errors, true);
  if (errors.length > 0) return { input: null, errors };
  const input = toInvoiceInput(decoded, "invoice", settings, errors);
  return errors.length > 0 ? { input: null, errors } : { input, errors };
}

/** The amount that saving a draft's invoice now would bill, in paise; `null` if it can't be computed. */
export async function amountOf(db: Queryable, merchant: Merchant, content: DraftContent): Promise<bigint | null> {
  const { input } = await readInvoice(db, merchant, content);
  if (input === null) return null;
  const { customerCode: code, newCustomer } = input;
  const template = await findTemplate(db, merchant, content.templateId);
  const customer =
    newCustomer ?? (code === null ? undefined : (await findCustomersByCode(db, merchant, [code])).get(code));
  if (!template || !customer) return null;
  const errors: FieldError[] = [];
  const draft = draftInvoice(partsOf({ merchant, template, ...billedTo(customer) }, input, null), "invoice", errors);
  return errors.length > 0 ? null : draft.amountPaise;
}
