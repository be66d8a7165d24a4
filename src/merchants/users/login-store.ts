// All SQL of logins. Their sessions, recovery codes and links are in stores of their own.
import type { Connection, Queryable } from "../../platform/database/pool.ts";
import { NOW, table, type Columns, type Row } from "../../platform/database/table.ts";
import { secretsOf } from "../../platform/secrets/index.ts";
import type { MerchantKey } from "../merchant.ts";
import { bindPassword, unboundPassword } from "./bound-hash.ts";
import type { Login, LoginKey, LoginKind } from "./login.ts";

type StoredLogin = Omit<Login, "hasSecondFactor"> & { readonly totpConfirmedAt: Temporal.Instant | null };
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
};
const LOGINS = table<StoredLogin, LoginKey>("login", KEY, COLUMNS);

/** Read apart from the rest, since its secret is opened. */
const SECOND_FACTORS = table<SecondFactor, LoginKey>("login", KEY, {
  ...KEY_COLUMNS,
  totpSecret: "text sealed",
  totpConfirmedAt: "timestamptz",
  totpLastStep: "bigint",
});

/** Read apart from the rest: nobody else is to have the hash in hand. */
const PASSWORDS = table<StoredLogin & { readonly passwordHash: string }, LoginKey>("login", KEY, {
  ...COLUMNS,
  passwordHash: "text",
});

export const LOGIN_SECRETS = SECOND_FACTORS.secretTable();

/** The columns of a row that `loginFromRow` reads. */
export const LOGIN_COLUMNS = LOGINS.columnsOf("login");

/** A login as a query with `LOGIN_COLUMNS` found it. */
export function loginFromRow(row: Row): Login {
  return toLogin(LOGINS.read(row));
}

function toLogin({ totpConfirmedAt, ...login }: StoredLogin): Login {
  return { ...login, hasSecondFactor: totpConfirmedAt !== null };
}

/** Somebody who is to sign in from now on. */
export type NewLogin = Pick<Login, keyof LoginKey | "kind" | "email" | "name" | "roleName" | "mustChangePassword"> & {
  readonly passwordHash: string;
};

/** Inserts a login. Its address must have been taken in the sign-in directory. */
export async function insertLogin(connection: Connection, login: NewLogin): Promise<void> {
  const { bucket, merchantId, loginId } = login;
  const kept = bindPassword(await secretsOf(connection), [bucket, merchantId, loginId], login.passwordHash);
  await PASSWORDS.insert(connection, { ...login, passwordHash: kept, createdAt: NOW });
}

/** Inserts a login that signs in with the password and the confirmed second factor of another one, which go by their row. */
export async function copyCredentials(connection: Connection, from: LoginKey, to: LoginKey): Promise<void> {
  // Nobody changes the password between here and there.
  const login = await LOGINS.find(connection, from, true);
  const passwordHash = await findPasswordHash(connection, from);
  if (!login || passwordHash === null) throw new Error(`the password of login ${from.loginId} was not made for it`);
  const { kind, email, name, roleName, mustChangePassword } = login;
  const { bucket, merchantId, loginId } = to;
  const key = { bucket, merchantId, loginId };
  await insertLogin(connection, { ...key, kind, email, name, roleName, mustChangePassword, passwordHash });
  if (login.totpConfirmedAt === null) return;
  const factor = await SECOND_FACTORS.find(connection, from);
  await SECOND_FACTORS.update(connection, { ...factor, ...key });
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
  return login && toLogin(login);
}

/** The logins with these ids that a merchant has, or the operators; one that is gone is left out. */
export async function findLogins(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  loginIds: readonly bigint[],
): Promise<Login[]> {
  const text = "select * from login where bucket = $1 and merchant_id = $2 and login_id = any ($3)";
  return (await LOGINS.select(db, text, [bucket, merchantId, loginIds])).map(toLogin);
}

