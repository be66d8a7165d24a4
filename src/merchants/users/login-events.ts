// Audit log entries about logins and roles. Those about operators, who belong to no merchant, are in the installation's own book;
// operators' actions on a merchant are in that merchant's.
import { auditValues, recordEvents, type AuditChange } from "../../ledger/index.ts";
import type { Connection } from "../../platform/database/pool.ts";
import { actorOf, type Origin } from "../../platform/origin.ts";
import type { MerchantKey } from "../merchant.ts";
import type { Login, LoginKey, LoginKind } from "./login.ts";

type LoginEvent =
  | "created"
  | "changed"
  | "password_reset"
  | "second_factor_reset"
  | "signed_in"
  | "password_changed"
  | "second_factor_enabled"
  | "second_factor_disabled"
  | "recovery_codes_replaced";

/** The actor for the audit log when a user acts. Only an actor with permission to move money can. */
export function originOf(
  { kind, loginId }: { kind: LoginKind; loginId: bigint },
  address: string,
  mayMoveMoney = false,
): Origin {
  return { actor: actorOf(kind, String(loginId)), address: address === "" ? null : address, mayMoveMoney };
}

/** The changeable members of a login. */
export function auditedLogin({
  email,
  name,
  roleName,
  disabledAt,
}: Pick<Login, "email" | "name" | "roleName" | "disabledAt">) {
  return { email, name, role: roleName, disabled: disabledAt !== null };
}

/** Logs events of a login. Call it last in a transaction, like `recordEvents`. */
export async function recordLogin(
  connection: Connection,
  { bucket, merchantId, loginId }: LoginKey,
  what: LoginEvent,
  change: AuditChange = {},
): Promise<void> {
  const event = { type: `login.${what}`, subjectId: loginId, ...change };
  await recordEvents(connection, { bucket, merchantId }, [event]);
}

type AuditedRole = { readonly name: string; readonly permissions: readonly string[] };

/** Logs events of a role. Roles have names and no ids: the subject is the merchant. */
export async function recordRole(
  connection: Connection,
  merchant: MerchantKey,
  what: "created" | "changed" | "removed",
  before: AuditedRole | null,
  after: AuditedRole | null,
): Promise<void> {
  const valuesOf = ({ name, permissions }: AuditedRole) => auditValues({ name, permissions });
  const change = { before: before && valuesOf(before), after: after && valuesOf(after) };
  await recordEvents(connection, merchant, [{ type: `role.${what}`, subjectId: merchant.merchantId, ...change }]);
}
