// Use cases of the second factor: set it up, use it, remove it, and recovery codes for a lost phone. totp.ts computes codes.
import { createHmac, randomBytes } from "node:crypto";
import { inTransaction, type Connection } from "../../platform/database/pool.ts";
import { NodalError, validationError } from "../../platform/errors.ts";
import { verifyPassword } from "../../platform/password.ts";
import { originOf, recordLogin } from "./login-events.ts";
import {
  confirmTotp,
  findLogin,
  findPasswordHash,
  findTotpSecret,
  keepTotpSecret,
  removeTotp,
  takeTotpStep,
} from "./login-store.ts";
import type { LoginKey } from "./login.ts";
import { replaceRecoveryCodes, takeRecoveryCode } from "./recovery-store.ts";
import type { SessionContext } from "./session.ts";
import { whileCounted } from "./sign-in-throttle.ts";
import { matchTotp, newTotpSecret, toBase32 } from "./totp.ts";

const RECOVERY_CODES = 10;
const RECOVERY_BYTES = 10;

/** The proof besides the password: one of the two. */
export type SecondFactor = { readonly code: string } | { readonly recoveryCode: string };

/**
 * Generates the secret of a second factor, which takes effect once it is confirmed.
 * @throws NodalError `validation_failed` for a wrong password, `second_factor_state` if there already is one, `rate_limited`
 */
export async function enrolSecondFactor(context: SessionContext, password: string): Promise<string> {
  const { login } = context.session;
  (await requirePassword(context, password))();
  const secret = newTotpSecret();
  await inTransaction(context.tenants.of(login), async (connection) => {
    if (!(await keepTotpSecret(connection, login, secret))) throw wrongState("You already have a second factor.");
  });
  return secret;
}

/**
 * Confirms a second factor by its first code. Returns recovery codes, which can't be read again.
 * @throws NodalError `code_refused`, `second_factor_state` if none is to be confirmed, `rate_limited`
 */
export async function confirmSecondFactor(
  { tenants, installationSecret, throttle, session: { login, address } }: SessionContext,
  code: string,
): Promise<string[]> {
  const giveBack = await throttle.countProof(String(login.loginId));
  const db = tenants.of(login, originOf(login, address));
  const confirm = async (connection: Connection): Promise<string[]> => {
    const secret = await findTotpSecret(connection, login);
    if (secret === null) throw wrongState("Request the QR code of a second factor first.");
    const step = matchTotp(secret, code, Temporal.Now.instant());
    if (step === null) throw codeRefused();
    if (!(await confirmTotp(connection, login, step))) throw wrongState("The second factor is already confirmed.");
    const codes = await giveRecoveryCodes(connection, login, installationSecret);
    await recordLogin(connection, login, "second_factor_enabled");
    return codes;
  };
  const recoveryCodes = await whileCounted(giveBack, () => inTransaction(db, confirm));
  giveBack();
  return recoveryCodes;
}

/**
 * Removes one's own second factor.
 * @throws NodalError `validation_failed` for a wrong password, `code_refused`, `rate_limited`
 */
export async function disableSecondFactor(context: SessionContext, proof: Proof): Promise<void> {
  const { login, address } = context.session;
  const giveBack = await requirePassword(context, proof.password);
  const db = context.tenants.of(login, originOf(login, address));
  const disable = async (connection: Connection): Promise<void> => {
    await takeCode(connection, login, proof.code);
    await removeTotp(connection, login);
    await replaceRecoveryCodes(connection, login, []);
    await recordLogin(connection, login, "second_factor_disabled");
  };
  await whileCounted(giveBack, () => inTransaction(db, disable));
  giveBack();
}

/** Required to remove a second factor or replace its recovery codes. */
export type Proof = { readonly password: string; readonly code: string };

/**
 * Replaces one's recovery codes. Returns the new ones, which can't be read again.
 * @throws NodalError `validation_failed` for a wrong password, `code_refused`, `rate_limited`
 */
export async function renewRecoveryCodes(context: SessionContext, proof: Proof): Promise<string[]> {
  const { login, address } = context.session;
  const giveBack = await requirePassword(context, proof.password);
  const db = context.tenants.of(login, originOf(login, address));
  const renew = async (connection: Connection): Promise<string[]> => {
    await takeCode(connection, login, proof.code);
    const given = await giveRecoveryCodes(connection, login, context.installationSecret);
    await recordLogin(connection, login, "recovery_codes_replaced");
    return given;
  };
  const codes = await whileCounted(giveBack, () => inTransaction(db, renew));
  giveBack();
  return codes;
}

/**
 * Runs `work` for a signed-in user who enters the second factor again: `prove` checks it, in the transaction of `work`. Failures
 * are counted.
 * @throws NodalError `code_refused`, `rate_limited`
 */
export async function provingSecondFactor<T>(
  { installationSecret, throttle, session: { login } }: SessionContext,
  factor: SecondFactor,
  work: (prove: (connection: Connection) => Promise<void>) => Promise<T>,
): Promise<T> {
  const giveBack = await throttle.countProof(String(login.loginId));
  const prove = async (connection: Connection): Promise<void> => {
    await takeSecondFactor(connection, login, factor, installationSecret);
    giveBack();
  };
  return whileCounted(giveBack, () => work(prove));
}

/**
 * Uses up a code or a recovery code.
 * @throws NodalError `code_refused`
 */
export async function takeSecondFactor(
  connection: Connection,
  login: LoginKey,
  factor: SecondFactor,
  key: Buffer,
): Promise<void> {
  if ("code" in factor) return takeCode(connection, login, factor.code);
  if (!(await takeRecoveryCode(connection, login, hashOf(factor.recoveryCode, key)))) throw codeRefused();
}

async function takeCode(connection: Connection, login: LoginKey, code: string): Promise<void> {
  const secret = await findTotpSecret(connection, login);
  const step = secret === null ? null : matchTotp(secret, code, Temporal.Now.instant());
  if (step === null || !(await takeTotpStep(connection, login, step))) throw codeRefused();
}

async function giveRecoveryCodes(connection: Connection, login: LoginKey, key: Buffer): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, () =>
    toBase32(randomBytes(RECOVERY_BYTES)).toLowerCase().match(/.{4}/g)!.join("-"),
  );
  await findLogin(connection, login, true);
  await replaceRecoveryCodes(
    connection,
    login,
    codes.map((code) => hashOf(code, key)),
  );
  return codes;
}

/** Ignores case and separators in recovery codes. */
function hashOf(code: string, key: Buffer): Buffer {
  const letters = code.toLowerCase().replaceAll(/[^a-z2-7]/g, "");
  return createHmac("sha256", key).update(`recovery code\0${letters}`).digest();
}

/**
 * Checks the password of a signed-in user again. Counts as a failed attempt until the returned function is called.
 * @throws NodalError `validation_failed` for a wrong one, `rate_limited`
 */
export async function requirePassword(
  { tenants, throttle, session: { login } }: SessionContext,
  password: string,
): Promise<() => void> {
  const giveBack = await throttle.countProof(String(login.loginId));
  const isRight = await whileCounted(giveBack, async () =>
    verifyPassword(password, await findPasswordHash(tenants.of(login), login), `login ${login.loginId}`),
  );
  if (isRight) return giveBack;
  throw validationError([{ field: "password", code: "not_allowed", problem: "is not your password." }]);
}

function codeRefused(): NodalError {
  return new NodalError(
    "code_refused",
    "This code is wrong or was already used: wait for the next one, and check your phone's clock.",
  );
}

function wrongState(message: string): NodalError {
  return new NodalError("second_factor_state", message);
}
