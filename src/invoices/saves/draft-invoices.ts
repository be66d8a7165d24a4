// Query: the drafts of invoices that don't exist yet, many at once.
import type { CustomerDetails } from "../../customers/index.ts";
import { todayOf, type Merchant } from "../../merchants/index.ts";
import type { Queryable } from "../../platform/database/pool.ts";
import type { FieldError } from "../../platform/errors.ts";
import { draftInvoice, partsOf, billedTo, type Draft } from "./draft.ts";
import type { InvoiceInput } from "../invoice.ts";
import type { Template } from "../templates/template.ts";
import { findTemplate } from "../templates/template-store.ts";

export type DraftRequest = {
  /** `null` for the merchant's default template. */
  readonly templateId: bigint | null;
  readonly customer: CustomerDetails;
  readonly input: InvoiceInput;
};

/** Each as saving it now would draft it, without previous dues; `null` for one that would be refused. */
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
    const parts = partsOf(
      { merchant, template, ...billedTo(customer) },
      { ...input, billDate: today, dueDate: today, previousDuesPaise: 0n },
      null,
    );
    const draft = draftInvoice(parts, "invoice", errors);
    return errors.length > 0 ? null : draft;
  });
}
