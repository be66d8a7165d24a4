// SQL of addresses that wait to be confirmed by a link: the table email_change.
// What belongs here: each link is taken once, by whoever deletes the row.
import type { Connection, Queryable } from "../../platform/database/pool.ts";
import { boundHash } from "./bound-hash.ts";
import type { LoginKey } from "./login.ts";

/** The place to which the hashes belong, with the login that they are in and the address that they confirm. */
const PLACE = "email_change.token_hash";

/** Keeps the address that a login is to sign in with, and the link that confirms it, good for so long. */
export async function insertEmailChange(
  connection: Connection,
  { bucket, merchantId, loginId }: LoginKey,
  { email, tokenHash, lifetimeMinutes }: { email: string; tokenHash: Buffer; lifetimeMinutes: number },
): Promise<void> {
  const kept = await boundHash(connection, PLACE, [bucket, merchantId, loginId], tokenHash, [email]);
  await connection.query(
    `insert into email_change (bucket, merchant_id, login_id, token_hash, email, expires_at)
     values ($1, $2, $3, $4, $5, now() + $6 * interval '1 minute')`,
    [bucket, merchantId, loginId, kept, email, lifetimeMinutes],
  );
}

/** Takes a link. Answers the address that it confirms; `null` where it was taken before, or is too old. */
export async function takeEmailChange(
  connection: Connection,
  { bucket, merchantId, loginId }: LoginKey,
  tokenHash: Buffer,
): Promise<string | null> {
  const key = [bucket, merchantId, loginId] as const;
  const waiting = await connection.query<{ email: string }>(
    "select email from email_change where bucket = $1 and merchant_id = $2 and login_id = $3",
    [...key],
  );
  for (const { email } of waiting.rows) {
    const kept = await boundHash(connection, PLACE, key, tokenHash, [email]);
    const { rowCount } = await connection.query(
      `delete from email_change
       where bucket = $1 and merchant_id = $2 and login_id = $3 and token_hash = $4 and email = $5 and expires_at > now()`,
      [...key, kept, email],
    );
    if (rowCount === 1) return email;
  }
  return null;
}

/** Takes back every link of a login to another address. */
export async function deleteEmailChanges(
  connection: Connection,
  { bucket, merchantId, loginId }: LoginKey,
): Promise<void> {
  await connection.query("delete from email_change where bucket = $1 and merchant_id = $2 and login_id = $3", [
    bucket,
    merchantId,
    loginId,
  ]);
}

/** Removes links that are too old, of all logins. */
export async function forgetEndedEmailChanges(db: Queryable): Promise<void> {
  await db.query("delete from email_change where expires_at < now()");
}

/** Takes back every link to another address, of all logins. */
export async function deleteEveryEmailChange(db: Queryable): Promise<void> {
  await db.query("delete from email_change");
}
