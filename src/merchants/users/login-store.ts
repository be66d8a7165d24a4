// All SQL of logins. Their sessions, recovery codes and links are in stores of their own.
import type { Connection, Queryable } from "../../platform/database/pool.ts";
import { readSecretRows, secretsOf, type SecretTable } from "../../platform/secrets/index.ts";
import type { MerchantKey } from "../merchant.ts";
import { bindPassword, unboundPassword } from "./bound-hash.ts";
import type { Login, LoginKey, LoginKind } from "./login.ts";

export const LOGIN_SECRETS: SecretTable = {
  table: "login",
  key: { bucket: "smallint", merchant_id: "bigint", login_id: "bigint" },
  path: ["bucket", "merchant_id", "login_id"],
  columns: ["totp_secret"],
  indexes: [],
};

export type LoginRow = {
  bucket: number;
  merchant_id: bigint;
  login_id: bigint;
  kind: LoginKind;
  email: string;
  name: string;
  role_name: string;
  must_change_password: boolean;
  totp_confirmed_at: Temporal.Instant | null;
  disabled_at: Temporal.Instant | null;
  login_created_at: Temporal.Instant;
  last_sign_in_at: Temporal.Instant | null;
};

/** The columns of a row that `loginFromRow` reads. */
export const LOGIN_COLUMNS = `login.bucket, login.merchant_id, login.login_id, login.kind, login.email, login.name,
  login.role_name, login.must_change_password, login.totp_confirmed_at, login.disabled_at,
  login.created_at as login_created_at, login.last_sign_in_at`;

/** A login as a query with `LOGIN_COLUMNS` found it. */
export function loginFromRow(row: LoginRow): Login {
  return {
    bucket: row.bucket,
    merchantId: row.merchant_id,
    loginId: row.login_id,
    kind: row.kind,
    email: row.email,
    name: row.name,
    roleName: row.role_name,
    mustChangePassword: row.must_change_password,
    hasSecondFactor: row.totp_confirmed_at !== null,
    disabledAt: row.disabled_at,
    createdAt: row.login_created_at,
    lastSignInAt: row.last_sign_in_at,
  };
}

/** Whoever is to sign in from now on. */
export type NewLogin = Pick<Login, keyof LoginKey | "kind" | "email" | "name" | "roleName" | "mustChangePassword"> & {
  readonly passwordHash: string;
};

/** Inserts a login. Its address must have been taken in the sign-in directory. */
export async function insertLogin(connection: Connection, login: NewLogin): Promise<void> {
  const path = [login.bucket, login.merchantId, login.loginId] as const;
  const passwordHash = bindPassword(await secretsOf(connection), path, login.passwordHash);
  await connection.query(
    `insert into login (
       bucket, merchant_id, login_id, kind, email, name, role_name, password_hash, must_change_password, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, now())`,
    [
      login.bucket,
      login.merchantId,
      login.loginId,
      login.kind,
      login.email,
      login.name,
      login.roleName,
      passwordHash,
      login.mustChangePassword,
    ],
  );
}

/** Removes a login with its sessions, links and recovery codes. */
export async function deleteLogin(connection: Connection, { bucket, merchantId, loginId }: LoginKey): Promise<void> {
  for (const table of ["login_session", "password_reset", "email_change", "recovery_code", "login"]) {
    await connection.query(`delete from ${table} where bucket = $1 and merchant_id = $2 and login_id = $3`, [
      bucket,
      merchantId,
      loginId,
    ]);
  }
}

/** Finds a login. `lock` holds its row until the transaction ends. */
export async function findLogin(
  db: Queryable,
  { bucket, merchantId, loginId }: LoginKey,
  lock = false,
): Promise<Login | null> {
  const { rows } = await db.query<LoginRow>(
    `select ${LOGIN_COLUMNS} from login
     where bucket = $1 and merchant_id = $2 and login_id = $3${lock ? " for update" : ""}`,
    [bucket, merchantId, loginId],
  );
  return rows[0] ? loginFromRow(rows[0]) : null;
}

/** The logins with these ids that a merchant has, or the operators; one that is gone is left out. */
export async function findLogins(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  loginIds: readonly bigint[],
): Promise<Login[]> {
  const { rows } = await db.query<LoginRow>(
    `select ${LOGIN_COLUMNS} from login where bucket = $1 and merchant_id = $2 and login_id = any ($3)`,
    [bucket, merchantId, loginIds],
  );
  return rows.map(loginFromRow);
}

