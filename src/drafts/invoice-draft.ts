// Drafts of invoices: type, and rules that need no database. docs/rules/drafts.md
import { auditChange, auditValues, type NewEvent } from "../ledger/index.ts";
import { formatInvoiceId } from "../invoices/index.ts";
import type { MerchantKey } from "../merchants/index.ts";
import { NodalError } from "../platform/errors.ts";
import type { JsonObject } from "../platform/json.ts";

export type DraftKey = MerchantKey & { readonly draftId: bigint };

export type InvoiceDraft = DraftKey & {
  readonly title: string;
  /** `null` for the merchant's default template. */
  readonly templateId: bigint | null;
  /** The code of its customer; "" for none. */
  readonly customerCode: string;
  /** The invoice object of a request as far as it is filled in; `{}` once the invoice is issued. */
  readonly invoice: JsonObject;
  /** The invoice's amount at the last save; `null` if it can't be computed. */
  readonly amountPaise: bigint | null;
  readonly version: number;
  /** Actors, as in the audit log. */
  readonly createdBy: string;
  readonly updatedBy: string;
  /** The invoice created from it. */
  readonly invoiceId: bigint | null;
  readonly createdAt: Temporal.Instant;
  readonly updatedAt: Temporal.Instant;
};

/** A draft in the audit log, without its request, which is large and holds personal data. */
const factsOf = ({ title, customerCode, amountPaise, version }: InvoiceDraft) => {
  return { title, customerCode, amountPaise, version };
};

export function createdEvent(draft: InvoiceDraft): NewEvent {
  return { type: "invoice_draft.created", subjectId: draft.draftId, after: auditValues(factsOf(draft)) };
}

export function changedEvent(before: InvoiceDraft, after: InvoiceDraft): NewEvent {
  const change = auditChange(factsOf(before), factsOf(after));
  return { type: "invoice_draft.changed", subjectId: after.draftId, ...change };
}

export function issuedEvent({ draftId: subjectId }: InvoiceDraft, invoiceId: bigint): NewEvent {
  return { type: "invoice_draft.issued", subjectId, after: { invoice_id: formatInvoiceId(invoiceId) } };
}

export function deletedEvent(draft: InvoiceDraft): NewEvent {
  return { type: "invoice_draft.deleted", subjectId: draft.draftId, before: auditValues(factsOf(draft)) };
}

export function draftNotFound(): NodalError {
  return new NodalError(
    "draft_not_found",
    "Draft not found. Look for it in the list of drafts; a colleague may have deleted it.",
  );
}

/** @throws NodalError `draft_issued`, which names the invoice */
export function requireOpen({ invoiceId }: InvoiceDraft): void {
  if (invoiceId === null) return;
  const id = formatInvoiceId(invoiceId);
  throw new NodalError("draft_issued", `This draft was issued as invoice ${id}: open that invoice.`, {
    details: { invoice_id: id },
  });
}
