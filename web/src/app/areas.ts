// Every page of the dashboard: its address, the permission that it asks for, its module, and its place in the navigation.
import { operator } from "../strings/home.ts";
import { navigationGroups, shell } from "../strings/shell.ts";
import { reportTitles, titles } from "../strings/titles.ts";
import type { AreaPage, NavigationGroup } from "./area.ts";

type Row = readonly [AreaPage["path"], AreaPage["permission"], AreaPage["load"], NavigationGroup?, string?];

const pagesFor = (audience: AreaPage["audience"], rows: readonly Row[]): AreaPage[] =>
  rows.map(([path, permission, load, group, label]) => {
    return { audience, path, permission, load, ...(group && label ? { entry: { group, label } } : {}) };
  });

const customerForm = () => import("../pages/customers/customer-form-page.tsx");
const estimateForm = () => import("../pages/estimates/form-page.tsx");
const invoiceForm = () => import("../pages/invoices/form-page.tsx");
const itemForm = () => import("../pages/items/item-form-page.tsx");
const transferPage = () => import("../pages/payouts/transfer-page.tsx");

const report = (name: keyof typeof reportTitles, load: AreaPage["load"]): Row => [
  `/reports/${name}`,
  "invoices.view",
  load,
  "reports",
  reportTitles[name],
];

