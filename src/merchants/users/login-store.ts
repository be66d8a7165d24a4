// All SQL of logins. Their sessions, recovery codes and links have their own stores.
import type { Connection, Queryable } from "../../platform/database/pool.ts";
import { NOW, table, type Columns, type Row } from "../../platform/database/table.ts";
import { RowProof, secretsOf, type Secrets } from "../../platform/secrets/index.ts";
import type { MerchantKey } from "../merchant.ts";
import { bindPassword, unboundPassword } from "./bound-hash.ts";
import { loginChanged, type Login, type LoginKey, type LoginKind } from "./login.ts";

type StoredLogin = Omit<Login, "hasSecondFactor" | "isChanged"> & {
  readonly totpConfirmedAt: Temporal.Instant | null;
  readonly proof: Uint8Array | null;
};
type SecondFactor = LoginKey & {
  readonly totpSecret: string | null;
  readonly totpConfirmedAt: Temporal.Instant | null;
  readonly totpLastStep: bigint | null;
};

const KEY = ["bucket", "merchantId", "loginId"] as const;
const KEY_COLUMNS = { bucket: "smallint", merchantId: "bigint", loginId: "bigint" } as const;

const COLUMNS: Columns<StoredLogin> = {
  ...KEY_COLUMNS,
  kind: "text",
  email: "text",
  name: "text",
  roleName: "text",
  mustChangePassword: "boolean",
  approvalMail: "boolean",
  totpConfirmedAt: "timestamptz",
  disabledAt: "timestamptz",
  createdAt: "timestamptz",
  lastSignInAt: "timestamptz",
  proof: "bytea",
};
const LOGINS = table<StoredLogin, LoginKey>("login", KEY, COLUMNS);

/** Read separately, since its secret is decrypted. */
const SECOND_FACTORS = table<SecondFactor, LoginKey>("login", KEY, {
  ...KEY_COLUMNS,
  totpSecret: "text sealed",
  totpConfirmedAt: "timestamptz",
  totpLastStep: "bigint",
});

/** Read separately: nothing else may hold the hash. */
const PASSWORDS = table<StoredLogin & { readonly passwordHash: string }, LoginKey>("login", KEY, {
  ...COLUMNS,
  passwordHash: "text",
});

export const LOGIN_SECRETS = SECOND_FACTORS.secretTable();

/** The columns that give a login its rights. Its password and second factor are bound to the row separately. */
export const LOGIN_PROOF = new RowProof<
  Omit<StoredLogin, "mustChangePassword" | "approvalMail" | "name" | "createdAt" | "lastSignInAt">
>(
  "login",
  ({ bucket, merchantId, loginId }) => [bucket, merchantId, loginId],
  ({ kind, email, roleName, totpConfirmedAt, disabledAt }) => [
    kind,
    email,
    roleName,
    totpConfirmedAt !== null,
    disabledAt !== null,
  ],
);

/** The columns of a row that `loginFromRow` reads. */
export const LOGIN_COLUMNS = LOGINS.columnsOf("login");

/** A login found by a query with `LOGIN_COLUMNS`. */
export function loginFromRow(secrets: Secrets, row: Row): Login {
  return toLogin(secrets, LOGINS.read(row));
}

function toLogin(secrets: Secrets, stored: StoredLogin): Login {
  const { totpConfirmedAt, proof, ...login } = stored;
  const isChanged = LOGIN_PROOF.fits(secrets, stored, proof) ? {} : ({ isChanged: true } as const);
  return { ...login, hasSecondFactor: totpConfirmedAt !== null, ...isChanged };
}

/** Changes columns that a login's proof covers. Returns false if there is no such login, or `condition` is not true of it. */
async function change(
  connection: Connection,
  { bucket, merchantId, loginId }: LoginKey,
  terms: Partial<Pick<StoredLogin, "email" | "name" | "roleName" | "disabledAt">>,
  factor: Partial<Omit<SecondFactor, keyof LoginKey>> = {},
  condition?: string,
): Promise<boolean> {
  const key = { bucket, merchantId, loginId };
  const before = await LOGINS.find(connection, key, true);
  if (!before) return false;
  const { totpConfirmedAt = before.totpConfirmedAt } = factor;
  const after = { ...before, ...terms, totpConfirmedAt };
  const proof = LOGIN_PROOF.renewed(await secretsOf(connection), before, before.proof, after);
  if (Object.keys(factor).length > 0 && !(await SECOND_FACTORS.update(connection, { ...key, ...factor }, condition)))
    return false;
  if (proof || Object.keys(terms).length > 0) await LOGINS.update(connection, { ...key, ...terms, proof });
  return true;
}

