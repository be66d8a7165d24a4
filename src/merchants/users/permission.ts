// Permissions and the built-in roles. The routes check the permissions.

/** The permissions of a merchant's pages. */
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

/** Permissions of the installation's operators only. */
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

/** Permissions that no access key can have: a second person must decide. */
const OF_PEOPLE: ReadonlySet<Permission> = new Set(["approvals.decide"]);

/** Actions that no access key can do, with any scopes, and their names in the error. */
export const PEOPLE_ONLY = {
  approvals: "Only a person can decide this: sign in to the dashboard, or use `nodal approval`.",
  second_factor: "This needs a person with a second factor: sign in to the dashboard, or use the command line.",
} as const;

/** An action that no access key can do. */
export type PersonalAct = keyof typeof PEOPLE_ONLY;

/** The scopes that a merchant's access key can have. */
export const KEY_SCOPES = MERCHANT_PERMISSIONS.filter((name) => !OF_PEOPLE.has(name));

/** The scopes of a key that was created without any: all of /api/v1 to /api/v3. */
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
 * The permission to move money: any change that makes a merchant's money leave, now or later, needs it, besides the permission of
 * the page. open-session.ts checks it.
 */
export const MOVE_MONEY = "payouts.transfer" satisfies MerchantPermission;

/** Permissions that move money, or let others move it. For a merchant with real money, they need a second factor. */
export const MONEY_PERMISSIONS: ReadonlySet<Permission> = new Set([
  "payouts.transfer",
  "payouts.withdraw",
  // This sets the account that commission is paid to, also automatically.
  "franchises.manage",
  "franchises.settle",
  "approvals.decide",
  "approvals.manage",
  "profile.manage",
  "keys.manage",
  "users.manage",
  "merchants.manage",
  // This decides whether a merchant may go live.
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

/** The role with all permissions. A merchant always has a user with it. */
export const OWNER = "Owner";
/** The only role of operators. */
export const OPERATOR = "Operator";

/** The built-in roles of every merchant, with their permissions. */
export const BUILT_IN_ROLES: ReadonlyMap<string, readonly Permission[]> = new Map<string, readonly Permission[]>([
  [OWNER, MERCHANT_PERMISSIONS],
  ["Manager", MERCHANT_PERMISSIONS.filter((name) => !NOT_OF_MANAGERS.includes(name))],
  ["Accountant", [...VIEWS, ...OF_ACCOUNTANTS]],
  ["Viewer", VIEWS],
  ["Franchise", ["franchises.view", "customers.view", "invoices.view", "subscriptions.view"]],
]);

/** Operators can see and maintain everything of every merchant, but only the merchant's own people move its money. */
const OF_OPERATORS: readonly Permission[] = [
  ...MERCHANT_PERMISSIONS.filter(
    (name) => !/^(payouts\.(transfer|withdraw)|franchises\.settle|approvals\.decide)$/.test(name),
  ),
  ...OPERATOR_PERMISSIONS,
];

/**
 * The scopes that an operator's access key can have. Like its operator, it moves no money. The secrets that sign a merchant's
 * webhooks are the merchant's own. docs/rules/access.md#operators-keys
 */
export const OPERATOR_KEY_SCOPES = OF_OPERATORS.filter((name) => !OF_PEOPLE.has(name) && name !== "webhooks.manage");

/** The most that a franchise can be allowed, in any role: pages that can be limited to one franchise. */
const OF_FRANCHISES: ReadonlySet<Permission> = new Set([
  "franchises.view",
  "customers.view",
  "invoices.view",
  "subscriptions.view",
  "personal_data.reveal",
]);

/**
 * The permissions of a role. `own` are those of the merchant's role of that name, if it is not built in. An unknown role has no
 * permissions.
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
