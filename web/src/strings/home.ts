// What the first page says, a merchant's and an operator's.

export const home = {
  today: (day: string, zone: string) => `${day}, ${zone}`,
  available: "Available",
  availableHint: "Available to pay out",
  held: "Reserved",
  heldHint: "Reserved for payouts in progress",
  ledger: "Total balance",
  ledgerHint: "Available and reserved",
  todays: "Today",
  accepted: "Payouts initiated",
  paid: "Paid",
  returned: "Failed or returned",
  collected: "Collected",
  due: "Due",
  overdue: "Overdue",
  payments: (count: string) => (count === "1" ? "1 payment" : `${count} payments`),
  open: (count: string) => (count === "1" ? "1 invoice" : `${count} invoices`),
  payouts: (count: string) => (count === "1" ? "1 payout" : `${count} payouts`),
  waiting: "Needs your attention",
  nothingWaits: "Nothing needs your attention.",
  approvals: (count: number) =>
    count === 1 ? "1 pending approval" : `${count}${count === 100 ? " or more" : ""} pending approvals`,
  returnedPayouts: (count: string) =>
    count === "1"
      ? "1 payout failed or was returned in the last 7 days"
      : `${count} payouts failed or were returned in the last 7 days`,
  parked: (count: string) =>
    count === "1" ? "1 subscription could not be billed" : `${count} subscriptions could not be billed`,
  webhooks: (count: number) =>
    count === 1
      ? "1 webhook was disabled after repeated failures"
      : `${count} webhooks were disabled after repeated failures`,
  payoutChart: "Payouts, last 30 days",
  collectionChart: "Collections, last 30 days",
  billingChart: "Billed and collected, last 12 months",
  billed: "Billed",
  asOf: (moment: string) => `As of ${moment}`,
  pay: "New transfer",
} as const;

export const operator = {
  merchants: "Merchants",
  search: "Search by name or e-mail",
  name: "Name",
  id: "Merchant ID",
  email: "E-mail",
  status: "Status",
  mode: "Mode",
  created: "Created on",
  empty: "No merchants yet",
  emptyHint: "Create the first one. It gets an access key and a user who can sign in.",
} as const;
