// What the outbox says of invoices.
// What belongs here: which event a change of an invoice is.
import type { Happening } from "../ledger/index.ts";
import type { Invoice, InvoiceStatus } from "./invoice.ts";

const TYPE_OF_STATUS: Readonly<Record<InvoiceStatus, string>> = {
  Unpaid: "invoice.reopened",
  "Partially paid": "invoice.partially_paid",
  "Paid offline": "invoice.paid",
  "Paid online": "invoice.paid",
  Cancelled: "invoice.cancelled",
  "Carried forward": "invoice.carried_forward",
};

/**
 * What became of an invoice whose amounts or dues changed: nothing where it stands as it stood. What is paid may change
 * without a change of status, and so may what it comes to.
 */
export function statusEvents(before: Invoice, after: Invoice): Happening[] {
  const { invoiceId: subjectId } = after;
  if (before.status !== after.status) return [{ type: TYPE_OF_STATUS[after.status], subjectId }];
  if (before.paidPaise !== after.paidPaise) return [{ type: "invoice.partially_paid", subjectId }];
  return before.amountPaise === after.amountPaise ? [] : [{ type: "invoice.updated", subjectId }];
}
