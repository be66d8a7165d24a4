// What the pages of invoices say: the list, one invoice, its payments and credit notes.

export const invoices = {
  title: "Invoices",
  hint: "Invoices to customers, payments and amounts due.",
  create: "New invoice",
  upload: "Upload CSV",
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
  actions: "Actions",
  actionsOf: (number: string) => `Actions for ${number}`,
  ofCustomer: (code: string) => `Invoices of customer ${code} only.`,
  overdueBy: (days: number) => (days === 1 ? "1 day overdue" : `${days} days overdue`),
  totals: {
    invoices: "Invoices",
    billed: "Billed",
    paid: "Paid",
    due: "Due",
    hint: "Billed leaves out previous dues, and what credit notes took off: it can be less than the sum of the amounts below.",
    tooMany: "Too many invoices to total. Filter by date or status.",
  },
  cut: "More than 100 customers match. Showing invoices of the 100 newest; type more of the name to narrow it down.",
} as const;

type Letter = "send" | "remind";

export const manyInvoices = {
  selected: (count: number) => (count === 1 ? "1 selected" : `${count} selected`),
  selectHint: "Select invoices to send, remind or download several at once.",
  pdfHint: "Select invoices to download several at once.",
  selectAll: "Select all on this page",
  selectOne: (number: string) => `Select: ${number}`,
  send: "Send",
  remind: "Remind",
  pdfs: "Download PDFs",
  title: (letter: Letter, count: number) =>
    letter === "send"
      ? `Send ${count === 1 ? "1 invoice" : `${count} invoices`}?`
      : `Remind of ${count === 1 ? "1 invoice" : `${count} invoices`}?`,
  hint: (letter: Letter) =>
    letter === "send"
      ? "Each goes to its customer’s e-mail address, with the PDF and a link."
      : "Each customer gets a reminder of the amount due, at most one a day for an invoice.",
  due: "Due on these invoices:",
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
      ? `${count === 1 ? "1 invoice was" : `${count} invoices were`} not sent`
      : `No reminder of ${count === 1 ? "1 invoice" : `${count} invoices`}`,
  pdfsMissing: (count: number) =>
    `${count === 1 ? "1 PDF is" : `${count} PDFs are`} missing in the file. invoices.csv in it says which, and why.`,
} as const;

export const invoice = {
  title: (number: string) => `Invoice ${number}`,
  edit: "Edit",
  duplicate: "Duplicate",
  send: "Send",
  publicPage: "Open customer page",
  copyLink: "Copy customer link",
  pdf: "PDF",
  pay: "Record payment",
  credit: "Issue credit note",
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
  due: "Due",
  subscription: "Subscription",
  carriedTo: "Carried forward to",
  rows: "Items",
  item: "Item",
  code: "HSN/SAC",
  gst: "GST",
  rowAmount: "Amount (₹)",
  subTotal: "Sub-total",
  tax: (name: string, percentage: string) => `${name} ${percentage} %`,
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
  noteNumber: "Number",
  reason: "Reason",
  reducesDue: "Applied to invoice (₹)",
  refund: "To refund (₹)",
  refundedOn: (date: string, count: number) => (count === 1 ? `Refunded on ${date}` : `Refunded, last on ${date}`),
  refundedNote: (amount: string, date: string) => `${amount} refunded on ${date}.`,
  notePdf: "PDF",
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
  page: "Customer page",
  pageHint: "As the customer sees it.",
  showPage: "Show page",
  pageTitle: "Customer page of the invoice",
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
  notify: "Send the customer a receipt",
  submit: "Record payment",
  next: "Continue",
  question: (amount: string, inWords: string, mode: string, number: string) =>
    `Record ${amount} (${inWords}), ${mode}, for invoice ${number}?`,
  reverseTitle: "Reverse payment",
  reverseHint: "The amount becomes due again, and commission on it is reversed. The reason is kept in the audit log.",
  reason: "Reason",
  reverseSubmit: "Reverse payment",
  reversed: "Payment reversed.",
} as const;

export const creditNote = {
  title: "Issue credit note",
  hint: "Reduces the amount due first. Anything above that is to be refunded to the customer.",
  amount: "Amount, GST included",
  amountHint: "Leave empty to credit the full remaining amount.",
  next: "Continue",
  question: (amount: string, inWords: string, number: string) =>
    `Issue a credit note of ${amount} (${inWords}, GST included) for invoice ${number}? It can’t be taken back.`,
  questionOfAll: (number: string) =>
    `Issue a credit note of the full remaining amount of invoice ${number}? It can’t be taken back.`,
  reason: "Reason",
  date: "Date",
  dateHint: "Leave empty for today.",
  submit: "Issue credit note",
  saved: (number: string) => `Credit note ${number} issued.`,
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
  done: (amount: string) => `Refund of ${amount} started. Follow it in its transfer.`,
} as const;

export const sending = {
  title: "Send invoice",
  email: "E-mail address",
  hint: "The e-mail has the PDF and a link to the invoice. The customer's saved address does not change.",
  submit: "Send",
  queued: "E-mail queued. See Messages for its status.",
} as const;

export const cancelling = {
  title: "Cancel this invoice?",
  hint: "Nothing will be due on it any more. Its number can't be used again, and this can't be undone.",
  submit: "Cancel invoice",
  keep: "Keep invoice",
  done: "Invoice cancelled.",
} as const;
