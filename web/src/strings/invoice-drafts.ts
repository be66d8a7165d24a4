// What the pages about drafts of invoices say.

export const invoiceDrafts = {
  title: "Drafts",
  hint: "Unfinished invoices, shared with your colleagues. They have no number and aren't counted anywhere.",
  customer: "Customer",
  noCustomer: "No customer yet",
  name: "Name",
  amount: "Amount (₹)",
  savedBy: "Saved by",
  savedAt: "Saved",
  search: "Search by customer or name",
  empty: "No drafts yet",
  emptyHint: "Choose “Save as draft” while you write an invoice, and you or a colleague can finish it later.",
  saveAs: "Save as draft",
  save: "Save draft",
  saved: "Draft saved",
  pageTitle: "Draft invoice",
  pageHint: (name: string, when: string) =>
    `Last saved by ${name}, ${when}. The number is assigned when you save the invoice.`,
  someone: "someone else",
  issued: "This draft is an invoice already.",
  toInvoice: "View invoice",
  remove: "Delete draft",
  removeTitle: "Delete this draft?",
  removeText: "It is deleted for your colleagues too.",
  removed: "Draft deleted",
} as const;
