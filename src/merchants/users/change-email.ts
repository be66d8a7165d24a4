// Use cases of one's own address: change it with the password, and confirm the new one by a link sent to it. Other code sends the
// mail.
import { inTransaction, type Connection } from "../../platform/database/pool.ts";
import { NodalError, validationError } from "../../platform/errors.ts";
import { changeLogin } from "./change-login.ts";
import { deleteEmailChanges, insertEmailChange, takeEmailChange } from "./recovery-store.ts";
import { originOf } from "./login-events.ts";
import { findLogin } from "./login-store.ts";
import { emailTaken, linkRefused, notSignedIn, type Login } from "./login.ts";
import { requirePassword } from "./second-factor.ts";
import {
  formatToken,
  hashOfSecret,
  newSecret,
  parseToken,
  type Session,
  type SessionContext,
  type VisitorContext,
} from "./session.ts";
import { hasSession } from "./session-store.ts";
import { hashOfEmail, isEmailTaken } from "./sign-in-store.ts";

const LINK_MINUTES = 60;

/** A link that confirms an address, and its login. */
export type EmailLink = {
  readonly login: Login;
  readonly email: string;
  readonly token: string;
  readonly lifetimeMinutes: number;
};

type NewAddress = { readonly email: string; readonly password: string };

/**
 * Changes a signed-in user's address at once, if no mail can be sent to confirm it. All other sessions end.
 * @throws NodalError `validation_failed` for a wrong password or the present address, `email_taken`, `access_denied` for a
 * franchise, `rate_limited`
 */
export async function changeOwnEmail(context: SessionContext, asked: NewAddress): Promise<void> {
  const { tenants, session } = context;
  const { login } = session;
  await checkNewAddress(context, asked);
  await inTransaction(tenants.of(login, originOf(login, session.address)), async (connection) => {
    const current = await holdLoginOf(connection, session);
    await changeLogin(connection, current, { email: asked.email }, session.sessionId);
  });
}

/**
 * Makes a link that confirms a signed-in user's new address; until it is opened, the old one stays. A later request replaces an
 * earlier one.
 * @throws NodalError as `changeOwnEmail` does
 */
export async function askForEmail(context: SessionContext, asked: NewAddress): Promise<EmailLink> {
  const { tenants, throttle, session } = context;
  const { login } = session;
  await checkNewAddress(context, asked);
  // Counted per login, not per address: requests of other logins with that address must not be visible.
  if (!(await throttle.countMail({ account: `login ${login.loginId}`, address: session.address }))) {
    throw new NodalError("rate_limited", "Too many e-mails were sent for this account: try again in 15 min.");
  }
  const secret = newSecret();
  await inTransaction(tenants.of(login), async (connection) => {
    await holdLoginOf(connection, session);
    await deleteEmailChanges(connection, login);
    const change = { email: asked.email, tokenHash: hashOfSecret(secret), lifetimeMinutes: LINK_MINUTES };
    await insertEmailChange(connection, login, change);
  });
  const token = formatToken(login, login.loginId, secret);
  return { login, email: asked.email, token, lifetimeMinutes: LINK_MINUTES };
}

/**
 * Gives a login the address that its link was sent to. All of its sessions end. Returns the login as it was before.
 * @throws NodalError `link_refused`, or `email_taken` if another login of the merchant has the address by now
 */
export async function confirmEmail({ tenants, visitor }: VisitorContext, token: string): Promise<Login> {
  const named = parseToken(token);
  if (!named) throw linkRefused();
  const key = { bucket: named.bucket, merchantId: named.merchantId, loginId: named.id };
  const login = await findLogin(tenants.of(key), key);
  if (!login) throw linkRefused();
  return inTransaction(tenants.of(key, originOf(login, visitor.address)), async (connection) => {
    const current = await findLogin(connection, key, true);
    const email = await takeEmailChange(connection, key, hashOfSecret(named.secret));
    if (email === null || !current || current.disabledAt !== null) throw linkRefused();
    await changeLogin(connection, current, { email });
    return current;
  });
}

/** The session may have been ended since the password was checked, and must not change the address then. */
async function holdLoginOf(connection: Connection, session: Session): Promise<Login> {
  const login = await findLogin(connection, session.login, true);
  if (!login || !(await hasSession(connection, session))) throw notSignedIn();
  return login;
}

async function checkNewAddress(context: SessionContext, { email, password }: NewAddress): Promise<void> {
  const { login } = context.session;
  if (login.kind === "franchise") {
    throw new NodalError("access_denied", "Only the merchant can change a franchise's sign-in e-mail.");
  }
  (await requirePassword(context, password))();
  if (hashOfEmail(email).equals(hashOfEmail(login.email))) {
    const problem = "is already your sign-in address.";
    throw validationError([{ field: "email", code: "not_allowed", problem }]);
  }
  if (await isEmailTaken(context.tenants.of(login), email, login)) throw emailTaken();
}
