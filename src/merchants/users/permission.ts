// Permissions and the roles that are built in: what somebody who is signed in may see and do. Where a permission is
// asked for is the routes' business.

/** What the pages of a merchant ask for. */
export const MERCHANT_PERMISSIONS = [
  "payouts.view",
  "payouts.transfer",
  "payouts.withdraw",
  "beneficiaries.view",
  "beneficiaries.manage",
  "statement.view",
  "reconciliation.manage",
  "franchises.view",
  "franchises.manage",
  "franchises.settle",
  "customers.view",
  "customers.manage",
  "invoices.view",
  "invoices.manage",
  "invoices.settle",
  "invoices.cancel",
  "items.view",
  "items.manage",
  "templates.view",
  "templates.manage",
  "subscriptions.view",
  "subscriptions.manage",
  "notifications.view",
  "notifications.manage",
  "profile.view",
  "profile.manage",
  "keys.manage",
  "webhooks.manage",
  "users.manage",
  "audit.view",
  "approvals.decide",
  "approvals.manage",
  "personal_data.reveal",
] as const;

/** What only operators of the installation may. */
const OPERATOR_PERMISSIONS = [
  "merchants.view",
  "merchants.create",
  "merchants.manage",
  "merchants.kyc",
  "merchants.fund",
  "merchants.clock",
  "jobs.view",
  "installation.webhooks",
] as const;

export type MerchantPermission = (typeof MERCHANT_PERMISSIONS)[number];
export type Permission = MerchantPermission | (typeof OPERATOR_PERMISSIONS)[number];

/** Permissions that no access key can have: a second person decides. */
const OF_PEOPLE: ReadonlySet<Permission> = new Set(["approvals.decide"]);

/** What no access key does, whatever its scopes, and how the refusal says so. */
export const PEOPLE_ONLY = {
  approvals: "Only a person can decide this: sign in to the dashboard, or use `nodal approval`.",
  second_factor: "This needs a person with a second factor: sign in to the dashboard, or use the command line.",
} as const;

/** Something that no access key does. */
export type PersonalAct = keyof typeof PEOPLE_ONLY;

/** The scopes that a merchant's access key can have. */
export const KEY_SCOPES = MERCHANT_PERMISSIONS.filter((name) => !OF_PEOPLE.has(name));

/** The scopes of a key that was created without any: all that /api/v1 to /api/v3 have. */
export const OF_KEYS: readonly MerchantPermission[] = [
  "payouts.view",
  "payouts.transfer",
  "payouts.withdraw",
  "beneficiaries.view",
  "beneficiaries.manage",
  "franchises.manage",
  "customers.view",
  "customers.manage",
  "items.view",
  "items.manage",
  "invoices.view",
  "invoices.manage",
  "invoices.settle",
  "invoices.cancel",
  "subscriptions.manage",
  "personal_data.reveal",
];

/**
 * To move money: what makes a merchant's money leave, at once or later by itself, asks for it, beside the permission of
 * the page. Where that is asked for is open-session.ts.
 */
export const MOVE_MONEY = "payouts.transfer" satisfies MerchantPermission;

/** They move money, or let others move it. On a merchant whose money is real, they ask for a second factor. */
export const MONEY_PERMISSIONS: ReadonlySet<Permission> = new Set([
  "payouts.transfer",
  "payouts.withdraw",
  // To whose account commission goes, also by itself.
  "franchises.manage",
  "franchises.settle",
  "approvals.decide",
  "approvals.manage",
  "profile.manage",
  "keys.manage",
  "users.manage",
  "merchants.manage",
  // Whether a merchant may go live.
  "merchants.kyc",
  "merchants.fund",
]);

const VIEWS = MERCHANT_PERMISSIONS.filter((name) => name.endsWith(".view") && name !== "audit.view");
const NOT_OF_MANAGERS: readonly MerchantPermission[] = [
  "profile.manage",
  "keys.manage",
  "webhooks.manage",
  "users.manage",
  "approvals.manage",
];
const OF_ACCOUNTANTS: readonly MerchantPermission[] = [
  "reconciliation.manage",
  "customers.manage",
  "items.manage",
  "invoices.manage",
  "invoices.settle",
  "invoices.cancel",
  "subscriptions.manage",
  "notifications.manage",
  "audit.view",
];

/** The role that may do everything. A merchant always has one. */
export const OWNER = "Owner";
/** The one role of operators. */
export const OPERATOR = "Operator";

/** The roles that every merchant has, and what they allow. */
export const BUILT_IN_ROLES: ReadonlyMap<string, readonly Permission[]> = new Map<string, readonly Permission[]>([
  [OWNER, MERCHANT_PERMISSIONS],
  ["Manager", MERCHANT_PERMISSIONS.filter((name) => !NOT_OF_MANAGERS.includes(name))],
  ["Accountant", [...VIEWS, ...OF_ACCOUNTANTS]],
  ["Viewer", VIEWS],
  ["Franchise", ["franchises.view", "customers.view", "invoices.view", "subscriptions.view"]],
]);

/** Operators see and keep everything of every merchant, but what moves a merchant's money is for its own people. */
const OF_OPERATORS: readonly Permission[] = [
  ...MERCHANT_PERMISSIONS.filter(
    (name) => !/^(payouts\.(transfer|withdraw)|franchises\.settle|approvals\.decide)$/.test(name),
  ),
  ...OPERATOR_PERMISSIONS,
];

/**
 * The scopes that an operator's access key can have. It moves no money, like its operator. The secrets that sign a merchant's
 * webhooks are the merchant's own. docs/rules/access.md#operators-keys
 */
export const OPERATOR_KEY_SCOPES = OF_OPERATORS.filter((name) => !OF_PEOPLE.has(name) && name !== "webhooks.manage");

/** What a franchise may be allowed at most, whatever its role: pages that can show the part of one franchise. */
const OF_FRANCHISES: ReadonlySet<Permission> = new Set([
  "franchises.view",
  "customers.view",
  "invoices.view",
  "subscriptions.view",
  "personal_data.reveal",
]);

/**
 * What a role allows. `own` is what the merchant's role of that name allows, where it is none of the built-in ones. A
 * role that there is not allows nothing.
 */
export function permissionsOf(
  kind: "user" | "franchise" | "operator",
  role: string,
  own: readonly string[],
): ReadonlySet<Permission> {
  if (kind === "operator") return new Set(OF_OPERATORS);
  const named = BUILT_IN_ROLES.get(role) ?? MERCHANT_PERMISSIONS.filter((name) => own.includes(name));
  return new Set(kind === "franchise" ? named.filter((name) => OF_FRANCHISES.has(name)) : named);
}

/** Whether a user with the permissions `held` may grant those in `given`: you can only grant permissions you have. */
export function mayGrant(held: ReadonlySet<Permission>, given: Iterable<string>): boolean {
  return [...given].every((name) => held.has(name as Permission));
}
