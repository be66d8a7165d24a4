// What the pages of invoices say: the list, one invoice, its payments and credit notes.

export const invoices = {
  hint: "Invoices to customers, payments and amounts due.",
  create: "New invoice",
  upload: "Upload CSV",
  tabs: {
    label: "Lists of invoices",
    all: "All",
    drafts: "Drafts",
    unpaid: "Unpaid",
    overdue: "Overdue",
    paid: "Paid",
  },
  allUnpaid: "All unpaid",
  allPaid: "All paid",
  search: "Search by number, amount, or customer name, code or mobile",
  empty: "No invoices yet",
  emptyHint: "Create your first invoice. Its number is assigned when you save it.",
  number: "Number",
  customer: "Customer",
  billDate: "Invoice date",
  dueDate: "Due date",
  amount: "Amount (₹)",
  due: "Due (₹)",
  status: "Status",
  anyStatus: "Any status",
  dateKind: "Filter dates by",
  dateKinds: { bill_date: "Invoice date", due_date: "Due date", sent_date: "Sent on", paid_date: "Paid on" },
  franchise: "Franchise",
  anyFranchise: "Any franchise",
  group: "Group",
  anyGroup: "Any group",
  template: "Template",
  anyTemplate: "Any template",
  ofCustomer: (code: string) => `Only invoices for customer ${code}.`,
  overdueBy: (days: number) => (days === 1 ? "1 day overdue" : `${days} days overdue`),
  totals: {
    invoices: "Invoices",
    billed: "Billed",
    paid: "Paid",
    due: "Due",
    hint: "Net of credit notes and previous dues",
    tooMany: "Too many invoices to total. Filter by date or status.",
  },
  cut: "More than 100 customers match. Showing invoices of the newest 100; type more of the name to narrow the list.",
} as const;

type Letter = "send" | "remind";

export const manyInvoices = {
  selectAll: "Select all on this page",
  selectOne: (number: string) => `Select: ${number}`,
  send: "Send",
  remind: "Remind",
  pdfs: "Download PDFs",
  title: (letter: Letter, count: number) =>
    letter === "send"
      ? `Send ${count === 1 ? "1 invoice" : `${count} invoices`}?`
      : `Send ${count === 1 ? "1 reminder" : `${count} reminders`}?`,
  hint: (letter: Letter) =>
    letter === "send"
      ? "We’ll e-mail each customer the PDF and a link."
      : "We’ll remind each customer of the amount due, at most once a day per invoice.",
  due: "Total due:",
  done: (letter: Letter, count: number) =>
    letter === "send"
      ? count === 1
        ? "1 e-mail queued."
        : `${count} e-mails queued.`
      : count === 1
        ? "1 reminder queued."
        : `${count} reminders queued.`,
  refused: (letter: Letter, count: number) =>
    letter === "send"
      ? `${count === 1 ? "1 invoice" : `${count} invoices`} not sent`
      : `${count === 1 ? "1 reminder" : `${count} reminders`} not sent`,
  pdfsMissing: (count: number) =>
    `${count === 1 ? "1 PDF is" : `${count} PDFs are`} missing from the download. See invoices.csv in it for the reasons.`,
} as const;

