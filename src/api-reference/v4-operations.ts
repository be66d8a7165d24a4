// The operations of /api/v4: their names in clients, derived from the paths, and their tasks.

/** Exceptions to the rules below. */
export const NAMES: Readonly<Record<string, string>> = {
  "GET /transfers/:transfer_id/attachments": "transfers.attachments.list",
  "POST /go-live": "goLive.start",
  "POST /ledger-check": "ledgerCheck.start",
  "GET /installation/webhooks": "installation.webhooks.list",
  "GET /notification-settings": "notificationSettings.get",
  "GET /book-settings": "bookSettings.get",
  "PUT /bank-account": "profile.updateBankAccount",
  "GET /search": "search.find",
  "POST /invoices/send": "invoices.sendMany",
  "POST /invoices/remind": "invoices.remindMany",
  "POST /subscriptions/dates": "subscriptions.dates",
  "GET /reports/tax-summary": "reports.taxSummary.get",
  "GET /reports/hsn-summary": "reports.hsnSummary.get",
  "GET /reports/document-series": "reports.documentSeries.get",
  "GET /customers/:customer_id/statement/pdf": "customers.statementPdf",
  "GET /franchises/:franchise_id/statement": "franchises.statement.get",
  "GET /franchises/:franchise_id/statement.csv": "franchises.statement.csv",
  "GET /franchises/:franchise_id/statement/pdf": "franchises.statement.pdf",
  "GET /reports/sales-register.csv": "reports.salesRegister.csv",
  "GET /reports/sales-register.xlsx": "reports.salesRegister.xlsx",
  "GET /reports/tax-summary.csv": "reports.taxSummary.csv",
  "GET /reports/tax-summary.xlsx": "reports.taxSummary.xlsx",
  "GET /reports/hsn-summary.csv": "reports.hsnSummary.csv",
  "GET /reports/hsn-summary.xlsx": "reports.hsnSummary.xlsx",
  "GET /reports/document-series.csv": "reports.documentSeries.csv",
  "GET /reports/document-series.xlsx": "reports.documentSeries.xlsx",
  "GET /reports/gst-problems.csv": "reports.gstProblems.csv",
  "GET /reports/gst-problems.xlsx": "reports.gstProblems.xlsx",
  "GET /reports/trial-balance": "reports.trialBalance.get",
  "GET /reports/trial-balance.csv": "reports.trialBalance.csv",
  "GET /reports/trial-balance.xlsx": "reports.trialBalance.xlsx",
  "GET /reports/ageing.csv": "reports.ageing.csv",
  "GET /reports/ageing.xlsx": "reports.ageing.xlsx",
  "GET /reports/day-book.csv": "reports.dayBook.csv",
  "GET /reports/tally-masters.xml": "reports.tallyMasters.xml",
  "GET /reports/tally-vouchers.xml": "reports.tallyVouchers.xml",
  "GET /reports/zoho-customers.csv": "reports.zohoCustomers.csv",
  "GET /reports/zoho-invoices.csv": "reports.zohoInvoices.csv",
  "GET /reports/zoho-credit-notes.csv": "reports.zohoCreditNotes.csv",
  "GET /reports/zoho-payments.csv": "reports.zohoPayments.csv",
};

/** Names of nested objects, in place of those derived from their places. Equal objects share the first name. */
export const V4_SCHEMA_NAMES: Readonly<Record<string, string>> = {
  OpeningBalancesListAnswerOpeningBalancesItem: "OpeningBalance",
};

