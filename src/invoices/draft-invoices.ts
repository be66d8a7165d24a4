// One use case: what invoices would come to that nobody has made yet, many at once.
// What belongs here: reading what they refer to. The rules of putting one together are in draft.ts.
import type { CustomerDetails } from "../customers/index.ts";
import { todayOf, type Merchant } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import type { FieldError } from "../platform/errors.ts";
import { headerFieldsOf } from "./header-field.ts";
import { draftInvoice, recipientOf, supplierOf, type Draft } from "./draft.ts";
import type { InvoiceInput } from "./invoice-input.ts";
import type { Template } from "./template.ts";
import { findTemplate } from "./template-store.ts";

export type DraftRequest = {
  /** `null` for the merchant's default template. */
  readonly templateId: bigint | null;
  readonly customer: CustomerDetails;
  readonly input: InvoiceInput;
};

/** Each as saving it now would put it together, without previous dues; `null` for one that would be refused. */
export async function draftInvoices(
  db: Queryable,
  merchant: Merchant,
  requests: readonly DraftRequest[],
): Promise<(Draft | null)[]> {
  const templates = new Map<bigint | null, Template | null>();
  for (const templateId of new Set(requests.map((request) => request.templateId))) {
    templates.set(templateId, await findTemplate(db, merchant, templateId));
  }
  const today = todayOf(merchant);
  return requests.map(({ templateId, customer, input }) => {
    const template = templates.get(templateId);
    if (!template) return null;
    const errors: FieldError[] = [];
    const parts = {
      supplier: supplierOf(merchant, template.company),
      recipient: recipientOf(customer),
      customerCode: customer.customerCode,
      headerFields: headerFieldsOf(template.headerFields, input, null),
      rows: input.rows ?? [],
      taxRows: input.taxRows ?? [],
      previousDuesPaise: 0n,
      billDate: today,
      dueDate: today,
    };
    const draft = draftInvoice(parts, "invoice", errors);
    return errors.length > 0 ? null : draft;
  });
}
