// The words of the lists of payments, credit notes and refunds.

export const billingLists = {
  all: "All",
  count: "Number",
  tooMany: "Too many to add up. Narrow them down by date.",
  refundNumber: (id: string) => `payout ${id}`,
  date: "Date",
  invoice: "Invoice",
  customer: "Customer",
  amount: "Amount (₹)",
  status: "Status",
} as const;

export const payments = {
  title: "Payments",
  hint: "Payments received for invoices.",
  search: "Search by invoice, customer, reference or amount",
  empty: "No payments yet",
  emptyHint: "Payments that you record on an invoice appear here.",
  mode: "Mode",
  modes: {
    Cash: "Cash",
    Cheque: "Cheque",
    NEFT: "NEFT",
    RTGS: "RTGS",
    IMPS: "IMPS",
    UPI: "UPI",
    Card: "Card",
    Online: "Online",
  },
  reference: "Reference",
  kinds: { recorded: "Recorded", reversed: "Reversed" },
  sums: { amount: "Received" },
} as const;

export const creditNotes = {
  title: "Credit notes",
  hint: "Amounts taken off invoices, and what of them is refunded.",
  search: "Search by number, invoice, customer or amount",
  empty: "No credit notes yet",
  emptyHint: "A credit note is issued on the page of its invoice.",
  number: "Number",
  toRefund: "To refund (₹)",
  kind: "Use",
  kinds: { applied: "Applied to invoice only", refunded: "With a refund" },
  sums: { amount: "Credited", taxable: "Taxable value", tax: "Tax" },
} as const;

export const refunds = {
  title: "Refunds",
  hint: "Payouts that give customers their money back.",
  search: "Search by credit note, invoice, customer, UTR or amount",
  empty: "No refunds yet",
  emptyHint: "A refund is started on the invoice, from its credit note.",
  note: "Credit note",
  utr: "UTR",
  kinds: { paid: "Paid", under_way: "In progress", failed: "Failed or returned" },
  sums: { amount: "Initiated", paid: "Paid" },
} as const;
