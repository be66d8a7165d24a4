// What the first page says, a merchant's and an operator's.

export const home = {
  today: (day: string, zone: string) => `${day}, ${zone}`,
  available: "Available",
  availableHint: "What can leave now",
  held: "Held",
  heldHint: "Set aside for payouts on their way",
  ledger: "Ledger",
  ledgerHint: "Available and held together",
  todays: "Today",
  accepted: "Payouts asked for",
  paid: "Paid by the bank",
  returned: "Came back",
  collected: "Collected",
  due: "Due",
  overdue: "Overdue",
  payments: (count: string) => (count === "1" ? "1 payment" : `${count} payments`),
  open: (count: string) => (count === "1" ? "1 invoice" : `${count} invoices`),
  payouts: (count: string) => (count === "1" ? "1 payout" : `${count} payouts`),
  waiting: "Waiting for you",
  nothingWaits: "Nothing waits for you.",
  approvals: (count: number) =>
    count === 1 ? "1 approval to decide" : `${count}${count === 100 ? " or more" : ""} approvals to decide`,
  returnedPayouts: (count: string) =>
    count === "1" ? "1 payout came back in the last 7 days" : `${count} payouts came back in the last 7 days`,
  parked: (count: string) =>
    count === "1" ? "1 subscription can't be billed" : `${count} subscriptions can't be billed`,
  webhooks: (count: number) =>
    count === 1
      ? "1 webhook was switched off, since it kept failing"
      : `${count} webhooks were switched off, since they kept failing`,
  payoutChart: "Payouts of the last 30 days",
  collectionChart: "Collections of the last 30 days",
  billingChart: "Billed and collected in the last 12 months",
  billed: "Billed",
  asOf: (moment: string) => `As of ${moment}`,
  pay: "New transfer",
} as const;

export const operator = {
  merchants: "Merchants",
  search: "Search by name or e-mail",
  name: "Name",
  id: "Number",
  email: "E-mail",
  status: "Status",
  mode: "Mode",
  created: "Since",
  empty: "No merchants yet",
  emptyHint: "Create the first one: it gets an access key and a user who can sign in.",
} as const;
