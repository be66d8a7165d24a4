// What the pages about estimates say.

export const estimates = {
  create: "New estimate",
  number: "Estimate",
  customer: "Customer",
  date: "Estimate date",
  validUntil: "Valid until",
  status: "Status",
  amount: "Amount (₹)",
  search: "Search by number or customer",
  empty: "No estimates yet",
  emptyHint: "Send a customer your price first. An estimate isn't in your books until you turn it into an invoice.",
} as const;

export const estimateForm = {
  newTitle: "New estimate",
  newHint: "The estimate number is assigned when you save.",
  editTitle: (number: string) => `Edit estimate ${number}`,
  editHint: "The number stays the same.",
  notEditable: "This estimate can't be edited: it became an invoice, or was declined.",
  backToEstimate: "Back to estimate",
  customer: "Estimate for",
  date: "Estimate date",
  validUntil: "Valid until",
  dueDays: "Days to pay",
  dueDaysHint: "From the date of the invoice",
  save: "Save estimate",
  saved: (number: string) => `Saved as ${number}.`,
  savedAlready:
    "This form was already saved with different details. Check the list of estimates before you save again.",
  changed: "Estimate saved.",
} as const;

export const estimate = {
  title: (number: string) => `Estimate ${number}`,
  summary: "Summary",
  make: "Make invoice",
  made: (number: string) => `Invoice ${number} made.`,
  notMade: "Couldn't make the invoice",
  edit: "Edit",
  decline: "Decline",
  declineTitle: (number: string) => `Decline estimate ${number}?`,
  declineHint: "A declined estimate can't be changed, and can't become an invoice.",
  declined: "Estimate declined.",
  reason: "Reason",
  expired: (date: string) =>
    `This estimate was valid until ${date}. To make its invoice, edit it and choose a later date.`,
  customer: "Customer",
  date: "Estimate date",
  validUntil: "Valid until",
  dueDays: "Time to pay",
  days: (days: number) => (days === 0 ? "On receipt" : days === 1 ? "1 day" : `${days} days`),
  invoice: "Invoice",
  created: "Created",
  pdf: "PDF",
  tax: (name: string, rate: string, base: string) => `${name} ${rate}% on ${base}`,
  page: "Estimate as printed",
  pageHint: "Send the PDF to your customer. It has no payment link.",
  pageTitle: "Estimate as the customer will see it",
  showPage: "Show estimate",
} as const;
