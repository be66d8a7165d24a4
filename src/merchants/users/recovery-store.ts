// SQL of the ways back in: recovery codes in place of a second factor, and links to a new password.
// What belongs here: both are taken once, by whoever deletes the row.
import type { Connection, Queryable } from "../../platform/database/pool.ts";
import { secretsOf } from "../../platform/secrets/index.ts";
import { bindHash, boundHash } from "./bound-hash.ts";
import type { LoginKey } from "./login.ts";

/** The places to which the hashes belong, with the login that they are in. */
const RECOVERY_CODE_PLACE = "recovery_code.code_hash";
const RESET_PLACE = "password_reset.token_hash";

/** Gives a login these recovery codes and no others. */
export async function replaceRecoveryCodes(
  connection: Connection,
  { bucket, merchantId, loginId }: LoginKey,
  codeHashes: readonly Buffer[],
): Promise<void> {
  const key = [bucket, merchantId, loginId] as const;
  const secrets = await secretsOf(connection);
  await connection.query("delete from recovery_code where bucket = $1 and merchant_id = $2 and login_id = $3", [
    ...key,
  ]);
  await connection.query(
    `insert into recovery_code (bucket, merchant_id, login_id, code_hash) select $1, $2, $3, unnest($4::bytea[])`,
    [...key, codeHashes.map((hash) => bindHash(secrets, RECOVERY_CODE_PLACE, key, hash))],
  );
}

/** Takes a recovery code. Answers false where the login has no such code any more. */
export async function takeRecoveryCode(
  connection: Connection,
  { bucket, merchantId, loginId }: LoginKey,
  codeHash: Buffer,
): Promise<boolean> {
  const kept = await boundHash(connection, RECOVERY_CODE_PLACE, [bucket, merchantId, loginId], codeHash);
  const { rowCount } = await connection.query(
    "delete from recovery_code where bucket = $1 and merchant_id = $2 and login_id = $3 and code_hash = $4",
    [bucket, merchantId, loginId, kept],
  );
  return rowCount === 1;
}

/** How many recovery codes a login has left. */
export async function countRecoveryCodes(db: Queryable, { bucket, merchantId, loginId }: LoginKey): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::integer as count from recovery_code
     where bucket = $1 and merchant_id = $2 and login_id = $3`,
    [bucket, merchantId, loginId],
  );
  return rows[0]!.count;
}

/** Keeps a link to a new password, good for so long. */
export async function insertReset(
  connection: Connection,
  { bucket, merchantId, loginId }: LoginKey,
  tokenHash: Buffer,
  lifetimeMinutes: number,
): Promise<void> {
  const kept = await boundHash(connection, RESET_PLACE, [bucket, merchantId, loginId], tokenHash);
  await connection.query(
    `insert into password_reset (bucket, merchant_id, login_id, token_hash, expires_at)
     values ($1, $2, $3, $4, now() + $5 * interval '1 minute')`,
    [bucket, merchantId, loginId, kept, lifetimeMinutes],
  );
}

/** Whether a link to a new password is still good. */
export async function hasReset(
  db: Queryable,
  { bucket, merchantId, loginId }: LoginKey,
  tokenHash: Buffer,
): Promise<boolean> {
  const kept = await boundHash(db, RESET_PLACE, [bucket, merchantId, loginId], tokenHash);
  const { rows } = await db.query(
    `select from password_reset
     where bucket = $1 and merchant_id = $2 and login_id = $3 and token_hash = $4 and expires_at > now()`,
    [bucket, merchantId, loginId, kept],
  );
  return rows.length === 1;
}

/** Takes a link to a new password. Answers false where it was taken before, or is too old. */
export async function takeReset(
  connection: Connection,
  { bucket, merchantId, loginId }: LoginKey,
  tokenHash: Buffer,
): Promise<boolean> {
  const kept = await boundHash(connection, RESET_PLACE, [bucket, merchantId, loginId], tokenHash);
  const { rowCount } = await connection.query(
    `delete from password_reset
     where bucket = $1 and merchant_id = $2 and login_id = $3 and token_hash = $4 and expires_at > now()`,
    [bucket, merchantId, loginId, kept],
  );
  return rowCount === 1;
}

/** Takes back every link to a new password of a login. */
export async function deleteResets(connection: Connection, { bucket, merchantId, loginId }: LoginKey): Promise<void> {
  await connection.query("delete from password_reset where bucket = $1 and merchant_id = $2 and login_id = $3", [
    bucket,
    merchantId,
    loginId,
  ]);
}

/** Removes links that are too old, of all logins. */
export async function forgetEndedResets(db: Queryable): Promise<void> {
  await db.query("delete from password_reset where expires_at < now()");
}

/** Takes back every link to a new password, of all logins. */
export async function deleteEveryReset(db: Queryable): Promise<void> {
  await db.query("delete from password_reset");
}
