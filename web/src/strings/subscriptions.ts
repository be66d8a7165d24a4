// What the pages of subscriptions say.

const UNITS: Readonly<Record<string, string>> = { Daily: "day", Weekly: "week", Monthly: "month", Yearly: "year" };
const isOne = (count: string): boolean => count.trim() === "1";

export const subscriptions = {
  title: "Subscriptions",
  hint: "Recurring invoices.",
  create: "New subscription",
  search: "Search by customer name or code, or subscription ID",
  one: (customer: string) => `Subscription of ${customer}`,
  back: "All subscriptions",
  customer: "Customer",
  repeats: "Repeats",
  amount: "Amount (₹)",
  amountUnknown: "Unknown",
  status: "Status",
  allStates: "Any status",
  next: "Next invoice",
  nextOn: (date: string) => `Next: ${date}`,
  noNext: "None",
  parked: "Needs attention",
  cut: "More than 100 customers match. Showing subscriptions of the 100 newest; type more of the name to narrow it down.",
  parkedTitle: "The next invoice could not be created",
  parkedHint: (retry: string, attempts: number) =>
    `Correct the problem below. It is retried automatically on ${retry} (tried ${attempts === 1 ? "once" : `${attempts} times`} so far).`,
  started: "Starts",
  ends: "Ends",
  never: "Never",
  after: (count: string) => (count === "1" ? "After 1 invoice" : `After ${count} invoices`),
  onDate: (date: string) => `On ${date}`,
  carries: "Previous dues",
  carried: "Carried forward",
  notCarried: "Not carried forward",
  template: "Template",
  created: "Created",
  every: (mode: string, every: string): string => {
    const unit = UNITS[mode] ?? mode;
    return isOne(every) ? `Every ${unit}` : `Every ${every} ${unit}s`;
  },
  each: "Each invoice",
  eachHint: "With current tax rates. Previous dues are added where they are carried forward.",
  notMakeable: "The invoice can't be created as things stand. If its date has come, the reason is shown above.",
  item: "Item",
  code: "HSN/SAC",
  subTotal: "Sub-total",
  total: "Total",
  totals: "Totals",
  tax: (name: string, percentage: string, on: string) => `${name} ${percentage} % on ${on}`,
  upcoming: "Upcoming invoices",
  noUpcoming: "No upcoming invoices.",
  billDate: "Invoice date",
  dueDate: "Due date",
  history: "History",
  changes: "Changes",
  noHistory: "No invoices yet",
  noHistoryHint: "The result of each billing date appears here.",
  number: "No.",
  invoice: "Invoice",
  empty: "No subscriptions yet",
  emptyHint: "A subscription creates the same invoice every month, or on any schedule you choose.",
  emptyHintOfViewers: "A subscription creates the same invoice on a schedule.",
  pause: "Pause",
  pauseText: (next: string) =>
    `No invoices are created until you resume it; the next would have been on ${next}. Invoices already created stay due. When you resume, you choose whether missed dates are billed.`,
  resume: "Resume",
  resumeText: (next: string) => `Billing continues. The next invoice is on ${next}.`,
  resumeMissedText: (count: number, first: string, last: string) =>
    count === 1
      ? `Billing continues. One date was missed, ${first}. It is skipped unless you bill it now.`
      : `Billing continues. ${count} dates were missed, from ${first} to ${last}. They are skipped unless you bill them now.`,
  billMissed: "Bill the missed dates now, each with its own dates",
  cancel: "Cancel subscription",
  cancelText: (next: string) =>
    `No more invoices are created; the one on ${next} will not be. Invoices already created stay due. This can't be undone.`,
  changed: (word: string) => `Subscription ${word.toLowerCase()}.`,
} as const;

export const newSubscription = {
  title: "New subscription",
  hint: "A recurring invoice. Dates and totals are shown before you save.",
  schedule: "Schedule",
  repeatEvery: "Repeat every",
  unit: "Unit",
  units: (mode: string, every: string) => (isOne(every) ? UNITS[mode]! : `${UNITS[mode]!}s`),
  firstBill: "First invoice",
  monthsEnd: "In shorter months, on the last day.",
  firstDue: "First due date",
  ends: "Ends",
  endModes: { Never: "Never", Occurences: "After a number of invoices", "End date": "On a date" },
  occurrences: "Number of invoices",
  endDate: "End date",
  endDateHint: "Including this date.",
  carry: "Carry dues forward",
  carryHint: "Unpaid amounts of earlier invoices are added to the next one.",
  dates: "Upcoming invoices",
  number: "No.",
  billDate: "Invoice date",
  dueDate: "Due date",
  made: "Created",
  madeAtOnce: "When saved",
  madeThen: "On its date",
  counting: "Calculating…",
  datesIncomplete:
    "Dates appear once the schedule is complete. The due date and the end can't be before the first invoice.",
  goesOn: "And so on.",
  allOfThem: (count: number) => (count === 1 ? "1 invoice in total." : `${count} invoices in total.`),
  dueAtOnce: (count: number) =>
    count === 1
      ? "Saving creates one invoice at once, as its date has come."
      : `Saving creates ${count} invoices at once, as their dates have come.`,
  tooMany: "More than 60 invoices would be due by now. Choose a later first invoice.",
  head: "Details",
  headHint: "Shown on every invoice. Your own invoice number is used for the first one only.",
  duesHint: "Not taxed, and billed with the first invoice only.",
  notify: "Send each invoice to the customer when it is created",
  save: "Save subscription",
  saved: (invoices: number) => {
    if (invoices === 0) return "Subscription saved.";
    return invoices === 1
      ? "Subscription saved, 1 invoice created."
      : `Subscription saved, ${invoices} invoices created.`;
  },
  savedAlready:
    "This form was already saved with different content. Check the subscription list before you save again.",
} as const;
