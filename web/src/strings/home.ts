// What the first page says: a merchant's, a franchise's and an operator's.

export const home = {
  balance: "Available balance",
  balanceChart: "Available balance, last 30 days",
  reserved: (amount: string) => `${amount} reserved for payouts`,
  accepted: "Initiated today",
  paid: "Paid today",
  returned: "Failed or reversed today",
  todaysHint: "Counts today’s events, including payouts started earlier.",
  payouts: (count: string) => (count === "1" ? "1 payout" : `${count} payouts`),
  moved: "Money in and out",
  in: "Money in",
  out: "Money out",
  lastDays: "Last 30 days",
  lastMonths: "Last 6 months",
  movements: "Recent activity",
  allMovements: "View statement",
  noMovements: "No money has moved yet.",
  ages: {
    not_due: "Not due",
    days_1_to_30: "1–30 days",
    days_31_to_60: "31–60 days",
    days_61_to_90: "61–90 days",
    over_90_days: "Over 90 days",
  },
  debtors: "Who owes most",
  waiting: "Needs your attention",
  approvals: (count: number) =>
    count === 1 ? "1 pending approval" : `${count}${count === 100 ? " or more" : ""} pending approvals`,
  returnedPayouts: (count: string) =>
    count === "1"
      ? "1 payout failed or was reversed in the last 7 days"
      : `${count} payouts failed or were reversed in the last 7 days`,
  parked: (count: string) =>
    count === "1" ? "1 subscription couldn't be billed" : `${count} subscriptions couldn't be billed`,
  webhooks: (count: number) =>
    count === 1 ? "1 webhook disabled after repeated failures" : `${count} webhooks disabled after repeated failures`,
  stuck: (count: number) =>
    count === 1 ? "1 payout without a final status" : `${count} payouts without a final status`,
  overdueInvoices: (count: string, amount: string) =>
    count === "1" ? `1 invoice is overdue: ${amount}` : `${count} invoices are overdue: ${amount}`,
  unmatchedLines: (count: number) =>
    count === 1 ? "1 bank line to match" : `${count}${count === 100 ? " or more" : ""} bank lines to match`,
  differentLines: (count: number) =>
    count === 1
      ? "1 bank line differs from the ledger"
      : `${count}${count === 100 ? " or more" : ""} bank lines differ from the ledger`,
  gstProblems: (count: number) =>
    count === 1 ? "1 GST problem to correct" : `${count}${count === 100 ? " or more" : ""} GST problems to correct`,
  billingChart: "Billed and collected",
  billed: "Billed",
  collected: "Collected",
  pay: "New transfer",
  bill: "New invoice",
} as const;

export const start = {
  title: "Get started",
  progress: (done: number, all: number) => `${done} of ${all} done`,
  dismiss: "Dismiss",
  done: "Done",
  steps: {
    company: { name: "Complete your company details", hint: "Your address appears on every invoice.", link: "Company" },
    bank: { name: "Add your bank account", hint: "Withdrawals are paid into it.", link: "Company" },
    provider: {
      name: "Connect a payout account",
      hint: "Nothing can be paid until one is connected.",
      link: "Payout accounts",
    },
    template: {
      name: "Customise your invoice template",
      hint: "Add your logo, terms and signatory.",
      link: "Templates",
    },
    invoice: {
      name: "Create your first invoice",
      hint: "Save it, then send it or share its link.",
      link: "New invoice",
    },
    second_factor: {
      name: "Turn on two-factor authentication",
      hint: "So that a password alone can't move money.",
      link: "Security",
    },
  },
} as const;

export const testPayees = {
  title: "Sandbox test accounts",
  hint: "Pay one of these to try each outcome. Any other valid account gets paid.",
  outcome: "Outcome",
  account: "Account number or UPI ID",
  ifsc: "IFSC",
  add: "New beneficiary",
  outcomes: {
    success: "Paid at once",
    failure: "Fails; the amount is returned to you",
    return: "Paid, then returned by the bank",
    late_success: "Pending, then paid",
    pending: "Stays pending",
  },
} as const;

export const franchiseHome = {
  hint: (merchant: string) => `Your franchise at ${merchant}`,
  earned: "Commission earned",
  paid: "Paid to you",
  due: "Due to you",
  underWay: (amount: string) => `In progress: ${amount}`,
  notUnderWay: "No payouts in progress",
  soFar: "So far",
  commission: "Commission and payouts",
  unpaid: "Unpaid invoices",
  noUnpaid: "Every invoice is paid.",
  all: "All invoices",
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
  emptyHint: "Create your first merchant. It comes with an access key and a user.",
} as const;
