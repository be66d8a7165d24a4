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

/** What became of an invoice whose amounts or dues changed: nothing where it stands as it stood. */
export function statusEvents(before: Invoice, after: Invoice): Happening[] {
  const isSame = before.status === after.status && before.paidPaise === after.paidPaise;
  return isSame ? [] : [{ type: TYPE_OF_STATUS[after.status], subjectId: after.invoiceId }];
}
