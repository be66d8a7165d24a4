// The effects of changing a login, inside others' transactions: its address in the directory, its sessions, the audit log. The use
// cases decide who may change whom.
import { auditChange } from "../../ledger/index.ts";
import type { Connection } from "../../platform/database/pool.ts";
import { auditedLogin, recordLogin } from "./login-events.ts";
import { updateLogin, updatePassword } from "./login-store.ts";
import { emailTaken, type Login, type LoginKey } from "./login.ts";
import { deleteEmailChanges, deleteResets } from "./recovery-store.ts";
import { deleteSessions } from "./session-store.ts";
import { hashOfEmail, releaseEmail, takeEmail } from "./sign-in-store.ts";

/** The changes; members left out keep their values. */
export type LoginChanges = {
  readonly email?: string;
  readonly name?: string;
  readonly roleName?: string;
  readonly disabled?: boolean;
  /** If the new password was set by somebody else: it has to be changed at the next sign-in. */
  readonly passwordHash?: string;
};

/**
 * Changes a login that the caller has locked. A login that is disabled, or gets another address or password, is signed out
 * everywhere, except for the session to keep. Locks the merchant's book from then on: call it last.
 * @throws NodalError `email_taken`
 */
export async function changeLogin(
  connection: Connection,
  earlier: Login,
  { passwordHash, disabled, ...changes }: LoginChanges,
  keptSessionId: bigint | null = null,
): Promise<Login> {
  const isDisabled = disabled ?? earlier.disabledAt !== null;
  const disabledAt = isDisabled ? (earlier.disabledAt ?? Temporal.Now.instant()) : null;
  const changed: Login = { ...earlier, ...changes, disabledAt };
  const moves = !hashOfEmail(changed.email).equals(hashOfEmail(earlier.email));
  if (moves) {
    if (!(await takeEmail(connection, changed.email, earlier))) throw emailTaken();
    await releaseEmail(connection, earlier.email, earlier);
  }
  await updateLogin(connection, changed);
  if (passwordHash !== undefined) await updatePassword(connection, earlier, passwordHash, true);
  if (disabledAt !== null || moves || passwordHash !== undefined) await signOut(connection, earlier, keptSessionId);
  const change = auditChange(auditedLogin(earlier), auditedLogin(changed));
  if (Object.keys(change.after ?? {}).length > 0) await recordLogin(connection, earlier, "changed", change);
  if (passwordHash !== undefined) await recordLogin(connection, earlier, "password_reset");
  return changed;
}

/** Ends the sessions of a login, except one to keep, and revokes its links to a new password or address. */
export async function signOut(
  connection: Connection,
  login: LoginKey,
  keptSessionId: bigint | null = null,
): Promise<void> {
  await deleteSessions(connection, login, keptSessionId);
  await deleteResets(connection, login);
  await deleteEmailChanges(connection, login);
}
