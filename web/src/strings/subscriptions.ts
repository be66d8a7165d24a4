// What the pages of subscriptions say.

const UNITS: Readonly<Record<string, string>> = { Daily: "day", Weekly: "week", Monthly: "month", Yearly: "year" };
const isOne = (count: string): boolean => count.trim() === "1";

export const subscriptions = {
  hint: "Recurring invoices",
  create: "New subscription",
  search: "Search by customer name or code, or subscription ID",
  one: (customer: string) => `Subscription of ${customer}`,
  back: "All subscriptions",
  customer: "Customer",
  repeats: "Repeats",
  amount: "Amount (₹)",
  amountUnknown: "Unknown",
  status: "Status",
  next: "Next invoice",
  nextOn: (date: string) => `Next: ${date}`,
  noNext: "None",
  cut: "More than 100 customers match. Showing subscriptions of the newest 100; type more of the name to narrow the list.",
  parkedTitle: "Couldn't create the next invoice",
  parkedHint: (retry: string, attempts: number) =>
    `Correct the problem below. We’ll try again on ${retry} (tried ${attempts === 1 ? "once" : `${attempts} times`} so far).`,
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
  eachHint: "At current tax rates, before any previous dues",
  notMakeable: "This invoice can't be created right now. If it's due, the reason is shown above.",
  subTotal: "Sub-total",
  total: "Total",
  totals: "Totals",
  tax: (name: string, percentage: string, on: string) => `${name} ${percentage}% on ${on}`,
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
    `No invoices are created until you resume; the next was due on ${next}. Existing invoices stay due. When you resume, you can bill the missed dates.`,
  resume: "Resume",
  resumeText: (next: string) => `Billing continues. The next invoice is on ${next}.`,
  resumeMissedText: (count: number, first: string, last: string) =>
    count === 1
      ? `Billing continues. One date was missed, ${first}. It is skipped unless you bill it now.`
      : `Billing continues. ${count} dates were missed, from ${first} to ${last}. They are skipped unless you bill them now.`,
  billMissed: "Bill the missed dates now",
  cancel: "Cancel subscription",
  cancelText: (next: string) =>
    `No more invoices are created, including the one on ${next}. Existing invoices stay due. This can't be undone.`,
  changed: (word: string) => `Subscription ${word.toLowerCase()}.`,
} as const;

export const newSubscription = {
  title: "New subscription",
  hint: "A recurring invoice. You see dates and totals before you save.",
  schedule: "Schedule",
  repeatEvery: "Repeat every",
  unit: "Unit",
  units: (mode: string, every: string) => (isOne(every) ? UNITS[mode]! : `${UNITS[mode]!}s`),
  firstBill: "First invoice",
  monthsEnd: "On the last day in shorter months",
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
    "Complete the schedule to see the dates. The due date and end date can't be before the first invoice.",
  goesOn: "And so on.",
  allOfThem: (count: number) => (count === 1 ? "1 invoice in total." : `${count} invoices in total.`),
  dueAtOnce: (count: number) =>
    count === 1
      ? "Saving creates one invoice now: its date is today or earlier."
      : `Saving creates ${count} invoices now: their dates are today or earlier.`,
  tooMany: "More than 60 invoices would be due by now. Choose a later first invoice.",
  head: "Details",
  headHint:
    "Shown on every invoice. In texts, {month}, {year} and {period} are filled in for each. Your own invoice number applies to the first one only.",
  duesHint: "No tax added. Billed with the first invoice only.",
  notify: "Send each invoice to the customer when it is created",
  save: "Save subscription",
  saved: (invoices: number) => {
    if (invoices === 0) return "Subscription saved.";
    return invoices === 1
      ? "Subscription saved, 1 invoice created."
      : `Subscription saved, ${invoices} invoices created.`;
  },
  savedAlready:
    "This form was already saved with different details. Check the subscription list before you save again.",
} as const;
