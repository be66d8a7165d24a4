// The words of the lists of payments, credit notes, debit notes and refunds.

export const billingLists = {
  all: "All",
  tooMany: "Too many to total. Filter by date.",
  refundNumber: (id: string) => `payout ${id}`,
  date: "Date",
  invoice: "Invoice",
  customer: "Customer",
  amount: "Amount (₹)",
  status: "Status",
} as const;

export const payments = {
  hint: "Payments received for invoices",
  search: "Search by invoice, customer, reference or amount",
  empty: "No payments yet",
  emptyHint: "Payments you record on invoices appear here.",
  mode: "Mode",
  modes: {
    Cash: "Cash",
    Cheque: "Cheque",
    NEFT: "NEFT",
    RTGS: "RTGS",
    IMPS: "IMPS",
    UPI: "UPI",
    Card: "Card",
    "Write-off": "Write-off",
    Online: "Online",
  },
  reference: "Reference",
  kinds: { recorded: "Recorded", reversed: "Reversed" },
  sums: { amount: "Total received" },
} as const;

export const creditNotes = {
  hint: "Credits and refunds on invoices",
  search: "Search by number, invoice, customer or amount",
  empty: "No credit notes yet",
  emptyHint: "Open an invoice to issue a credit note.",
  number: "Number",
  toRefund: "To refund (₹)",
  kind: "Use",
  kinds: { applied: "Applied to invoice only", refunded: "With a refund", cancelled: "Cancelled" },
  sums: { amount: "Total credited", taxable: "Taxable value", tax: "Tax" },
} as const;

export const debitNotes = {
  hint: "Extra charges on issued invoices",
  search: "Search by number, customer or amount",
  empty: "No debit notes yet",
  emptyHint: "Open an invoice to issue a debit note.",
  number: "Number",
  cancelTitle: (number: string) => `Cancel debit note ${number}?`,
  cancelHint: "Nothing will be due on it, and its number can't be reused. This can't be undone.",
  cancel: "Cancel debit note",
  keep: "Keep it",
  cancelled: "Debit note cancelled.",
} as const;

export const refunds = {
  hint: "Money returned to customers",
  search: "Search by credit note, invoice, customer, UTR or amount",
  empty: "No refunds yet",
  emptyHint: "Open an invoice to refund one of its credit notes.",
  note: "Credit note",
  utr: "UTR",
  kinds: { paid: "Paid", under_way: "In progress", failed: "Failed or reversed" },
  sums: { amount: "Total initiated", paid: "Total paid" },
} as const;
