// SQL of account recovery: recovery codes in place of a second factor, links to a new password, and links that confirm another
// address. Each is used once, by the caller that deletes the row.
import type { Connection, Queryable } from "../../platform/database/pool.ts";
import { table, type Columns } from "../../platform/database/table.ts";
import { secretsOf } from "../../platform/secrets/index.ts";
import { isSame } from "../../platform/bytes.ts";
import { bindHash, boundHash } from "./bound-hash.ts";
import type { LoginKey } from "./login.ts";

type Code = LoginKey & { readonly codeHash: Buffer };
type Reset = LoginKey & { readonly tokenHash: Buffer; readonly expiresAt: Temporal.Instant };
type EmailChange = Reset & { readonly email: string };

const LOGIN = { bucket: "smallint", merchantId: "bigint", loginId: "bigint" } as const;
const LINK: Columns<Reset> = { ...LOGIN, tokenHash: "bytea", expiresAt: "timestamptz" };
const CODES = table<Code, Code>("recovery_code", ["bucket", "merchantId", "loginId", "codeHash"], {
  ...LOGIN,
  codeHash: "bytea",
});
const RESETS = table<Reset, LoginKey>("password_reset", ["bucket", "merchantId", "loginId"], LINK);
const EMAIL_CHANGES = table<EmailChange, LoginKey>("email_change", ["bucket", "merchantId", "loginId"], {
  ...LINK,
  email: "text",
});

/** The places and logins that the hashes are bound to; for a link also its end, and for an address the address. */
const RECOVERY_CODE_PLACE = "recovery_code.code_hash";
const RESET_PLACE = "password_reset.token_hash";
const EMAIL_CHANGE_PLACE = "email_change.token_hash";

const OF_LOGIN = "where bucket = $1 and merchant_id = $2 and login_id = $3";
const IS_GOOD_LINK = `${OF_LOGIN} and token_hash = $4 and expires_at > now()`;

/** Replaces a login's recovery codes. */
export async function replaceRecoveryCodes(
  connection: Connection,
  { bucket, merchantId, loginId }: LoginKey,
  codeHashes: readonly Buffer[],
): Promise<void> {
  const key = [bucket, merchantId, loginId] as const;
  const secrets = await secretsOf(connection);
  await connection.query(`delete from recovery_code ${OF_LOGIN}`, [...key]);
  const kept = codeHashes.map((hash) => bindHash(secrets, RECOVERY_CODE_PLACE, key, hash));
  await CODES.insertAll(
    connection,
    kept.map((codeHash) => ({ bucket, merchantId, loginId, codeHash })),
  );
}

/** Uses a recovery code. Returns false if the login has no such code any more. */
export async function takeRecoveryCode(
  connection: Connection,
  { bucket, merchantId, loginId }: LoginKey,
  hash: Buffer,
): Promise<boolean> {
  const codeHash = await boundHash(connection, RECOVERY_CODE_PLACE, [bucket, merchantId, loginId], hash);
  return CODES.delete(connection, { bucket, merchantId, loginId, codeHash });
}

