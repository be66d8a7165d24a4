// What of a merchant's settings the invoices of a request are checked against: its columns, its template's header fields.
// What belongs here: reading them, for every request that brings invoices.
import { findColumns } from "../customers/index.ts";
import type { MerchantKey } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import type { InvoiceSettings, SentInvoice } from "./invoice-fields.ts";
import { findInvoice } from "./invoice-store.ts";
import { findTemplate } from "./template-store.ts";

/** Where the invoices' template is named: by its id (`null` for the default one), or by the invoice that is changed. */
export type TemplateOf = { readonly templateId: bigint | null } | { readonly invoiceId: bigint | null };

/** Reads what these invoices need. A template or an invoice that there is none of is refused where it is used. */
export async function readInvoiceSettings(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  invoices: readonly SentInvoice[],
  of: TemplateOf,
): Promise<InvoiceSettings> {
  const merchant = { bucket, merchantId };
  const columns = await findColumns(db, merchant, invoices.map(newCustomerOf));
  const hasHeader = invoices.some(({ custom_header_fields: fields }) => (fields ?? []).length > 0);
  if (!hasHeader) return { columns, headerFields: [] };
  const templateId = "templateId" in of ? of.templateId : await templateOfInvoice(db, merchant, of.invoiceId);
  const template = templateId === undefined ? null : await findTemplate(db, merchant, templateId);
  return { columns, headerFields: template?.headerFields ?? [] };
}

async function templateOfInvoice(
  db: Queryable,
  merchant: MerchantKey,
  invoiceId: bigint | null,
): Promise<bigint | undefined> {
  return invoiceId === null ? undefined : (await findInvoice(db, { ...merchant, invoiceId }))?.templateId;
}

/** A new customer of an invoice that is looked at: one without a code stands for none. */
function newCustomerOf({ new_customer: sent }: SentInvoice): SentInvoice["new_customer"] {
  return sent?.customer_code ? sent : null;
}
