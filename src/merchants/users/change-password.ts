// Use cases of one's own password: change it, or get a new one by a link that was sent by mail. How mail is sent is for
// others to know.
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

/** A link to a new password, and whose it is. */
export type ResetLink = { readonly login: Login; readonly token: string; readonly lifetimeMinutes: number };

export type ChangePassword = { readonly old: string; readonly chosen: string };
/** `token` is of a link that was sent by mail. */
export type ResetPassword = { readonly token: string; readonly chosen: string };

/**
 * Changes one's own password and ends every session of the login; the one who asks gets a new one.
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
    // Somebody else may have given it another one meanwhile.
    if (!current || (await findPasswordHash(connection, login)) !== earlierHash) throw notSignedIn();
    await updatePassword(connection, login, passwordHash, false);
    await signOut(connection, login);
    await recordLogin(connection, login, "password_changed");
    return beginSession(connection, login, prepared, "signed_in", visitor);
  });
}

/**
 * Makes a link to a new password for each login that the address has, or for the one at the merchant that is named;
 * none where nobody has it who may sign in. Nobody but who reads that mail may learn how many.
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
    // Its address may be somebody else's.
    if (!login || login.isChanged || login.disabledAt !== null) return null;
    await insertReset(connection, key, hashOfSecret(secret), LINK_MINUTES);
    return { login, token: formatToken(key, key.loginId, secret), lifetimeMinutes: LINK_MINUTES };
  });
}

/**
 * Counts a request for such links. Returns whether mail may be sent: by the address alone, which is what mail would flood.
 * @throws NodalError `rate_limited` for too many from one address
 */
export function mayAskForLinks({ throttle, visitor }: VisitorContext, email: string): Promise<boolean> {
  return throttle.countMail({ account: hashOfEmail(email).toString("hex"), address: visitor.address });
}

/**
 * Gives a login the chosen password by its link, which counts once, and signs it out everywhere.
 * @throws NodalError `link_refused`, or `validation_failed`: then the link is still good
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
