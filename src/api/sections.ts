// The first segments of the dashboard's paths, which the server answers with the dashboard's page. Both sides use this
// file, so it has no imports.

/** Below `/m/<merchant id>/`, an operator sees the same sections of one merchant. */
export const MERCHANT_PREFIX = "m";

/** A page's address is `/<section>` or longer. None of them may be a path of the API. */
export const SECTIONS = [
  "sign-in",
  "forgot-password",
  "reset-password",
  "confirm-email",
  "security",
  "transfers",
  "withdrawals",
  "beneficiaries",
  "bulk-payouts",
  "statement",
  "reconciliation",
  "approvals",
  "invoices",
  "estimates",
  "receipts",
  "tds-claims",
  "payments",
  "credit-notes",
  "debit-notes",
  "refunds",
  "customers",
  "items",
  "franchises",
  "templates",
  "settings",
  "subscriptions",
  "reports",
  "reference",
  "merchants",
  "jobs",
] as const;

export type Section = (typeof SECTIONS)[number];