/** The logins of a kind that a merchant has, or the operators, oldest first. */
export async function listLogins(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  kind: LoginKind,
): Promise<Login[]> {
  const { rows } = await db.query<LoginRow>(
    `select ${LOGIN_COLUMNS} from login where bucket = $1 and merchant_id = $2 and kind = $3
     order by created_at, login_id`,
    [bucket, merchantId, kind],
  );
  return rows.map(loginFromRow);
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
  await connection.query(
    `update login set email = $4, name = $5, role_name = $6, disabled_at = $7
     where bucket = $1 and merchant_id = $2 and login_id = $3`,
    [
      login.bucket,
      login.merchantId,
      login.loginId,
      login.email,
      login.name,
      login.roleName,
      login.disabledAt?.toString() ?? null,
    ],
  );
}

/** The hash of a login's password; `null` where there is no such login, or the hash was not made for it. */
export async function findPasswordHash(
  db: Queryable,
  { bucket, merchantId, loginId }: LoginKey,
): Promise<string | null> {
  const { rows } = await db.query<{ password_hash: string }>(
    "select password_hash from login where bucket = $1 and merchant_id = $2 and login_id = $3",
    [bucket, merchantId, loginId],
  );
  if (!rows[0]) return null;
  return unboundPassword(await secretsOf(db), [bucket, merchantId, loginId], rows[0].password_hash);
}

/** Gives a login another password. `mustChange`: its owner has to choose one at the next sign-in. */
export async function updatePassword(
  connection: Connection,
  { bucket, merchantId, loginId }: LoginKey,
  passwordHash: string,
  mustChange: boolean,
): Promise<void> {
  const kept = bindPassword(await secretsOf(connection), [bucket, merchantId, loginId], passwordHash);
  await connection.query(
    `update login set password_hash = $4, must_change_password = $5
     where bucket = $1 and merchant_id = $2 and login_id = $3`,
    [bucket, merchantId, loginId, kept, mustChange],
  );
}

/** Notes that somebody has just signed in. */
export async function noteSignIn(connection: Connection, { bucket, merchantId, loginId }: LoginKey): Promise<void> {
  await connection.query(
    "update login set last_sign_in_at = now() where bucket = $1 and merchant_id = $2 and login_id = $3",
    [bucket, merchantId, loginId],
  );
}

/** The secret of a login's second factor, confirmed or not; `null` without one. */
export async function findTotpSecret(db: Queryable, { bucket, merchantId, loginId }: LoginKey): Promise<string | null> {
  const { rows } = await db.query<{ totp_secret: string }>(
    `select totp_secret from login
     where bucket = $1 and merchant_id = $2 and login_id = $3 and totp_secret is not null`,
    [bucket, merchantId, loginId],
  );
  const [secret] = await readSecretRows(db, rows, (row, secrets) =>
    secrets.unseal("login.totp_secret", [bucket, merchantId, loginId], row.totp_secret),
  );
  return secret ?? null;
}

/** Keeps the secret of a second factor that is still to be confirmed. Answers false where one is confirmed already. */
export async function keepTotpSecret(
  connection: Connection,
  { bucket, merchantId, loginId }: LoginKey,
  secret: string,
): Promise<boolean> {
  const sealed = (await secretsOf(connection)).seal("login.totp_secret", [bucket, merchantId, loginId], secret);
  const { rowCount } = await connection.query(
    `update login set totp_secret = $4, totp_last_step = null
     where bucket = $1 and merchant_id = $2 and login_id = $3 and totp_confirmed_at is null`,
    [bucket, merchantId, loginId, sealed],
  );
  return rowCount === 1;
}

/** Confirms a second factor by the code of a step. Answers false where it is confirmed already. */
export async function confirmTotp(
  connection: Connection,
  { bucket, merchantId, loginId }: LoginKey,
  step: bigint,
): Promise<boolean> {
  const { rowCount } = await connection.query(
    `update login set totp_confirmed_at = now(), totp_last_step = $4
     where bucket = $1 and merchant_id = $2 and login_id = $3 and totp_confirmed_at is null and totp_secret is not null`,
    [bucket, merchantId, loginId, step],
  );
  return rowCount === 1;
}

/** Takes the code of a step, once: answers false where it, or a later one, was taken before. */
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
  await connection.query(
    `update login set totp_secret = null, totp_confirmed_at = null, totp_last_step = null
     where bucket = $1 and merchant_id = $2 and login_id = $3`,
    [bucket, merchantId, loginId],
  );
}