/** A new login. */
export type NewLogin = Pick<Login, keyof LoginKey | "kind" | "email" | "name" | "roleName" | "mustChangePassword"> & {
  readonly passwordHash: string;
};

/** Inserts a login. Its address must have been taken in the sign-in directory. */
export async function insertLogin(connection: Connection, login: NewLogin): Promise<void> {
  const { bucket, merchantId, loginId } = login;
  const secrets = await secretsOf(connection);
  const kept = bindPassword(secrets, [bucket, merchantId, loginId], login.passwordHash);
  const proof = LOGIN_PROOF.of(secrets, { ...login, totpConfirmedAt: null, disabledAt: null, proof: null });
  await PASSWORDS.insert(connection, { ...login, passwordHash: kept, createdAt: NOW, proof });
}

/** Inserts a login with the password and the confirmed second factor of another one, whose hashes are bound to their row. */
export async function copyCredentials(connection: Connection, from: LoginKey, to: LoginKey): Promise<void> {
  // Locked, so that the password can't change in between.
  const login = await LOGINS.find(connection, from, true);
  const passwordHash = await findPasswordHash(connection, from);
  if (!login || passwordHash === null) throw new Error(`the password of login ${from.loginId} was not made for it`);
  const { kind, email, name, roleName, mustChangePassword } = login;
  const { bucket, merchantId, loginId } = to;
  const key = { bucket, merchantId, loginId };
  await insertLogin(connection, { ...key, kind, email, name, roleName, mustChangePassword, passwordHash });
  if (!LOGIN_PROOF.fits(await secretsOf(connection), login, login.proof)) throw loginChanged();
  if (login.totpConfirmedAt === null) return;
  const { totpSecret, totpConfirmedAt, totpLastStep } = (await SECOND_FACTORS.find(connection, from))!;
  await change(connection, key, {}, { totpSecret, totpConfirmedAt, totpLastStep });
}

/** Removes a login with its sessions, links and recovery codes. */
export async function deleteLogin(connection: Connection, { bucket, merchantId, loginId }: LoginKey): Promise<void> {
  for (const name of ["login_session", "password_reset", "email_change", "recovery_code", "login"]) {
    await connection.query(`delete from ${name} where bucket = $1 and merchant_id = $2 and login_id = $3`, [
      bucket,
      merchantId,
      loginId,
    ]);
  }
}

/** Finds a login. `lock` keeps its row locked until the transaction ends. */
export async function findLogin(db: Queryable, key: LoginKey, lock = false): Promise<Login | null> {
  const login = await LOGINS.find(db, key, lock);
  return login && toLogin(await secretsOf(db), login);
}

/**
 * The same, for callers that rely on the login's role, address or second factor.
 * @throws NodalError `access_denied` if it was changed with SQL
 */
export async function findProvedLogin(db: Queryable, key: LoginKey, lock = false): Promise<Login | null> {
  const login = await findLogin(db, key, lock);
  if (login?.isChanged) throw loginChanged();
  return login;
}

/** The logins of a merchant, or the operators, with these ids; missing ones are left out. */
export async function findLogins(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  loginIds: readonly bigint[],
): Promise<Login[]> {
  const text = "select * from login where bucket = $1 and merchant_id = $2 and login_id = any ($3)";
  const found = await LOGINS.select(db, text, [bucket, merchantId, loginIds]);
  const secrets = await secretsOf(db);
  return found.map((login) => toLogin(secrets, login));
}

/** The logins of a kind at a merchant, or the operators, oldest first. */
export async function listLogins(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  kind: LoginKind,
): Promise<Login[]> {
  const text = `select * from login where bucket = $1 and merchant_id = $2 and kind = $3 order by created_at, login_id`;
  const found = await LOGINS.select(db, text, [bucket, merchantId, kind]);
  const secrets = await secretsOf(db);
  return found.map((login) => toLogin(secrets, login));
}