export const invoice = {
  title: (number: string) => `Invoice ${number}`,
  debitTitle: (number: string) => `Debit note ${number}`,
  original: "Against invoice",
  edit: "Edit",
  duplicate: "Duplicate",
  send: "Send",
  publicPage: "Open customer page",
  copyLink: "Copy customer link",
  pdf: "PDF",
  copy: {
    duplicate: "PDF copy: duplicate (transporter, or supplier of services)",
    triplicate: "PDF copy: triplicate (supplier)",
  },
  pay: "Record payment",
  credit: "Issue credit note",
  debit: "Issue debit note",
  cancel: "Cancel invoice",
  summary: "Summary",
  id: "Invoice ID",
  customer: "Customer",
  email: "E-mail",
  mobile: "Mobile",
  billDate: "Invoice date",
  dueDate: "Due date",
  cycle: "Billing period",
  sent: "Sent on",
  notSent: "Not sent yet",
  created: "Created on",
  franchise: "Franchise",
  commission: "Commission earned",
  total: "Total",
  paid: "Paid",
  credited: "Credited",
  due: "Due",
  amountDue: "Amount due",
  dueOn: (date: string) => `due\u00a0${date}`,
  document: (title: string) => `${title} as its PDF shows it`,
  subscription: "Subscription",
  carriedTo: "Carried forward to",
  estimate: "Estimate",
  rows: "Items",
  rowAmount: "Amount (₹)",
  subTotal: "Sub-total",
  tax: (name: string, percentage: string) => `${name} ${percentage}%`,
  taxOn: (amount: string) => `on ${amount}`,
  previousDues: "Previous dues",
  payments: "Payments",
  noPayments: "No payments yet.",
  paidOn: "Paid on",
  mode: "Mode",
  paymentAmount: "Amount (₹)",
  reference: "Reference",
  state: "State",
  reverse: "Reverse",
  reverseOf: (amount: string, date: string) => `Reverse the payment of ${amount} on ${date}`,
  passedOn: (id: string) => `Part of payment ${id} on a later invoice`,
  creditNotes: "Credit notes",
  debitNotes: "Debit notes",
  noteDate: "Date",
  noteDue: "Due (₹)",
  financial: "Without GST",
  cancelNote: "Cancel",
  cancelNoteOf: (number: string) => `Cancel credit note ${number}`,
  noteNumber: "Number",
  reason: "Reason",
  reducesDue: "Applied to invoice (₹)",
  refund: "To refund (₹)",
  refundedOn: (date: string, count: number) => (count === 1 ? `Refunded on ${date}` : `Refunded, last on ${date}`),
  refundedNote: (amount: string, date: string) => `${amount} refunded on ${date}.`,
  notePdf: "PDF",
  openInvoice: "Open invoice",
  notePdfOf: (number: string) => `PDF of credit note ${number}`,
  payBack: "Refund",
  payBackOf: (number: string) => `Refund credit note ${number}`,
  refundUnderWay: (amount: string) => `${amount} in progress.`,
  refundTransfer: "Transfer",
  refundOwed: (amount: string) => `${amount} left to refund.`,
  history: "History",
  messages: "Messages",
  noMessages: "No messages yet.",
  message: "Message",
  channels: { mail: "E-mail", sms: "SMS", whatsapp: "WhatsApp" },
  recipient: "To",
  when: "Date",
  revisions: "Earlier versions",
  revision: "Version",
  replaced: "Replaced on",
} as const;

export const payment = {
  title: "Record payment",
  saved: "Payment recorded.",
  amount: "Amount",
  due: (amount: string) => `Due: ${amount}`,
  date: "Paid on",
  mode: "Mode",
  bankName: "Bank",
  bankRefNo: "Bank reference (UTR)",
  chequeNo: "Cheque number",
  cashPaidTo: "Cash received by",
  tdsAmount: "TDS deducted",
  tdsHint: "Tax that the customer deducted, beside the amount paid.",
  tdsCode: "TDS payment code",
  notify: "Send the customer a receipt",
  reverseTitle: "Reverse payment",
  reverseHint: "The amount becomes due again, and any commission on it is reversed. The reason stays in the audit log.",
  reason: "Reason",
  reverseSubmit: "Reverse payment",
  reversed: "Payment reversed.",
} as const;

export const writeOff = {
  action: "Write off",
  title: "Write off the rest",
  hint: "Nothing is due on the invoice then. The amount is an expense in your books, and you can reverse it under payments.",
  done: "Written off.",
} as const;