const OF_MERCHANTS: readonly Row[] = [
  ["/", null, () => import("../pages/home/home-page.tsx"), "top", shell.home],

  ["/transfers", "payouts.view", () => import("../pages/payouts/transfers-page.tsx"), "payouts", titles.transfers],
  ["/transfers/new", "payouts.transfer", () => import("../pages/payouts/new-transfer-page.tsx")],
  ["/transfers/attention", "payouts.view", () => import("../pages/payouts/attention-page.tsx")],
  ["/transfers/$transferId", "payouts.view", transferPage],
  ["/bulk-payouts", "payouts.view", () => import("../pages/payouts/bulk-page.tsx"), "payouts", titles.bulk],
  ["/bulk-payouts/new", "payouts.transfer", () => import("../pages/payouts/bulk-upload-page.tsx")],
  ["/bulk-payouts/scheduled", "payouts.view", () => import("../pages/payouts/scheduled-page.tsx")],
  ["/bulk-payouts/$batchId", "payouts.view", () => import("../pages/payouts/bulk-batch-page.tsx")],
  [
    "/withdrawals",
    "payouts.view",
    () => import("../pages/payouts/withdrawals-page.tsx"),
    "payouts",
    titles.withdrawals,
  ],
  ["/withdrawals/new", "payouts.withdraw", () => import("../pages/payouts/new-withdrawal-page.tsx")],
  ["/withdrawals/$transferId", "payouts.view", transferPage],
  [
    "/beneficiaries",
    "beneficiaries.view",
    () => import("../pages/payouts/beneficiaries-page.tsx"),
    "payouts",
    titles.beneficiaries,
  ],
  ["/beneficiaries/new", "beneficiaries.manage", () => import("../pages/payouts/new-beneficiary-page.tsx")],
  ["/beneficiaries/import", "beneficiaries.manage", () => import("../pages/payouts/import-beneficiaries-page.tsx")],
  ["/beneficiaries/$beneficiaryId", "beneficiaries.view", () => import("../pages/payouts/beneficiary-page.tsx")],
  ["/statement", "statement.view", () => import("../pages/payouts/statement-page.tsx"), "payouts", titles.statement],
  [
    "/reconciliation",
    "statement.view",
    () => import("../pages/payouts/reconciliation-page.tsx"),
    "payouts",
    titles.reconciliation,
  ],
  ["/reconciliation/import", "reconciliation.manage", () => import("../pages/payouts/import-statement-page.tsx")],
  ["/approvals", "payouts.view", () => import("../pages/payouts/approvals-page.tsx"), "payouts", titles.approvals],
  ["/approvals/policy", "payouts.view", () => import("../pages/payouts/policy-page.tsx")],
  ["/approvals/$approvalId", "payouts.view", () => import("../pages/payouts/approval-page.tsx")],

  ["/invoices", "invoices.view", () => import("../pages/invoices/list-page.tsx"), "billing", titles.invoices],
  ["/invoices/new", "invoices.manage", invoiceForm],
  ["/invoices/upload", "invoices.manage", () => import("../pages/invoices/upload-page.tsx")],
  ["/invoices/$invoiceId", "invoices.view", () => import("../pages/invoices/detail-page.tsx")],
  ["/invoices/$invoiceId/edit", "invoices.manage", invoiceForm],
  ["/payments", "invoices.view", () => import("../pages/invoices/payments-page.tsx"), "billing", titles.payments],
  [
    "/credit-notes",
    "invoices.view",
    () => import("../pages/invoices/credit-notes-page.tsx"),
    "billing",
    titles.creditNotes,
  ],
  [
    "/debit-notes",
    "invoices.view",
    () => import("../pages/invoices/debit-notes-page.tsx"),
    "billing",
    titles.debitNotes,
  ],
  ["/refunds", "invoices.view", () => import("../pages/invoices/refunds-page.tsx"), "billing", titles.refunds],

  ["/items", "items.view", () => import("../pages/items/items-page.tsx"), "billing", titles.items],
  ["/items/new", "items.manage", itemForm],
  ["/items/import", "items.manage", () => import("../pages/items/import-page.tsx")],
  ["/items/$itemId", "items.view", () => import("../pages/items/item-page.tsx")],
  ["/items/$itemId/edit", "items.manage", itemForm],

  ["/templates", "templates.view", () => import("../pages/templates/templates-page.tsx"), "billing", titles.templates],
  ["/templates/new", "templates.manage", () => import("../pages/templates/new-template-page.tsx")],
  ["/templates/$templateId", "templates.view", () => import("../pages/templates/template-page.tsx")],

  [
    "/subscriptions",
    "subscriptions.view",
    () => import("../pages/subscriptions/list-page.tsx"),
    "billing",
    titles.subscriptions,
  ],
  ["/subscriptions/new", "subscriptions.manage", () => import("../pages/subscriptions/new-page.tsx")],
  [
    "/subscriptions/$subscriptionId",
    "subscriptions.view",
    () => import("../pages/subscriptions/subscription-page.tsx"),
  ],

  [
    "/customers",
    "customers.view",
    () => import("../pages/customers/customers-page.tsx"),
    "customers",
    titles.customers,
  ],
  ["/customers/new", "customers.manage", customerForm],
  ["/customers/import", "customers.manage", () => import("../pages/customers/import-page.tsx")],
  ["/customers/groups", "customers.view", () => import("../pages/customers/groups-page.tsx")],
  ["/customers/columns", "customers.view", () => import("../pages/customers/columns-page.tsx")],
  [
    "/customers/opening-balances",
    "invoices.manage",
    () => import("../pages/customers/import-opening-balances-page.tsx"),
  ],
  ["/customers/$customerId", "customers.view", () => import("../pages/customers/customer-page.tsx")],
  ["/customers/$customerId/edit", "customers.manage", customerForm],

  [
    "/franchises",
    "franchises.view",
    () => import("../pages/franchises/franchises-page.tsx"),
    "franchises",
    titles.franchises,
  ],
  ["/franchises/new", "franchises.manage", () => import("../pages/franchises/new-franchise-page.tsx")],
  ["/franchises/$franchiseId", "franchises.view", () => import("../pages/franchises/franchise-page.tsx")],
  ["/franchises/$franchiseId/edit", "franchises.manage", () => import("../pages/franchises/edit-franchise-page.tsx")],
  report("ageing", () => import("../pages/reports/ageing-page.tsx")),
];

/** Franchises have no settings but their own. */
const OVERVIEW_OF_SETTINGS: readonly Row[] = [
  ["/settings", null, () => import("../pages/settings/settings-page.tsx"), "settings", navigationGroups.settings],
];

