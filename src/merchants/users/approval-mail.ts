// Who gets mail about waiting approvals: docs/rules/access.md#mail-about-approvals. src/notifications sends it.
import { inTransaction, type Queryable } from "../../platform/database/pool.ts";
import type { MerchantKey } from "../merchant.ts";
import { originOf, recordLogin } from "./login-events.ts";
import { findLogin, listLogins, updateApprovalMail } from "./login-store.ts";
import { notSignedIn, type Login } from "./login.ts";
import { permissionsOf } from "./permission.ts";
import { listStoredRoles } from "./role-store.ts";
import type { SessionContext } from "./session.ts";

/** Why a user gets no mail about approvals, as a sentence; `null` for one who does. */
export type MailSkipReason = (login: Login) => string | null;

/** Reads the permissions of a merchant's roles. Returns a function that explains whether a login gets mail about approvals. */
export async function readMailRule(db: Queryable, merchant: MerchantKey): Promise<MailSkipReason> {
  const roles = (await listStoredRoles(db, merchant)).filter(({ isChanged }) => !isChanged);
  const own = new Map(roles.map(({ name, permissions }) => [name, permissions]));
  return ({ kind, roleName, disabledAt, approvalMail, isChanged }) => {
    if (disabledAt !== null) return "The person's login is disabled.";
    if (!permissionsOf(kind, roleName, own.get(roleName) ?? []).has("approvals.decide")) {
      return "The person's role can't decide approvals.";
    }
    if (!approvalMail) return "The person has turned off approval mail.";
    return isChanged ? "The person's login was changed in the database." : null;
  };
}

/** A merchant's users who get mail about approvals. */
export async function listMailed(db: Queryable, merchant: MerchantKey): Promise<Login[]> {
  const skipReason = await readMailRule(db, merchant);
  return (await listLogins(db, merchant, "user")).filter((login) => skipReason(login) === null);
}

/**
 * Switches mail about approvals on or off for the signed-in user.
 * @throws NodalError `not_signed_in` if the login is gone or disabled
 */
export async function changeApprovalMail({ tenants, session }: SessionContext, approvalMail: boolean): Promise<void> {
  const { login, address } = session;
  await inTransaction(tenants.of(login, originOf(login, address)), async (connection) => {
    const earlier = await findLogin(connection, login, true);
    if (!earlier || earlier.disabledAt !== null) throw notSignedIn();
    if (earlier.approvalMail === approvalMail) return;
    await updateApprovalMail(connection, login, approvalMail);
    const change = { before: { approval_mail: earlier.approvalMail }, after: { approval_mail: approvalMail } };
    await recordLogin(connection, login, "changed", change);
  });
}
