// Use cases of one's own password: change it, or get a new one by an e-mailed link. Other code sends the mail.
import { inTransaction } from "../../platform/database/pool.ts";
import { validationError, type FieldError } from "../../platform/errors.ts";
import { fail } from "../../platform/http/field.ts";
import { hashPassword, verifyPassword } from "../../platform/password.ts";
import { signOut } from "./change-login.ts";
import { originOf, recordLogin } from "./login-events.ts";
import { findLogin, findPasswordHash, updatePassword } from "./login-store.ts";
import { linkRefused, notSignedIn, type Login, type LoginKey } from "./login.ts";
import { beginSession, prepareSession } from "./open-session.ts";
import { checkChosenPassword } from "./password-rule.ts";
import { hasReset, insertReset, takeReset } from "./recovery-store.ts";
import {
  formatToken,
  hashOfSecret,
  newSecret,
  parseToken,
  type IssuedSession,
  type SessionContext,
  type SignInParts,
  type VisitorContext,
} from "./session.ts";
import { whileCounted } from "./sign-in-throttle.ts";
import { hashOfEmail, listByEmail, type LoginName } from "./sign-in-store.ts";

const LINK_MINUTES = 60;

/** A link to a new password, and its login. */
export type ResetLink = { readonly login: Login; readonly token: string; readonly lifetimeMinutes: number };

export type ChangePassword = { readonly old: string; readonly chosen: string };
/** `token` is from an e-mailed link. */
export type ResetPassword = { readonly token: string; readonly chosen: string };

/**
 * Changes one's own password and ends every session of the login; the caller gets a new one.
 * @throws NodalError `validation_failed` for a wrong or an unacceptable password, `rate_limited`, `not_signed_in`
 */
export async function changePassword(
  { tenants, ids, throttle, visitor, session: { login } }: SessionContext & VisitorContext,
  { old, chosen }: ChangePassword,
): Promise<IssuedSession> {
  const errors: FieldError[] = [];
  checkChosenPassword(chosen, login.email, "new_password", errors);
  if (chosen === old) {
    const problem = "must differ from the old password.";
    fail(errors, "new_password", "not_allowed", problem);
  }
  if (errors.length > 0) throw validationError(errors);
  const giveBack = await throttle.countProof(String(login.loginId));
  const db = tenants.of(login, originOf(login, visitor.address));
  const whose = `login ${login.loginId}`;
  const [earlierHash, isRight] = await whileCounted(giveBack, async () => {
    const hash = await findPasswordHash(db, login);
    return [hash, await verifyPassword(old, hash, whose)] as const;
  });
  if (!isRight) {
    const problem = "is not your password.";
    throw validationError([{ field: "old_password", code: "not_allowed", problem }]);
  }
  giveBack();
  const passwordHash = await hashPassword(chosen, whose);
  const prepared = await prepareSession(ids);
  return inTransaction(db, async (connection) => {
    const current = await findLogin(connection, login, true);
    // Somebody else may have changed it meanwhile.
    if (!current || (await findPasswordHash(connection, login)) !== earlierHash) throw notSignedIn();
    await updatePassword(connection, login, passwordHash, false);
    await signOut(connection, login);
    await recordLogin(connection, login, "password_changed");
    return beginSession(connection, login, prepared, "signed_in", visitor);
  });
}

/**
 * Makes a link to a new password for each login with the address, or for the one at the named merchant; none if no login with it
 * can sign in. Only the recipient of the mail may learn how many there are.
 */
export async function makeResetLinks(parts: SignInParts, name: LoginName): Promise<ResetLink[]> {
  const links: ResetLink[] = [];
  for (const key of await listByEmail(parts.pool, name)) {
    const link = await makeResetLink(parts, key);
    if (link) links.push(link);
  }
  return links;
}

async function makeResetLink({ tenants }: SignInParts, key: LoginKey): Promise<ResetLink | null> {
  const secret = newSecret();
  return inTransaction(tenants.of(key), async (connection) => {
    const login = await findLogin(connection, key);
    // Its address may belong to another login by now.
    if (!login || login.isChanged || login.disabledAt !== null) return null;
    await insertReset(connection, key, hashOfSecret(secret), LINK_MINUTES);
    return { login, token: formatToken(key, key.loginId, secret), lifetimeMinutes: LINK_MINUTES };
  });
}

/**
 * Counts a request for such links. Returns whether mail may be sent: the limit is per address, to stop floods of mail.
 * @throws NodalError `rate_limited` for too many from one IP address
 */
export function mayAskForLinks({ throttle, visitor }: VisitorContext, email: string): Promise<boolean> {
  return throttle.countMail({ account: hashOfEmail(email).toString("hex"), address: visitor.address });
}

/**
 * Sets a login's chosen password by its link, which works once, and signs it out everywhere.
 * @throws NodalError `link_refused`, or `validation_failed`: then the link still works
 */
export async function resetPassword(
  { tenants, visitor }: VisitorContext,
  { token, chosen }: ResetPassword,
): Promise<void> {
  const named = parseToken(token);
  if (!named) throw linkRefused();
  const key = { bucket: named.bucket, merchantId: named.merchantId, loginId: named.id };
  const tokenHash = hashOfSecret(named.secret);
  const db = tenants.of(key);
  const login = (await hasReset(db, key, tokenHash)) ? await findLogin(db, key) : null;
  if (!login) throw linkRefused();
  const errors: FieldError[] = [];
  checkChosenPassword(chosen, login.email, "password", errors);
  if (errors.length > 0) throw validationError(errors);
  const passwordHash = await hashPassword(chosen, `login ${key.loginId}`);
  await inTransaction(tenants.of(key, originOf(login, visitor.address)), async (connection) => {
    const current = await findLogin(connection, key, true);
    if (!current || current.disabledAt !== null || !(await takeReset(connection, key, tokenHash))) throw linkRefused();
    await updatePassword(connection, key, passwordHash, false);
    await signOut(connection, key);
    await recordLogin(connection, key, "password_changed");
  });
}