const SETTINGS: readonly Row[] = [
  ["/settings/company", "profile.view", () => import("../pages/settings/profile-page.tsx"), "settings", titles.profile],
  ["/settings/go-live", "users.manage", () => import("../pages/settings/go-live-page.tsx"), "settings", titles.goLive],
  [
    "/settings/payout-accounts",
    "profile.manage",
    () => import("../pages/settings/payout-accounts-page.tsx"),
    "settings",
    titles.payoutAccounts,
  ],
  ["/settings/users", "users.manage", () => import("../pages/settings/users-page.tsx"), "settings", titles.users],
  ["/settings/roles", "users.manage", () => import("../pages/settings/roles-page.tsx")],
  ["/settings/keys", "keys.manage", () => import("../pages/settings/keys-page.tsx"), "settings", titles.keys],
  [
    "/settings/webhooks",
    "webhooks.manage",
    () => import("../pages/settings/webhooks-page.tsx"),
    "settings",
    titles.webhooks,
  ],
  ["/settings/webhooks/$endpointId", "webhooks.manage", () => import("../pages/settings/webhook-page.tsx")],
  [
    "/settings/messages",
    "notifications.view",
    () => import("../pages/settings/messages-page.tsx"),
    "settings",
    titles.messages,
  ],
  ["/settings/audit", "audit.view", () => import("../pages/settings/audit-page.tsx"), "settings", titles.audit],
];

/** A franchise sees its own invoices. Other reports, drafts, estimates and receipts have those of all. */
const OF_MERCHANT_STAFF: readonly Row[] = [
  ["/invoices/drafts", "invoices.view", () => import("../pages/invoices/drafts-page.tsx")],
  ["/invoices/drafts/$draftId", "invoices.manage", () => import("../pages/invoices/draft-page.tsx")],
  ["/estimates", "invoices.view", () => import("../pages/estimates/list-page.tsx"), "billing", titles.estimates],
  ["/estimates/new", "invoices.manage", estimateForm],
  ["/estimates/$estimateId", "invoices.view", () => import("../pages/estimates/estimate-page.tsx")],
  ["/estimates/$estimateId/edit", "invoices.manage", estimateForm],
  ["/receipts", "invoices.view", () => import("../pages/receipts/list-page.tsx"), "billing", titles.receipts],
  ["/tds-claims", "invoices.view", () => import("../pages/receipts/tds-claims-page.tsx")],
  ["/receipts/new", "invoices.settle", () => import("../pages/receipts/form-page.tsx")],
  ["/receipts/import", "invoices.settle", () => import("../pages/receipts/import-page.tsx")],
  ["/receipts/$receiptId", "invoices.view", () => import("../pages/receipts/receipt-page.tsx")],
  report("sales-register", () => import("../pages/reports/sales-register-page.tsx")),
  report("tax-summary", () => import("../pages/reports/tax-summary-page.tsx")),
  report("hsn-summary", () => import("../pages/reports/hsn-summary-page.tsx")),
  report("document-series", () => import("../pages/reports/document-series-page.tsx")),
  report("gst-problems", () => import("../pages/reports/gst-problems-page.tsx")),
  report("trial-balance", () => import("../pages/reports/trial-balance-page.tsx")),
];

const OF_OPERATORS: readonly Row[] = [
  ["/", "merchants.view", () => import("../pages/operator/merchants-page.tsx"), "top", operator.merchants],
  ["/merchants/$merchantId", "merchants.view", () => import("../pages/operator/merchant-page.tsx")],
  ["/jobs", "jobs.view", () => import("../pages/operator/jobs-page.tsx"), "top", titles.jobs],
];

const OF_STAFF: readonly Row[] = [
  ["/reference", null, () => import("../pages/reference/reference-page.tsx"), "settings", titles.reference],
];

const OF_EVERYONE: readonly Row[] = [
  // Reached from the menu of the account.
  ["/settings/profile", null, () => import("../pages/security/profile-page.tsx")],
  ["/security", null, () => import("../pages/security/security-page.tsx")],
];

/** Every page, in the order of the navigation. */
export const PAGES: readonly AreaPage[] = [
  ...pagesFor("merchant", OF_MERCHANTS),
  ...pagesFor("merchant-staff", OVERVIEW_OF_SETTINGS),
  ...pagesFor("merchant", SETTINGS),
  ...pagesFor("merchant-staff", OF_MERCHANT_STAFF),
  ...pagesFor("operator", OF_OPERATORS),
  ...pagesFor("staff", OF_STAFF),
  ...pagesFor("everyone", OF_EVERYONE),
];