/** The number of logins with each role, by the role's name. */
export async function countByRole(db: Queryable, { bucket, merchantId }: MerchantKey): Promise<Map<string, number>> {
  const { rows } = await db.query<{ role_name: string; count: number }>(
    `select role_name, count(*)::integer as count from login
     where bucket = $1 and merchant_id = $2 group by role_name`,
    [bucket, merchantId],
  );
  return new Map(rows.map((row) => [row.role_name, row.count]));
}

/** Saves a login's address, name, role, and whether it may sign in. */
export async function updateLogin(connection: Connection, login: Login): Promise<void> {
  const { email, name, roleName, disabledAt } = login;
  await change(connection, login, { email, name, roleName, disabledAt });
}

/** Saves whether a login gets mail about approvals it can decide. */
export async function updateApprovalMail(
  connection: Connection,
  { bucket, merchantId, loginId }: LoginKey,
  approvalMail: boolean,
): Promise<void> {
  await LOGINS.update(connection, { bucket, merchantId, loginId, approvalMail });
}

/** The hash of a login's password; `null` if there is no such login, or the hash was not made for it. */
export async function findPasswordHash(db: Queryable, key: LoginKey): Promise<string | null> {
  const login = await PASSWORDS.find(db, key);
  if (!login) return null;
  return unboundPassword(await secretsOf(db), [key.bucket, key.merchantId, key.loginId], login.passwordHash);
}

/** Sets a login's password. `mustChange`: its owner has to choose another at the next sign-in. */
export async function updatePassword(
  connection: Connection,
  { bucket, merchantId, loginId }: LoginKey,
  passwordHash: string,
  mustChangePassword: boolean,
): Promise<void> {
  const kept = bindPassword(await secretsOf(connection), [bucket, merchantId, loginId], passwordHash);
  await PASSWORDS.update(connection, { bucket, merchantId, loginId, passwordHash: kept, mustChangePassword });
}

/** Saves the time of a sign-in. */
export async function noteSignIn(connection: Connection, { bucket, merchantId, loginId }: LoginKey): Promise<void> {
  await LOGINS.update(connection, { bucket, merchantId, loginId, lastSignInAt: NOW });
}

/** The secret of a login's second factor, confirmed or not; `null` without one. */
export async function findTotpSecret(db: Queryable, key: LoginKey): Promise<string | null> {
  return (await SECOND_FACTORS.find(db, key))?.totpSecret ?? null;
}

/** Saves the secret of a second factor that is still to be confirmed. Returns false if one is confirmed already. */
export function keepTotpSecret(
  connection: Connection,
  { bucket, merchantId, loginId }: LoginKey,
  totpSecret: string,
): Promise<boolean> {
  const kept = { bucket, merchantId, loginId, totpSecret, totpLastStep: null };
  return SECOND_FACTORS.update(connection, kept, "totp_confirmed_at is null");
}

/** Confirms a second factor by the code of a step. Returns false if it is confirmed already. */
export function confirmTotp(connection: Connection, key: LoginKey, totpLastStep: bigint): Promise<boolean> {
  const confirmed = { totpConfirmedAt: Temporal.Now.instant(), totpLastStep };
  return change(connection, key, {}, confirmed, "totp_confirmed_at is null and totp_secret is not null");
}

/** Uses the code of a step, once: returns false if it, or a later one, was used before. */
export async function takeTotpStep(
  connection: Connection,
  { bucket, merchantId, loginId }: LoginKey,
  step: bigint,
): Promise<boolean> {
  const { rowCount } = await connection.query(
    `update login set totp_last_step = $4
     where bucket = $1 and merchant_id = $2 and login_id = $3 and totp_confirmed_at is not null
       and (totp_last_step is null or totp_last_step < $4)`,
    [bucket, merchantId, loginId, step],
  );
  return rowCount === 1;
}

/** Removes a login's second factor. */
export async function removeTotp(connection: Connection, key: LoginKey): Promise<void> {
  await change(connection, key, {}, { totpSecret: null, totpConfirmedAt: null, totpLastStep: null });
}
