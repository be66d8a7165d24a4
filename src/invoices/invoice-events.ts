// What the outbox says of invoices.
// What belongs here: which event a change of an invoice is.
import { auditChange, auditValues, type Happening } from "../ledger/index.ts";
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
  const told = (type: string): Happening[] => [
    { type, subjectId: after.invoiceId, ...auditChange(standingOf(before), standingOf(after)) },
  ];
  if (before.status !== after.status) return told(TYPE_OF_STATUS[after.status]);
  if (before.paidPaise !== after.paidPaise) return told("invoice.partially_paid");
  return before.amountPaise === after.amountPaise ? [] : told("invoice.updated");
}

/** A new invoice: what it comes to. Its rows are in the invoice, which keeps what it was at each change. */
export function createdEvent(invoice: Invoice): Happening {
  return { type: "invoice.created", subjectId: invoice.invoiceId, after: auditValues(summaryOf(invoice)) };
}

/** What an operator or a request has replaced in an invoice. */
export function updatedEvent(before: Invoice, after: Invoice): Happening {
  return { type: "invoice.updated", subjectId: after.invoiceId, ...auditChange(before, after) };
}

function summaryOf(invoice: Invoice) {
  const { invoiceNumber, customerId, franchiseId, templateId, billDate, dueDate, amountPaise, previousDuesPaise } =
    invoice;
  return { invoiceNumber, customerId, franchiseId, templateId, billDate, dueDate, amountPaise, previousDuesPaise };
}

function standingOf(invoice: Invoice) {
  const { status, amountPaise, paidPaise, creditedPaise, previousDuesPaise, paidDate, carriedTo } = invoice;
  return { status, amountPaise, paidPaise, creditedPaise, previousDuesPaise, paidDate, carriedTo };
}
