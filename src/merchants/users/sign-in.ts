// Use cases of signing in: the password, then the second factor if there is one.
import { inTransaction, type Connection } from "../../platform/database/pool.ts";
import { NodalError } from "../../platform/errors.ts";
import { verifyPassword } from "../../platform/password.ts";
import { findMerchantByKey } from "../merchant-store.ts";
import { originOf } from "./login-events.ts";
import { findPasswordHash, findProvedLogin } from "./login-store.ts";
import { notSignedIn, OPERATORS, suspended, type Login } from "./login.ts";
import { beginSession, prepareSession } from "./open-session.ts";
import { takeSecondFactor, type SecondFactor } from "./second-factor.ts";
import type { IssuedSession, SessionState, SessionContext, VisitorContext } from "./session.ts";
import { deleteSession } from "./session-store.ts";
import { findByEmail, hashOfEmail, type LoginName } from "./sign-in-store.ts";
import { whileCounted } from "./sign-in-throttle.ts";

/** For an unknown address, the same query is sent, so that timing reveals nothing. */
const NOBODY = { ...OPERATORS, loginId: 0n, kind: "operator" as const };

export type SignIn = LoginName & {
  readonly password: string;
  /** The mark of a browser that has signed in before. */
  readonly device: string | null;
};

/** A session, and the browser's mark from now on. */
export type SignedIn = { readonly session: IssuedSession; readonly device: string };

/**
 * Signs in by e-mail and password, to the named merchant or by the address alone; only halfway if there is a second factor, or the
 * password must be changed.
 * @throws NodalError `sign_in_failed` for a wrong password or an unknown address, `rate_limited`, `unavailable`, or for a correct
 * password `access_denied`
 */
export async function signIn(context: VisitorContext, { device, ...credentials }: SignIn): Promise<SignedIn> {
  const { throttle, visitor } = context;
  const account = nameOfAccount(credentials);
  const attempt = { account, address: visitor.address, device };
  const giveBack = await throttle.countPassword(attempt);
  const session = await whileCounted(giveBack, () =>
    throttle.inTurn(attempt, (whose) => takePassword(context, credentials, { whose, giveBack })),
  );
  return { session, device: throttle.issueDevice(account) };
}

/**
 * The name under which attempts are counted: as the caller named the login, found or not. Counting two names of a login together
 * would reveal that they are one.
 */
function nameOfAccount({ email, merchantId }: LoginName): string {
  const hash = hashOfEmail(email).toString("hex");
  return merchantId === null ? hash : `${hash} ${merchantId}`;
}

/** `giveBack` is called once the password is correct, whatever follows. */
async function takePassword(
  { pool, tenants, ids, visitor }: VisitorContext,
  { password, ...name }: Omit<SignIn, "device">,
  { whose, giveBack }: { readonly whose: string; readonly giveBack: () => void },
): Promise<IssuedSession> {
  const found = await findByEmail(pool, name);
  const key = found ?? NOBODY;
  const db = tenants.of(key, originOf(key, visitor.address));
  const passwordHash = await findPasswordHash(db, key);
  if (!(await verifyPassword(password, passwordHash, whose))) throw signInFailed();
  giveBack();
  const prepared = await prepareSession(ids);
  return inTransaction(db, async (connection) => {
    const login = await findProvedLogin(connection, key, true);
    // The password may have been changed while it was being compared.
    if (!login || (await findPasswordHash(connection, key)) !== passwordHash) throw signInFailed();
    await checkAccess(connection, login);
    return beginSession(connection, key, prepared, stateOf(login, login.hasSecondFactor), visitor);
  });
}

/**
 * Continues a sign-in with a code of the second factor, or a recovery code. It gets a new session.
 * @throws NodalError `code_refused`, `not_signed_in`, `rate_limited`
 */
export async function signInFurther(
  { tenants, ids, throttle, installationSecret, visitor, session: half }: SessionContext & VisitorContext,
  factor: SecondFactor,
): Promise<IssuedSession> {
  const giveBack = await throttle.countCode(String(half.login.loginId));
  const db = tenants.of(half, originOf(half.login, visitor.address));
  const session = await whileCounted(giveBack, async () => {
    const prepared = await prepareSession(ids);
    return inTransaction(db, async (connection) => {
      const login = await findProvedLogin(connection, half.login, true);
      if (!login || !(await deleteSession(connection, login, half.sessionId))) throw notSignedIn();
      await checkAccess(connection, login);
      await takeSecondFactor(connection, login, factor, installationSecret);
      return beginSession(connection, login, prepared, stateOf(login, false), visitor);
    });
  });
  giveBack();
  return session;
}

function stateOf(login: Login, needsFactor: boolean): SessionState {
  if (needsFactor) return "second_factor";
  return login.mustChangePassword ? "change_password" : "signed_in";
}

async function checkAccess(connection: Connection, login: Login): Promise<void> {
  if (login.disabledAt !== null) {
    throw new NodalError("access_denied", "Your account is disabled. Ask the person who manages your users.");
  }
  if (login.kind === "operator") return;
  const merchant = await findMerchantByKey(connection, login);
  if (merchant?.status !== "active") throw suspended(merchant);
}

function signInFailed(): NodalError {
  return new NodalError("sign_in_failed", "Wrong e-mail or password.");
}
