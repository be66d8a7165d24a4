// What the history of an invoice or a subscription says.

export const history = {
  when: "When",
  what: "What",
  who: "Who",
  earlier: "Show earlier ones",
  empty: "Nothing is recorded of it.",
} as const;

/** By the type of the audit log's entry; one that is not listed is shown by its type. */
export const eventNames: Readonly<Record<string, string>> = {
  "invoice.created": "Saved",
  "invoice.updated": "Changed",
  "invoice.commission_terms_kept": "Keeps the terms of its franchise",
  "invoice.mail_queued": "Mail queued",
  "invoice.sent": "Sent",
  "invoice.partially_paid": "Partially paid",
  "invoice.paid": "Paid",
  "invoice.reopened": "Due again",
  "invoice.cancelled": "Cancelled",
  "invoice.carried_forward": "Carried forward",
  "settlement.recorded": "Payment recorded",
  "settlement.reversed": "Payment reversed",
  "credit_note.issued": "Credit note issued",
  "credit_note.taken_off_due": "Owed back, and taken off what is due",
  "credit_note.refund_payee_changed": "Refund goes to another account",
  "subscription.created": "Saved",
  "subscription.paused": "Paused",
  "subscription.resumed": "Resumed",
  "subscription.cancelled": "Cancelled",
  "subscription.parked": "An invoice could not be made",
};