/** Tasks in the order of the reference, with the first segments of their addresses. */
const TASKS = [
  {
    name: "Manage beneficiaries",
    description: "Who is paid, with bank accounts and UPI handles.",
    segments: ["beneficiaries", "beneficiary-files", "ifsc"],
  },
  {
    name: "Send money",
    description: "Transfers to beneficiaries, withdrawals, batches and scheduled payouts.",
    segments: [
      "transfers",
      "transfer-tags",
      "withdrawals",
      "withdrawal-account",
      "payout-batches",
      "payout-files",
      "scheduled-payouts",
      "stuck-transfers",
    ],
  },
  {
    name: "Approve payments",
    description: "Requests that wait for a second person, and the policy that says which do.",
    segments: ["approvals", "payout-policy"],
  },
  {
    name: "Manage customers",
    description: "Who is billed, in groups and with custom columns.",
    segments: ["customers", "customer-groups", "customer-columns", "customer-files"],
  },
  {
    name: "Keep a catalogue",
    description: "What you sell: items with code, price and tax.",
    segments: ["items", "item-files"],
  },
  {
    name: "Send invoices",
    description: "Invoices, their templates, and messages to customers.",
    segments: [
      "invoices",
      "invoice-drafts",
      "estimates",
      "invoice-files",
      "templates",
      "messages",
      "notification-settings",
      "states",
    ],
  },
  {
    name: "Collect and refund",
    description: "Payments of invoices, receipts, opening balances, credit notes, debit notes and refunds.",
    segments: [
      "payments",
      "receipts",
      "receipt-files",
      "tds-claims",
      "opening-balances",
      "opening-balance-files",
      "credit-notes",
      "debit-notes",
      "refunds",
    ],
  },
  {
    name: "Report taxes",
    description: "Sales register, tax and HSN summary, and document series, for GST returns and accounts.",
    segments: ["reports", "book-settings"],
  },
  { name: "Bill by subscription", description: "Invoices that repeat.", segments: ["subscriptions"] },
  { name: "Share commission", description: "Franchises and what they earn.", segments: ["franchises"] },
  {
    name: "Reconcile",
    description: "The account statement, bank statements, and the audit log.",
    segments: ["statement", "reconciliation", "audit", "search"],
  },
  {
    name: "Receive webhooks",
    description: "Events, and the endpoints that they are delivered to.",
    segments: ["webhooks", "events"],
  },
  {
    name: "Set up a merchant",
    description: "Profile, payout accounts, users, roles and access keys; the sandbox, and going live.",
    segments: [
      "profile",
      "bank-account",
      "payout-accounts",
      "users",
      "roles",
      "access-keys",
      "go-live",
      "clock",
      "fundings",
    ],
  },
  {
    name: "Run an installation",
    description: "For operators: merchants, background jobs and the check of the ledger.",
    segments: ["merchants", "operator-view", "kyc", "usage", "jobs", "ledger-check", "installation"],
  },
] as const;

/** The tags of the document. */
export const V4_TAGS = TASKS.map(({ name, description }) => ({ name, description }));

/** The task of an operation, by its address behind /api/v4. @throws Error for an address of no task */
export function taskOf(path: string): string {
  const [, first = ""] = path.split(/[/.]/);
  const task = TASKS.find(({ segments }) => (segments as readonly string[]).includes(first));
  if (!task) throw new Error(`${path} belongs to no task: add it in v4-operations.ts`);
  return task.name;
}

/**
 * The name of an operation: `transfers.list`, `invoices.creditNotes.create`.
 * @param path behind /api/v4, with `{transfer_id}` for an id
 * @param isPaged whether it answers with a page of a list
 */
export function operationIdOf(method: string, path: string, isPaged: boolean): string {
  const known = NAMES[`${method} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`];
  if (known !== undefined) return known;
  const segments = path.split("/").slice(1);
  const names = segments.filter((segment) => !isParameter(segment)).map(camel);
  const last = segments.at(-1)!;
  const verb = VERBS[method]!;
  // `transfers.csv`, and `result.csv` of a batch.
  const file = /^(.+)\.([a-z]+)$/.exec(last);
  if (file) {
    const [, name = "", extension = ""] = file;
    return segments.length === 1 ? `${camel(name)}.${extension}` : [...names.slice(0, -1), camel(name)].join(".");
  }
  if (isParameter(last)) return [...names, verb].join(".");
  if (method === "GET" && isPaged) return [...names, "list"].join(".");
  if (names.length === 1) return `${names[0]!}.${method === "GET" && isPlural(last) ? "list" : verb}`;
  const [owner, own] = [names.slice(0, -1), names.at(-1)!];
  if (method === "POST" && isPlural(last)) return [...names, verb].join(".");
  return [...owner, method === "GET" || method === "POST" ? own : verb + own[0]!.toUpperCase() + own.slice(1)].join(
    ".",
  );
}

const VERBS: Readonly<Record<string, string>> = { GET: "get", POST: "create", PUT: "update", DELETE: "delete" };

function isParameter(segment: string): boolean {
  return segment.startsWith("{");
}

function isPlural(segment: string): boolean {
  return segment.endsWith("s") && !segment.endsWith("ss");
}

/** `payout-batches` as `payoutBatches`. */
function camel(segment: string): string {
  return segment.replaceAll(/[-_]([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
