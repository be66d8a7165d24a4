// SQL of the sign-in directory: whom an e-mail address signs in, at each merchant. Each is unique within a merchant,
// and among the operators.
import { createHash } from "node:crypto";
import type { Connection, Queryable } from "../../platform/database/pool.ts";
import type { MerchantKey } from "../merchant.ts";
import type { LoginKey, LoginKind } from "./login.ts";

/** More logins than any one person has. */
const MAX_LOGINS = 10;

/** A login as the directory has it. */
export type KnownLogin = LoginKey & { readonly kind: LoginKind };

/**
 * Of which login somebody speaks: that of the address at this merchant, or where none is named that which the address
 * has without one.
 */
export type LoginName = { readonly email: string; readonly merchantId: bigint | null };

/** Addresses are the same that differ in case or in how their characters are composed. */
export function hashOfEmail(email: string): Buffer {
  return createHash("sha256").update(email.trim().normalize().toLowerCase()).digest();
}

/**
 * Takes an address for somebody. Returns whether no other login of the merchant has it; waits for another who is just
 * taking or freeing it. `isAlone`: it signs in without its merchant too, as an operator always does. That is never for
 * a merchant to give.
 */
export async function takeEmail(
  connection: Connection,
  email: string,
  login: KnownLogin,
  isAlone = login.kind === "operator",
): Promise<boolean> {
  const { rowCount } = await connection.query(
    `insert into sign_in (email_hash, bucket, merchant_id, subject_kind, subject_id, alone_since)
     values ($1, $2, $3, $4, $5, case when $6 then now() end) on conflict do nothing`,
    [hashOfEmail(email), login.bucket, login.merchantId, login.kind, login.loginId, isAlone],
  );
  return rowCount === 1;
}

/** Frees an address of a merchant, or of the operators: its login there can't sign in any more. */
export async function releaseEmail(
  connection: Connection,
  email: string,
  { bucket, merchantId }: MerchantKey,
): Promise<void> {
  await connection.query("delete from sign_in where email_hash = $1 and bucket = $2 and merchant_id = $3", [
    hashOfEmail(email),
    bucket,
    merchantId,
  ]);
}

/** Whether a login of the merchant, or an operator for theirs, has the address. */
export async function isEmailTaken(
  db: Queryable,
  email: string,
  { bucket, merchantId }: MerchantKey,
): Promise<boolean> {
  const { rows } = await db.query("select from sign_in where email_hash = $1 and bucket = $2 and merchant_id = $3", [
    hashOfEmail(email),
    bucket,
    merchantId,
  ]);
  return rows.length > 0;
}

type Row = { bucket: number; merchant_id: bigint; subject_id: bigint; subject_kind: LoginKind };
const COLUMNS = "bucket, merchant_id, subject_id, subject_kind";

/**
 * Whom the address signs in; `null` where that is nobody. Without a merchant an operator comes first, then the login that had
 * the address first.
 */
export async function findByEmail(db: Queryable, { email, merchantId }: LoginName): Promise<KnownLogin | null> {
  const { rows } =
    merchantId === null
      ? await db.query<Row>(
          `select ${COLUMNS} from sign_in where email_hash = $1 and alone_since is not null
           order by merchant_id <> 0, alone_since, merchant_id limit 1`,
          [hashOfEmail(email)],
        )
      : await listAtMerchant(db, email, merchantId);
  return rows[0] ? fromRow(rows[0]) : null;
}

/**
 * Every login that the address has, or the one at a merchant: for mail to the address, and for nobody else to learn of.
 * A few are enough; those that sign in without their merchant come first.
 */
export async function listByEmail(db: Queryable, { email, merchantId }: LoginName): Promise<KnownLogin[]> {
  const { rows } =
    merchantId === null
      ? await db.query<Row>(
          `select ${COLUMNS} from sign_in where email_hash = $1
           order by merchant_id <> 0, alone_since, merchant_id limit ${MAX_LOGINS}`,
          [hashOfEmail(email)],
        )
      : await listAtMerchant(db, email, merchantId);
  return rows.map(fromRow);
}

/** Operators belong to no merchant: the number 0 names nobody. */
function listAtMerchant(db: Queryable, email: string, merchantId: bigint): Promise<{ rows: Row[] }> {
  return db.query<Row>(
    `select ${COLUMNS} from sign_in where email_hash = $1 and merchant_id = $2 and merchant_id <> 0`,
    [hashOfEmail(email), merchantId],
  );
}

function fromRow(row: Row): KnownLogin {
  return { bucket: row.bucket, merchantId: row.merchant_id, loginId: row.subject_id, kind: row.subject_kind };
}
