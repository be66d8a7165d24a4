// Use cases of a session: it begins, each request finds it, it ends. Passwords and codes are checked before.
import type { IdSource } from "../../platform/database/ids.ts";
import type { Connection, Queryable } from "../../platform/database/pool.ts";
import { mayMoveMoney, type TenantDatabase } from "../../platform/database/tenant.ts";
import { NodalError } from "../../platform/errors.ts";
import { recordLogin } from "./login-events.ts";
import { noteSignIn } from "./login-store.ts";
import type { LoginKey } from "./login.ts";
import { MONEY_PERMISSIONS, MOVE_MONEY, permissionsOf, type Permission } from "./permission.ts";
import {
  csrfTokenOf,
  formatToken,
  HALF_LIFETIME_HOURS,
  hashOfSecret,
  LIFETIME_HOURS,
  MAX_SESSIONS,
  newSecret,
  parseToken,
  type IssuedSession,
  type Visitor,
  type Session,
  type SessionState,
} from "./session.ts";
import { deleteEveryLink } from "./recovery-store.ts";
import {
  deleteEverySession,
  deleteSession,
  endOldestSessions,
  findSession,
  insertSession,
  touchSession,
} from "./session-store.ts";

/** Data of a session, generated before the transaction that begins it. */
export type PreparedSession = { readonly sessionId: bigint; readonly secret: string };

/** Generates id and secret of a new session. */
export async function prepareSession(ids: IdSource): Promise<PreparedSession> {
  return { sessionId: await ids.next(), secret: newSecret() };
}

/**
 * Begins a session in the caller's transaction, which has locked the login. If the login has too many, its oldest one ends. Call it
 * last in the transaction.
 */
export async function beginSession(
  connection: Connection,
  { bucket, merchantId, loginId }: LoginKey,
  { sessionId, secret }: PreparedSession,
  state: SessionState,
  visitor: Visitor,
): Promise<IssuedSession> {
  const isWhole = state === "signed_in";
  const lifetimeHours = isWhole ? LIFETIME_HOURS : HALF_LIFETIME_HOURS;
  const kept = (isWhole ? MAX_SESSIONS.whole : MAX_SESSIONS.half) - 1;
  await endOldestSessions(connection, { bucket, merchantId, loginId }, { isWhole, kept });
  const session = { bucket, merchantId, sessionId, loginId, state, lifetimeHours, ...visitor };
  await insertSession(connection, { ...session, secretHash: hashOfSecret(secret) });
  if (isWhole) {
    await noteSignIn(connection, { bucket, merchantId, loginId });
    await recordLogin(connection, { bucket, merchantId, loginId }, "signed_in");
  }
  return { cookie: formatToken({ bucket, merchantId }, sessionId, secret), csrfToken: csrfTokenOf(secret), state };
}

/**
 * Finds the session of a cookie, with its role's current permissions, and saves that it is in use. `null` if there is none, or it
 * has ended.
 */
export async function findSessionOf(tenants: TenantDatabase, cookie: string, address: string): Promise<Session | null> {
  const token = parseToken(cookie);
  if (!token) return null;
  const { bucket, merchantId, id, secret } = token;
  const db = tenants.of({ merchantId });
  const found = await findSession(db, { bucket, merchantId, sessionId: id }, hashOfSecret(secret));
  if (!found) return null;
  const { session, login, rolePermissions } = found;
  await touchSession(db, session, address);
  const isWhole = session.state === "signed_in";
  const permissions = isWhole ? permissionsOf(login.kind, login.roleName, rolePermissions) : new Set<Permission>();
  return { ...session, address, login, permissions, csrfToken: csrfTokenOf(secret) };
}

/**
 * Whether a session lacks the second factor that its permissions need: for users who move real money, and for operators of an
 * installation in production.
 */
export function mustEnrol(session: Session, isMoneyReal: boolean): boolean {
  if (session.login.hasSecondFactor || !isMoneyReal) return false;
  return [...session.permissions].some((name) => MONEY_PERMISSIONS.has(name));
}

/** Whether this session may move money: it has the permission, and the second factor that this needs. */
export function maySessionMoveMoney(session: Session, isMoneyReal: boolean): boolean {
  return session.permissions.has(MOVE_MONEY) && !mustEnrol(session, isMoneyReal);
}

/**
 * Refuses the transaction's actor if it may not move money: a user without that permission or, if the money is real, without a
 * second factor. Programs with an access key, commands and schedules may.
 * @throws NodalError `access_denied`
 */
export async function requireMoneyMover(connection: Connection): Promise<void> {
  if (await mayMoveMoney(connection)) return;
  throw new NodalError(
    "access_denied",
    `This affects where money goes, so it also needs the permission ${MOVE_MONEY}.`,
  );
}

/**
 * Requires a permission.
 * @throws NodalError `access_denied`, or `second_factor_required` if the money is real
 */
export function requirePermission(session: Session, permission: Permission, isMoneyReal: boolean): void {
  if (!session.permissions.has(permission)) {
    throw new NodalError("access_denied", `Your role can't do this: it needs the permission ${permission}.`);
  }
  if (MONEY_PERMISSIONS.has(permission) && mustEnrol(session, isMoneyReal)) {
    throw new NodalError(
      "second_factor_required",
      "With real money, this needs a second factor: set one up in your security settings first.",
    );
  }
}

/**
 * Ends another session of the same login.
 * @throws NodalError `session_not_found`
 */
export async function endSession(db: Queryable, login: LoginKey, sessionId: bigint): Promise<void> {
  if (await deleteSession(db, login, sessionId)) return;
  throw new NodalError("session_not_found", "This session has already ended.");
}

/** Signs everybody out after a restore: sessions in the backup may have ended since it was made. */
export async function signOutAllUsers(db: Queryable): Promise<void> {
  await deleteEverySession(db);
  await deleteEveryLink(db);
}