/** The logins of a kind that a merchant has, or the operators, oldest first. */
export async function listLogins(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  kind: LoginKind,
): Promise<Login[]> {
  const text = `select * from login where bucket = $1 and merchant_id = $2 and kind = $3 order by created_at, login_id`;
  return (await LOGINS.select(db, text, [bucket, merchantId, kind])).map(toLogin);
}

/** How many logins have each role, by the role's name. */
export async function countByRole(db: Queryable, { bucket, merchantId }: MerchantKey): Promise<Map<string, number>> {
  const { rows } = await db.query<{ role_name: string; count: number }>(
    `select role_name, count(*)::integer as count from login
     where bucket = $1 and merchant_id = $2 group by role_name`,
    [bucket, merchantId],
  );
  return new Map(rows.map((row) => [row.role_name, row.count]));
}

/** Writes a login's address, name, role, and whether it may sign in. */
export async function updateLogin(connection: Connection, login: Login): Promise<void> {
  const { bucket, merchantId, loginId, email, name, roleName, disabledAt } = login;
  await LOGINS.update(connection, { bucket, merchantId, loginId, email, name, roleName, disabledAt });
}

/** Writes whether mail tells a login of what waits for its decision. */
export async function updateApprovalMail(
  connection: Connection,
  { bucket, merchantId, loginId }: LoginKey,
  approvalMail: boolean,
): Promise<void> {
  await LOGINS.update(connection, { bucket, merchantId, loginId, approvalMail });
}

/** The hash of a login's password; `null` where there is no such login, or the hash was not made for it. */
export async function findPasswordHash(db: Queryable, key: LoginKey): Promise<string | null> {
  const login = await PASSWORDS.find(db, key);
  if (!login) return null;
  return unboundPassword(await secretsOf(db), [key.bucket, key.merchantId, key.loginId], login.passwordHash);
}

/** Gives a login another password. `mustChange`: its owner has to choose one at the next sign-in. */
export async function updatePassword(
  connection: Connection,
  { bucket, merchantId, loginId }: LoginKey,
  passwordHash: string,
  mustChangePassword: boolean,
): Promise<void> {
  const kept = bindPassword(await secretsOf(connection), [bucket, merchantId, loginId], passwordHash);
  await PASSWORDS.update(connection, { bucket, merchantId, loginId, passwordHash: kept, mustChangePassword });
}

/** Notes that somebody has just signed in. */
export async function noteSignIn(connection: Connection, { bucket, merchantId, loginId }: LoginKey): Promise<void> {
  await LOGINS.update(connection, { bucket, merchantId, loginId, lastSignInAt: NOW });
}

/** The secret of a login's second factor, confirmed or not; `null` without one. */
export async function findTotpSecret(db: Queryable, key: LoginKey): Promise<string | null> {
  return (await SECOND_FACTORS.find(db, key))?.totpSecret ?? null;
}

/** Keeps the secret of a second factor that is still to be confirmed. Returns false where one is confirmed already. */
export function keepTotpSecret(
  connection: Connection,
  { bucket, merchantId, loginId }: LoginKey,
  totpSecret: string,
): Promise<boolean> {
  const kept = { bucket, merchantId, loginId, totpSecret, totpLastStep: null };
  return SECOND_FACTORS.update(connection, kept, "totp_confirmed_at is null");
}

/** Confirms a second factor by the code of a step. Returns false where it is confirmed already. */
export function confirmTotp(
  connection: Connection,
  { bucket, merchantId, loginId }: LoginKey,
  totpLastStep: bigint,
): Promise<boolean> {
  const confirmed = { bucket, merchantId, loginId, totpConfirmedAt: NOW, totpLastStep };
  return SECOND_FACTORS.update(connection, confirmed, "totp_confirmed_at is null and totp_secret is not null");
}

/** Takes the code of a step, once: returns false where it, or a later one, was taken before. */
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
export async function removeTotp(connection: Connection, { bucket, merchantId, loginId }: LoginKey): Promise<void> {
  const none = { totpSecret: null, totpConfirmedAt: null, totpLastStep: null };
  await SECOND_FACTORS.update(connection, { bucket, merchantId, loginId, ...none });
}