export const creditNote = {
  title: "Issue credit note",
  hint: "Reduces the amount due first. Refund anything above that to the customer.",
  of: "What to credit",
  ofAll: "An amount, spread over all rows",
  ofRows: "Chosen rows, by quantity or amount",
  financial: "An amount without GST (financial credit note)",
  amount: "Amount, GST included",
  amountHint: "Leave empty to credit the full remaining amount.",
  amountNeeded: "Enter an amount.",
  financialAmount: "Amount",
  financialHint: "Changes no GST, and is in no return.",
  rows: "Rows to credit",
  next: "Continue",
  question: (amount: string, inWords: string, number: string) =>
    `Issue a credit note of ${amount} (${inWords}, GST included) for invoice ${number}?`,
  questionOfFinancial: (amount: string, inWords: string, number: string) =>
    `Issue a financial credit note of ${amount} (${inWords}, without GST) for invoice ${number}?`,
  questionOfRows: (number: string, rows: string) =>
    `Issue a credit note for invoice ${number}: ${rows}? GST at the invoice’s rates is added.`,
  questionOfAll: (number: string) => `Issue a credit note for the full remaining amount of invoice ${number}?`,
  reason: "Reason",
  date: "Date",
  dateHint: "Leave empty for today.",
  submit: "Issue credit note",
  saved: (number: string) => `Credit note ${number} issued.`,
} as const;

export const debitNote = {
  title: "Issue debit note",
  hint: "Charges more for rows of this invoice, with GST at its rates. It has its own due date.",
  rows: "Rows to charge more for",
  next: "Continue",
  question: (number: string, rows: string) =>
    `Issue a debit note for invoice ${number}: ${rows}? GST at the invoice’s rates is added.`,
  reason: "Reason",
  date: "Date",
  dateHint: "Leave empty for today.",
  submit: "Issue debit note",
  saved: (number: string) => `Debit note ${number} issued.`,
} as const;

/** The rows of an invoice in a credit note or debit note. */
export const noteRows = {
  hint: "Enter a quantity or an amount. Leave other rows empty.",
  row: (row: number, item: string) => `${row}. ${item}`,
  quantity: "Quantity",
  quantityOf: (row: number, item: string) => `Quantity of ${row}. ${item}`,
  amount: "Amount without GST",
  amountOf: (row: number, item: string) => `Amount without GST of ${row}. ${item}`,
  left: (what: string) => `${what} left`,
  needed: "Enter a quantity or an amount for at least one row.",
  ofQuantity: (row: string, quantity: string) => `${row} × ${quantity}`,
  ofAmount: (row: string, amount: string) => `${row}, ${amount} without GST`,
} as const;

export const cancellingNote = {
  title: (number: string) => `Cancel credit note ${number}?`,
  hint: "The invoice is due again by this much. The number stays used.",
  submit: "Cancel credit note",
  keep: "Keep it",
  done: "Credit note cancelled.",
} as const;

export const refunding = {
  title: (number: string) => `Refund credit note ${number}`,
  hint: "Pays the amount from your balance to the customer's bank account or UPI ID.",
  owed: "To refund",
  to: "Refund to",
  same: (payee: string) => `Same as before: ${payee}`,
  account: "Bank account",
  upi: "UPI ID",
  accountNumber: "Account number",
  ifsc: "IFSC",
  handle: "UPI ID",
  name: "Account holder",
  nameHint: (customer: string) => `Leave empty for ${customer}.`,
  accountInvalid: "4 to 35 letters and digits.",
  ifscInvalid: "4 letters, a 0, and 6 letters or digits.",
  handleInvalid: "For example, name@bank.",
  next: "Continue",
  confirmTitle: "Confirm refund",
  customer: "Customer",
  note: "Credit note",
  confirm: "Refund",
  done: (amount: string) => `Refund of ${amount} started. Track it under Transfers.`,
} as const;

export const sending = {
  title: "Send invoice",
  email: "E-mail address",
  hint: "We'll attach the PDF and add a link to the invoice. The customer's saved address doesn't change.",
  submit: "Send",
  queued: "E-mail queued. See Messages for its status.",
} as const;

export const cancelling = {
  title: "Cancel this invoice?",
  hint: "Nothing will be due on it, and its number can't be reused. This can't be undone.",
  submit: "Cancel invoice",
  keep: "Keep invoice",
  done: "Invoice cancelled.",
} as const;
