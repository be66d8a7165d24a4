import { auditChange, auditValues, type NewEvent } from "../ledger/index.ts";
import type { InvoiceHead, InvoiceStatus } from "./invoice.ts";

const TYPE_OF_STATUS: Readonly<Record<InvoiceStatus, string>> = {
  Unpaid: "invoice.reopened",
  "Partially paid": "invoice.partially_paid",
  "Paid offline": "invoice.paid",
  "Paid online": "invoice.paid",
  Cancelled: "invoice.cancelled",
  "Carried forward": "invoice.carried_forward",
};

/**
 * The events of a new invoice (`before` is `null`), or of one whose amounts or dues changed; empty if neither did. The paid
 * amount and the total may change without a change of status.
 */
export function statusEvents(before: InvoiceHead | null, after: InvoiceHead): NewEvent[] {
  if (before === null) return [createdEvent(after)];
  const event = (type: string): NewEvent[] => [
    { type, subjectId: after.invoiceId, ...auditChange(amountsOf(before), amountsOf(after)) },
  ];
  if (before.status !== after.status) return event(TYPE_OF_STATUS[after.status]);
  if (before.paidPaise !== after.paidPaise) return event("invoice.partially_paid");
  return before.amountPaise === after.amountPaise ? [] : event("invoice.updated");
}

function amountsOf(invoice: InvoiceHead) {
  const { status, amountPaise, paidPaise, creditedPaise, previousDuesPaise, paidDate, carriedTo } = invoice;
  return { status, amountPaise, paidPaise, creditedPaise, previousDuesPaise, paidDate, carriedTo };
}

/** A new invoice and its amounts. Its rows are in the invoice, which stores each revision. */
function createdEvent(invoice: InvoiceHead): NewEvent {
  const { invoiceNumber, customerId, franchiseId, templateId, billDate, dueDate, amountPaise, previousDuesPaise } =
    invoice;
  const summary = { invoiceNumber, customerId, franchiseId, templateId, billDate, dueDate, amountPaise };
  return {
    type: "invoice.created",
    subjectId: invoice.invoiceId,
    after: auditValues({ ...summary, previousDuesPaise }),
  };
}
