// Query: an unsaved invoice, computed by the rules of saving, and rendered. Nothing is created or changed.
import { findCustomers, findCustomersByCode } from "../customers/index.ts";
import { companyRecord, todayOf, type Merchant, type ReadContext } from "../merchants/index.ts";
import { inTransaction, type Connection } from "../platform/database/pool.ts";
import { fieldRefusal, validationError, type FieldError } from "../platform/errors.ts";
import type { Warning } from "../platform/http/warning.ts";
import { buildDocument, type DocumentSources } from "./build-document.ts";
import type { InvoiceDocument } from "./document.ts";
import {
  billedTo,
  draftInvoice,
  newInvoice,
  findInvoice,
  findLogo,
  invoiceNotFound,
  namesCustomer,
  ownNumberOf,
  partsOf,
  requireTemplate,
  warningsOfInvoice,
  type Draft,
  type Invoice,
  type InvoiceInput,
  type PartySnapshot,
  type Template,
} from "../invoices/index.ts";

export type PreviewInvoice = {
  readonly templateId: bigint | null;
  /** The invoice that is being edited; `null` for a new one. */
  readonly invoiceId: bigint | null;
  readonly input: InvoiceInput;
};

export type InvoicePreview = {
  readonly draft: Draft;
  readonly document: InvoiceDocument;
  /** The warnings that saving it would give. */
  readonly warnings: readonly Warning[];
};

/** All data for drafting an invoice. */
type InvoiceParts = Pick<DocumentSources, "merchant" | "customerCode" | "logo"> & {
  readonly template: DocumentSources["template"] & Pick<Template, "company" | "headerFields">;
  readonly recipient: PartySnapshot;
  readonly edited: Invoice | null;
  readonly input: InvoiceInput;
};

/**
 * Drafts an invoice as saving would. Without a chosen customer, it has one without an address.
 * @throws NodalError `template_not_found`, `invoice_not_found`, `customer_not_found` or `validation_failed`
 */
export async function previewInvoice(
  { pool, merchant }: ReadContext<Merchant>,
  { templateId, invoiceId, input }: PreviewInvoice,
): Promise<InvoicePreview> {
  return inTransaction(pool, async (connection) => {
    const key = { bucket: merchant.bucket, merchantId: merchant.merchantId };
    const edited = invoiceId === null ? null : await findInvoice(connection, { ...key, invoiceId });
    if (invoiceId !== null && !edited) throw invoiceNotFound();
    const template = await requireTemplate(connection, merchant, edited?.templateId ?? templateId);
    const customer = await findBilled(connection, merchant, input, edited);
    const logo = await findLogo(connection, key, template.templateId);
    return composeInvoice({ merchant, template, logo, ...customer, edited, input });
  });
}

/** Drafts an invoice from the data. @throws NodalError `validation_failed` */
export function composeInvoice(given: InvoiceParts): InvoicePreview {
  const { merchant, edited, input } = given;
  const errors: FieldError[] = [];
  const parts = partsOf(given, input, edited);
  const draft = draftInvoice(parts, "invoice", errors);
  const ownNumber = ownNumberOf(parts.headerFields, "invoice", errors);
  if (errors.length > 0) throw validationError(errors);
  // Only for rendering.
  const invoice = newInvoice(draft, {
    bucket: merchant.bucket,
    merchantId: merchant.merchantId,
    invoiceId: 0n,
    customerId: 0n,
    templateId: 0n,
    franchiseId: 0n,
    seriesId: null,
    invoiceNumber: ownNumber?.number ?? edited?.invoiceNumber ?? "",
    cycleName: input.cycleName ?? "",
    billDate: parts.billDate,
    dueDate: parts.dueDate,
    carriedPaise: 0n,
    publicToken: "",
    createdAt: Temporal.Now.instant(),
  });
  const today = todayOf(merchant);
  return {
    draft,
    document: buildDocument({ ...given, invoice, refunds: [], publicUrl: "", today }),
    warnings: warningsOfInvoice(invoice, today),
  };
}

async function findBilled(
  connection: Connection,
  merchant: Merchant,
  input: InvoiceInput,
  edited: Invoice | null,
): Promise<Pick<InvoiceParts, "recipient" | "customerCode">> {
  if (edited && !namesCustomer(input)) {
    return billedTo((await findCustomers(connection, merchant, [edited.customerId])).get(edited.customerId)!);
  }
  const { customerCode, newCustomer } = input;
  if (newCustomer) return billedTo(newCustomer);
  if (!customerCode) return { recipient: companyRecord.blank, customerCode: "" };
  const byCode = await findCustomersByCode(connection, merchant, [customerCode]);
  const customer = byCode.get(customerCode);
  if (!customer) {
    const problem = ": no customer has this code. Save the customer first, or send new_customer.";
    throw fieldRefusal("customer_not_found", "invoice.customer_code", problem);
  }
  return billedTo(customer);
}
