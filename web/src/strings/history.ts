// What the history of an invoice or a subscription says.

export const history = {
  earlier: "Show earlier",
  empty: "No history yet.",
} as const;

/** By the type of the audit log's entry. */
export const eventNames: Readonly<Record<string, string>> = {
  "invoice.created": "Created",
  "invoice.updated": "Edited",
  "invoice.commission_terms_kept": "Earlier commission terms kept",
  "invoice.mail_queued": "Mail queued",
  "invoice.reminder_queued": "Reminder queued",
  "invoice.sent": "Sent",
  "invoice.partially_paid": "Partially paid",
  "invoice.paid": "Paid",
  "invoice.reopened": "Reopened",
  "invoice.cancelled": "Cancelled",
  "invoice.carried_forward": "Carried forward",
  "settlement.recorded": "Payment recorded",
  "settlement.reversed": "Payment reversed",
  "credit_note.issued": "Credit note issued",
  "credit_note.cancelled": "Credit note cancelled",
  "credit_note.taken_off_due": "Applied to invoice",
  "credit_note.refund_asked": "Refund started",
  "credit_note.refund_payee_changed": "Refund account changed",
  "debit_note.issued": "Debit note issued",
  "debit_note.cancelled": "Debit note cancelled",
  "subscription.created": "Created",
  "subscription.paused": "Paused",
  "subscription.resumed": "Resumed",
  "subscription.cancelled": "Cancelled",
  "subscription.completed": "Completed",
  "subscription.billed": "Invoice created",
  "subscription.parked": "Billing failed",
};
