// What the pages about customers say.
import type { CustomerTexts } from "../../../src/customers/customer-members.ts";

export const customers = {
  add: "New customer",
  importFile: "Import file",
  groups: "Groups",
  columns: "Custom fields",
  /** By their names in the API. */
  fields: {
    customer_code: "Code",
    customer_name: "Name",
    email: "E-mail",
    mobile: "Mobile",
    address: "Address",
    city: "City",
    state: "State",
    zipcode: "PIN code",
    country: "Country",
    gst_category: "GST category",
    pan: "PAN",
  } satisfies CustomerTexts,
  panOfGstin: (pan: string) => `${pan} (from the GSTIN)`,
  unchanged: (masked: string) => `Leave empty to keep ${masked}`,
  group: "Group",
  ofGroups: "Groups",
  groupsHint: "Type a name and press Enter. A new name creates a group.",
  added: "Added on",
  anyGroup: "Any group",
  search: "Search by name, code, mobile, e-mail or city",
  empty: "No customers yet",
  emptyHint: "Add your first customer, or import them from a spreadsheet.",
  save: "Save",
  saved: "Saved",
  edit: "Edit",
  subscriptions: "Subscriptions",
  newSubscription: "New subscription",
  newInvoice: "New invoice",
  editTitle: (name: string) => `Edit ${name}`,
  tabs: {
    overview: "Overview",
    invoices: "Invoices",
    receipts: "Receipts",
    statement: "Statement",
    messages: "Messages",
  },
  contact: "Contact",
  custom: "Custom fields",
  account: "Account",
  billed: "Billed",
  due: "Due",
  overdue: "Overdue",
  dueRupees: "Due (₹)",
  overdueRupees: "Overdue (₹)",
  duesTabs: { label: "Balance", owing: "Owing", overdue: "Overdue", advance: "With an advance" },
  ofThatOverdue: (amount: string) => `${amount} overdue`,
  advanceRupees: "Advance (₹)",
  invoiceCount: "Invoices",
  activity: "Recent activity",
  invoiceNamed: (number: string) => `Invoice ${number}`,
  paymentReceived: "Payment received",
  paymentReversed: "Payment reversed",
  allFilters: "More filters",
  noMessagesHint: "Invoices, receipts, reminders and statements that we send this customer appear here.",
  noInvoices: "No invoices yet",
  changed: "Last changed",
} as const;

export const gstinAndState = {
  gstin: "GSTIN",
  gstinHint: "We use the GSTIN's state to apply CGST/SGST or IGST.",
  gstinWarning: "This GSTIN's check digit is wrong. Check it, or save it anyway.",
  beginsWith: (code: string, state: string) => `Starts with ${code} (${state}).`,
  wrongDigit: "Wrong check digit",
  noState: "Unknown",
} as const;

export const customerGroups = {
  hint: "Customers can be in several groups. Assign groups when you edit a customer or import a file.",
  name: "Group name",
  customers: "Customers",
  add: "New group",
  rename: "Rename",
  renameTitle: (name: string) => `Rename ${name}`,
  empty: "No groups yet",
  emptyHint: "Use groups to find related customers and invoices.",
  saved: "Saved",
} as const;

export const customerColumns = {
  hint: "Extra customer details, such as a contract number. Fields can't be changed once added.",
  name: "Field name",
  type: "Type",
  id: "Field ID",
  add: "New custom field",
  empty: "No custom fields yet",
  emptyHint: "A GSTIN field sets the customer's state for tax on invoices.",
  saved: "Saved",
  types: {
    text: "Text (one line)",
    textarea: "Text (several lines)",
    number: "Number",
    date: "Date",
    gst: "GSTIN",
    company_name: "Company name",
    email: "E-mail",
    mobile: "Mobile number",
  },
} as const;

export const customerImport = {
  title: "Import customers",
  hint: "From a CSV file. You review it before anything is saved.",
  limits: "Up to 10,000 customers",
  good: (count: number) =>
    count === 1 ? "1 row ready to import" : `${count.toLocaleString("en-IN")} rows ready to import`,
  bad: (count: number) => (count === 1 ? "1 row with errors" : `${count.toLocaleString("en-IN")} rows with errors`),
  ignored: (names: string) => `Ignored columns: ${names}.`,
  more: (count: number) => `${count.toLocaleString("en-IN")} more errors. Correct these first.`,
  importGood: (count: number) =>
    count === 1 ? "Import 1 customer" : `Import ${count.toLocaleString("en-IN")} customers`,
  importNone: "Don't import",
  onlyGood: "Rows with errors are skipped. To include them, correct the file and choose it again.",
  progress: (done: number, all: number) =>
    `${done.toLocaleString("en-IN")} of ${all.toLocaleString("en-IN")} customers saved`,
  done: (count: number) =>
    count === 1 ? "1 customer imported" : `${count.toLocaleString("en-IN")} customers imported`,
  doneHint: "They are at the top of the customer list.",
  toList: "View customers",
  again: "Try again",
  another: "Import another file",
} as const;

export const customerPicker = {
  label: "Customer",
  placeholder: "Type a name or a code",
  nothing: "No customer found",
  clear: "Clear customer",
} as const;
