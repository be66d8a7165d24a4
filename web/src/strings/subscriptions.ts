// What the pages of subscriptions say.

const UNITS: Readonly<Record<string, string>> = { Daily: "day", Weekly: "week", Monthly: "month", Yearly: "year" };
const isOne = (count: string): boolean => count.trim() === "1";

export const subscriptions = {
  title: "Subscriptions",
  hint: "Invoices that repeat.",
  create: "New subscription",
  search: "Customer's name or code, subscription id",
  one: (customer: string) => `Subscription of ${customer}`,
  back: "All subscriptions",
  customer: "Customer",
  repeats: "Repeats",
  amount: "Amount (₹)",
  amountUnknown: "Not known",
  status: "Status",
  allStates: "All states",
  next: "Next invoice",
  nextOn: (date: string) => `Next: ${date}`,
  noNext: "None to come",
  parked: "Parked",
  cut: "More than 100 customers match. The subscriptions of the 100 newest of them are listed: type more of the name.",
  parkedTitle: "The next invoice could not be made",
  parkedHint: (retry: string, attempts: number) =>
    `Put right what is said here; it is tried again by itself on ${retry} (tried ${attempts === 1 ? "once" : `${attempts} times`} so far).`,
  started: "From",
  ends: "Ends",
  never: "Never",
  after: (count: string) => (count === "1" ? "After 1 invoice" : `After ${count} invoices`),
  onDate: (date: string) => `On ${date}`,
  carries: "Previous dues",
  carried: "Carried forward",
  notCarried: "Stay on their own invoices",
  template: "Template",
  created: "Created",
  every: (mode: string, every: string): string => {
    const unit = UNITS[mode] ?? mode;
    return isOne(every) ? `Every ${unit}` : `Every ${every} ${unit}s`;
  },
  each: "Each invoice",
  eachHint:
    "With the taxes of now, and without dues: those of earlier invoices come on top where they are carried forward.",
  notMakeable: "As things are, the invoice can't be made. Where its day has come, what is wrong is said above.",
  item: "Item",
  code: "HSN/SAC",
  subTotal: "Sub-total",
  total: "Total",
  totals: "What each invoice comes to",
  tax: (name: string, percentage: string, on: string) => `${name} ${percentage} % on ${on}`,
  upcoming: "Invoices to come",
  noUpcoming: "No invoice is to come.",
  billDate: "Invoice date",
  dueDate: "Due date",
  history: "History",
  changes: "Changes",
  noHistory: "No invoice has been made yet",
  noHistoryHint: "What becomes of each date appears here.",
  number: "No.",
  invoice: "Invoice",
  empty: "No subscriptions yet",
  emptyHint:
    "A subscription makes the same invoice again and again, every month or whenever you say. Make the first one.",
  emptyHintOfViewers: "A subscription makes the same invoice again and again. Nobody has made one yet.",
  pause: "Pause",
  pauseText: (next: string) =>
    `No invoice is made until it is resumed: the next would have been that of ${next}. What was billed stays due. On resuming, you decide whether the dates in between are skipped or billed.`,
  resume: "Resume",
  resumeText: (next: string) => `It is billed again: the next invoice is that of ${next}.`,
  resumeMissedText: (count: number, first: string, last: string) =>
    count === 1
      ? `It is billed again. One invoice fell due during the pause, on ${first}: it is skipped, unless you bill it now.`
      : `It is billed again. ${count} invoices fell due during the pause, from ${first} to ${last}: they are skipped, unless you bill them now.`,
  billMissed: "Bill what fell due during the pause as well, each invoice with its own dates",
  cancel: "Cancel subscription",
  cancelText: (next: string) =>
    `No invoice is made any more: that of ${next} will not be. Invoices that were made stay, and are still due. This can't be undone; a new subscription can be made instead.`,
  changed: (word: string) => `The subscription is ${word.toLowerCase()}.`,
} as const;

export const newSubscription = {
  title: "New subscription",
  hint: "An invoice that repeats. Its dates and what it comes to are shown before it is saved.",
  schedule: "When",
  repeatEvery: "Repeat every",
  unit: "Unit",
  units: (mode: string, every: string) => (isOne(every) ? UNITS[mode]! : `${UNITS[mode]!}s`),
  firstBill: "First invoice",
  monthsEnd: "In shorter months, the month's last day.",
  firstDue: "First due date",
  ends: "Ends",
  endModes: { Never: "Never", Occurences: "After a number of invoices", "End date": "On a day" },
  occurrences: "Number of invoices",
  endDate: "Last day",
  endDateHint: "An invoice of that day is still made.",
  carry: "Carry dues forward",
  carryHint: "What is unpaid of its earlier invoices is put onto the next one.",
  dates: "Coming invoices",
  number: "No.",
  billDate: "Invoice date",
  dueDate: "Due date",
  made: "Made",
  madeAtOnce: "When saved",
  madeThen: "On its date",
  counting: "Counting…",
  datesIncomplete:
    "The dates follow as soon as the schedule can be read: a whole number, and a due date and an end that are not before the first invoice.",
  goesOn: "And so on.",
  allOfThem: (count: number) => (count === 1 ? "That is all: one invoice." : `That is all: ${count} invoices.`),
  dueAtOnce: (count: number) =>
    count === 1
      ? "Saving makes one invoice at once: its date has come."
      : `Saving makes ${count} invoices at once: their dates have come.`,
  tooMany: "More than 60 invoices would be due by now. Choose a later first invoice.",
  head: "Header",
  headHint: "These stand on every invoice; an invoice number of your own stands on the first one only.",
  duesHint: "Untaxed, and billed with the first invoice only.",
  notify: "Send each invoice to the customer when it is made",
  save: "Save subscription",
  saved: (invoices: number) => {
    if (invoices === 0) return "The subscription is saved.";
    return invoices === 1
      ? "The subscription is saved, and 1 invoice made."
      : `The subscription is saved, and ${invoices} invoices made.`;
  },
  savedAlready:
    "This form was saved before with other content. Look for the subscription in the list before saving it again.",
} as const;
