// What the pages say about opening balances: what customers owe from before.

export const openingBalance = {
  name: "Opening balance",
  title: (number: string) => `Opening balance ${number}`,
  add: "Add opening balance",
  edit: "Edit opening balance",
  hint: "What the customer owed before you billed here. It is due, but it isn't an invoice: no tax, and in no GST report.",
  date: "As of",
  dateHint: "The day from which the amount was owed",
  amount: "Amount owed",
  dueDate: "Due date",
  dueDateHint: "Leave empty if it was due on that day",
  reference: "Reference",
  referenceHint: "Such as its number in your earlier software",
  note: "Note",
  save: "Save",
  saved: "Opening balance saved",
  cancel: "Cancel opening balance",
  cancelTitle: "Cancel this opening balance?",
  cancelHint: "Nothing will be due on it. You can add another afterwards. This can't be undone.",
  keep: "Keep opening balance",
  cancelled: "Opening balance cancelled.",
} as const;

export const openingBalanceImport = {
  title: "Import opening balances",
  hint: "From a CSV file of what your customers owe. You review it before anything is saved.",
  limits: "Up to 10,000 opening balances of customers that you have already saved",
  good: (count: number) =>
    count === 1 ? "1 row ready to import" : `${count.toLocaleString("en-IN")} rows ready to import`,
  bad: (count: number) => (count === 1 ? "1 row with errors" : `${count.toLocaleString("en-IN")} rows with errors`),
  ignored: (names: string) => `Ignored columns: ${names}.`,
  more: (count: number) => `${count.toLocaleString("en-IN")} more errors. Correct these first.`,
  importGood: (count: number) =>
    count === 1 ? "Import 1 opening balance" : `Import ${count.toLocaleString("en-IN")} opening balances`,
  importNone: "Don't import",
  onlyGood: "Rows with errors are skipped. To include them, correct the file and choose it again.",
  progress: (done: number, all: number) =>
    `${done.toLocaleString("en-IN")} of ${all.toLocaleString("en-IN")} opening balances saved`,
  done: (count: number) =>
    count === 1 ? "1 opening balance imported" : `${count.toLocaleString("en-IN")} opening balances imported`,
  doneHint: "Each is on its customer's page, and among the invoices.",
  toList: "View customers",
  again: "Try again",
  another: "Import another file",
  rows: "Rows to import",
  customer: "Customer",
  firstRows: (count: number) => `${count.toLocaleString("en-IN")} more rows`,
} as const;
