// SQL of the sign-in directory: which merchant, and whom of it, an e-mail address signs in.
// What belongs here: taking and freeing addresses. Each is unique in the installation.
import { createHash } from "node:crypto";
import type { Connection, Queryable } from "../../platform/database/pool.ts";
import type { LoginKey, LoginKind } from "./login.ts";

/** Addresses are the same that differ in case or in how their characters are composed. */
export function hashOfEmail(email: string): Buffer {
  return createHash("sha256").update(email.trim().normalize().toLowerCase()).digest();
}

/** Takes an address for somebody. Answers whether it was free; waits for another who is just taking or freeing it. */
export async function takeEmail(
  connection: Connection,
  email: string,
  login: LoginKey & { readonly kind: LoginKind },
): Promise<boolean> {
  const { rowCount } = await connection.query(
    `insert into sign_in (email_hash, bucket, merchant_id, subject_kind, subject_id)
     values ($1, $2, $3, $4, $5) on conflict do nothing`,
    [hashOfEmail(email), login.bucket, login.merchantId, login.kind, login.loginId],
  );
  return rowCount === 1;
}

/** Frees an address: whoever had it can't sign in any more. */
export async function releaseEmail(connection: Connection, email: string): Promise<void> {
  await connection.query("delete from sign_in where email_hash = $1", [hashOfEmail(email)]);
}

/** Whether somebody has the address. */
export async function isEmailTaken(db: Queryable, email: string): Promise<boolean> {
  const { rows } = await db.query("select from sign_in where email_hash = $1", [hashOfEmail(email)]);
  return rows.length > 0;
}

/** Whom the address signs in; `null` where nobody has it. */
export async function findByEmail(
  db: Queryable,
  email: string,
): Promise<(LoginKey & { readonly kind: LoginKind }) | null> {
  type Row = { bucket: number; merchant_id: bigint; subject_id: bigint; subject_kind: LoginKind };
  const { rows } = await db.query<Row>(
    "select bucket, merchant_id, subject_id, subject_kind from sign_in where email_hash = $1",
    [hashOfEmail(email)],
  );
  const [row] = rows;
  if (!row) return null;
  return { bucket: row.bucket, merchantId: row.merchant_id, loginId: row.subject_id, kind: row.subject_kind };
}
