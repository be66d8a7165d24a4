// One use case: an invoice as it would be, before it is saved: added up by the rules of saving, and put on its page.
// What belongs here: reading what it refers to, without making or changing anything.
import { findCustomersByCode, type Customer } from "../customers/index.ts";
import { todayOf, type Merchant, type MerchantKey } from "../merchants/index.ts";
import { inTransaction, type Connection, type Pool } from "../platform/database/pool.ts";
import { validationError, type FieldError } from "../platform/errors.ts";
import { buildDocument, type DocumentSources } from "./build-document.ts";
import type { InvoiceDocument } from "./document.ts";
import { draftInvoice, ownNumberOf, recipientOf, supplierOf, type Draft } from "./draft.ts";
import { headerFieldsOf } from "./header-field.ts";
import { requireTemplate } from "./invoice-references.ts";
import type { InvoiceInput } from "./invoice-input.ts";
import { invoiceNotFound, statusOf, type Invoice, type PartySnapshot } from "./invoice.ts";
import { findInvoice } from "./invoice-store.ts";
import { financialYearOf } from "./number-series.ts";
import { findLogo } from "./template-store.ts";
import type { Template } from "./template.ts";

export type PreviewRequest = {
  readonly templateId: bigint | null;
  /** The invoice that is being edited; `null` for a new one. */
  readonly invoiceId: bigint | null;
  readonly input: InvoiceInput;
};

export type InvoicePreview = { readonly draft: Draft; readonly document: InvoiceDocument };

/** What an invoice is put together from, all of it read. */
type InvoiceParts = Pick<DocumentSources, "merchant" | "customerCode" | "logo"> & {
  readonly template: DocumentSources["template"] & Pick<Template, "company" | "headerFields">;
  readonly recipient: PartySnapshot;
  readonly edited: Invoice | null;
  readonly input: InvoiceInput;
};

/** A customer of whom nothing is known. */
export const NOBODY: PartySnapshot = {
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

/**
 * Puts an invoice together as saving would. A customer that is not chosen yet stands for one without an address.
 * @throws NodalError `template_not_found`, `invoice_not_found` or `validation_failed`
 */
export async function previewInvoice(
  pool: Pool,
  merchant: Merchant,
  { templateId, invoiceId, input }: PreviewRequest,
): Promise<InvoicePreview> {
  return inTransaction(pool, async (connection) => {
    const key = { bucket: merchant.bucket, merchantId: merchant.merchantId };
    const edited = invoiceId === null ? null : await findInvoice(connection, { ...key, invoiceId });
    if (invoiceId !== null && !edited) throw invoiceNotFound();
    const template = await requireTemplate(connection, merchant, edited?.templateId ?? templateId);
    const { recipient, code } = await billedTo(connection, merchant, input);
    const logo = await findLogo(connection, key, template.templateId);
    return composeInvoice({ merchant, template, logo, recipient, customerCode: code, edited, input });
  });
}

/** Puts an invoice together from what was read. @throws NodalError `validation_failed` */
export function composeInvoice(given: InvoiceParts): InvoicePreview {
  const { merchant, template, recipient, edited, input } = given;
  const today = todayOf(merchant);
  const billDate = input.billDate ?? edited?.billDate ?? today;
  const headerFields = headerFieldsOf(template.headerFields, input, edited?.content.headerFields ?? null);
  const errors: FieldError[] = [];
  const parts = {
    supplier: edited?.content.supplier ?? supplierOf(merchant, template.company),
    recipient,
    customerCode: given.customerCode,
    headerFields,
    rows: input.rows ?? [],
    taxRows: input.taxRows ?? [],
    previousDuesPaise: input.previousDuesPaise ?? edited?.previousDuesPaise ?? 0n,
    billDate,
    dueDate: input.dueDate ?? edited?.dueDate ?? billDate,
  };
  const draft = draftInvoice(parts, "invoice", errors);
  const ownNumber = ownNumberOf(headerFields, "invoice", errors);
  if (errors.length > 0) throw validationError(errors);
  const number = ownNumber?.number ?? edited?.invoiceNumber ?? "";
  const invoice = toInvoice(merchant, { draft, input, parts, number });
  return { draft, document: buildDocument({ ...given, invoice, publicUrl: "", today }) };
}

async function billedTo(
  connection: Connection,
  merchant: Merchant,
  { customerCode, newCustomer }: InvoiceInput,
): Promise<{ recipient: PartySnapshot; code: string }> {
  if (newCustomer) return { recipient: recipientOf(newCustomer), code: newCustomer.customerCode };
  const found = customerCode === null ? null : await customerOf(connection, merchant, customerCode);
  return found ? { recipient: recipientOf(found), code: found.customerCode } : { recipient: NOBODY, code: "" };
}

async function customerOf(connection: Connection, merchant: Merchant, code: string): Promise<Customer | undefined> {
  return (await findCustomersByCode(connection, merchant, [code])).get(code);
}

type Previewed = {
  readonly draft: Draft;
  readonly input: InvoiceInput;
  readonly parts: Pick<Invoice, "billDate" | "dueDate">;
  readonly number: string;
};

/** The invoice that would be written, for its page alone. */
function toInvoice(
  { bucket, merchantId }: MerchantKey,
  { draft, input, parts: { billDate, dueDate }, number }: Previewed,
): Invoice {
  const { subTotalPaise, taxTotalPaise, previousDuesPaise, amountPaise, content } = draft;
  const amounts = { subTotalPaise, taxTotalPaise, previousDuesPaise, amountPaise, paidPaise: 0n, creditedPaise: 0n };
  return {
    bucket,
    merchantId,
    ...amounts,
    invoiceId: 0n,
    customerId: 0n,
    templateId: 0n,
    franchiseId: 0n,
    seriesId: null,
    financialYear: financialYearOf(billDate),
    invoiceNumber: number,
    cycleName: input.cycleName ?? "",
    billDate,
    dueDate,
    sentAt: null,
    sentDate: null,
    paidDate: null,
    status: statusOf({ ...amounts, carriedTo: null }),
    carriedPaise: 0n,
    carriedTo: null,
    carriedDuePaise: 0n,
    content,
    publicToken: "",
    revision: 1,
    createdAt: Temporal.Now.instant(),
  };
}