/** How many recovery codes a login has left. */
export async function countRecoveryCodes(db: Queryable, { bucket, merchantId, loginId }: LoginKey): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::integer as count from recovery_code ${OF_LOGIN}`,
    [bucket, merchantId, loginId],
  );
  return rows[0]!.count;
}

/** When a new link expires. The hash of the link is bound to it, so that SQL can't prolong it. */
async function endsIn(connection: Connection, minutes: number): Promise<Temporal.Instant> {
  const { rows } = await connection.query<{ now: Temporal.Instant }>("select now() as now");
  return rows[0]!.now.add({ minutes });
}

/** Saves a link to a new password, valid for this long. */
export async function insertReset(
  connection: Connection,
  { bucket, merchantId, loginId }: LoginKey,
  hash: Buffer,
  minutes: number,
): Promise<void> {
  const expiresAt = await endsIn(connection, minutes);
  const also = [String(expiresAt)];
  const tokenHash = await boundHash(connection, RESET_PLACE, [bucket, merchantId, loginId], hash, also);
  await RESETS.insert(connection, { bucket, merchantId, loginId, tokenHash, expiresAt });
}

/** Whether a link to a new password is still valid. */
export async function hasReset(db: Queryable, key: LoginKey, tokenHash: Buffer): Promise<boolean> {
  return (await findReset(db, key, tokenHash)) !== null;
}

/** The stored hash of a link to a new password that is still valid. */
async function findReset(
  db: Queryable,
  { bucket, merchantId, loginId }: LoginKey,
  tokenHash: Buffer,
): Promise<Buffer | null> {
  const key = [bucket, merchantId, loginId] as const;
  const secrets = await secretsOf(db);
  const waiting = await RESETS.select(db, `select * from password_reset ${OF_LOGIN} and expires_at > now()`, [...key]);
  const found = waiting.find((reset) =>
    isSame(bindHash(secrets, RESET_PLACE, key, tokenHash, [String(reset.expiresAt)]), reset.tokenHash),
  );
  return found?.tokenHash ?? null;
}

/** Uses a link to a new password. Returns false if it was used before, or has expired. */
export async function takeReset(connection: Connection, login: LoginKey, tokenHash: Buffer): Promise<boolean> {
  const kept = await findReset(connection, login, tokenHash);
  if (!kept) return false;
  const { bucket, merchantId, loginId } = login;
  const text = `delete from password_reset ${IS_GOOD_LINK}`;
  return (await connection.query(text, [bucket, merchantId, loginId, kept])).rowCount === 1;
}

/** Saves a login's new address, and the link that confirms it, valid for this long. */
export async function insertEmailChange(
  connection: Connection,
  { bucket, merchantId, loginId }: LoginKey,
  { email, tokenHash: hash, lifetimeMinutes }: { email: string; tokenHash: Buffer; lifetimeMinutes: number },
): Promise<void> {
  const expiresAt = await endsIn(connection, lifetimeMinutes);
  const also = [email, String(expiresAt)];
  const tokenHash = await boundHash(connection, EMAIL_CHANGE_PLACE, [bucket, merchantId, loginId], hash, also);
  await EMAIL_CHANGES.insert(connection, { bucket, merchantId, loginId, tokenHash, email, expiresAt });
}

/** Uses a link. Returns the address that it confirms; `null` if it was used before, or has expired. */
export async function takeEmailChange(
  connection: Connection,
  { bucket, merchantId, loginId }: LoginKey,
  tokenHash: Buffer,
): Promise<string | null> {
  const key = [bucket, merchantId, loginId] as const;
  const waiting = await EMAIL_CHANGES.select(connection, `select * from email_change ${OF_LOGIN}`, [...key]);
  for (const { email, expiresAt } of waiting) {
    const also = [email, String(expiresAt)];
    const kept = await boundHash(connection, EMAIL_CHANGE_PLACE, key, tokenHash, also);
    const text = `delete from email_change ${IS_GOOD_LINK} and email = $5`;
    const { rowCount } = await connection.query(text, [...key, kept, email]);
    if (rowCount === 1) return email;
  }
  return null;
}

/** Revokes every link of a login to another address. */
export async function deleteEmailChanges(
  connection: Connection,
  { bucket, merchantId, loginId }: LoginKey,
): Promise<void> {
  await connection.query(`delete from email_change ${OF_LOGIN}`, [bucket, merchantId, loginId]);
}

/** Revokes every link to a new password of a login. */
export async function deleteResets(connection: Connection, { bucket, merchantId, loginId }: LoginKey): Promise<void> {
  await connection.query(`delete from password_reset ${OF_LOGIN}`, [bucket, merchantId, loginId]);
}

/** Deletes the expired links of all logins. */
export async function forgetEndedLinks(db: Queryable): Promise<void> {
  for (const name of ["password_reset", "email_change"]) await db.query(`delete from ${name} where expires_at < now()`);
}

/** Revokes every link of all logins. */
export async function deleteEveryLink(db: Queryable): Promise<void> {
  for (const name of ["password_reset", "email_change"]) await db.query(`delete from ${name}`);
}
