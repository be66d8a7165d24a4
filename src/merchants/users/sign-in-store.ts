// SQL of the sign-in directory: the login of an e-mail address, at each merchant. An address is unique within a merchant, and among
// the operators.
import { createHash } from "node:crypto";
import type { Connection, Queryable } from "../../platform/database/pool.ts";
import type { MerchantKey } from "../merchant.ts";
import type { LoginKey, LoginKind } from "./login.ts";

/** More logins than any one person has. */
const MAX_LOGINS = 10;

/** A login as the directory has it. */
export type KnownLogin = LoginKey & { readonly kind: LoginKind };

/**
 * The login that a caller names: that of the address at this merchant or, without a merchant, the one that signs in by the address
 * alone.
 */
export type LoginName = { readonly email: string; readonly merchantId: bigint | null };

/** Addresses are equal if they differ only in case or in Unicode composition. */
export function hashOfEmail(email: string): Buffer {
  return createHash("sha256").update(email.trim().normalize().toLowerCase()).digest();
}

/**
 * Reserves an address for a login. Returns whether it was free at the merchant; waits for concurrent changes of it. `isAlone`: it
 * also signs in without naming the merchant, as operators always do. A merchant can't grant that.
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

/** Whether a login of the merchant, or an operator, has the address. */
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
 * The login that the address signs in; `null` if there is none. Without a merchant an operator comes first, then the login that had
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
 * Every login with the address, or the one at a merchant: only for mail to that address, not to be disclosed. Limited to a few;
 * those that sign in without their merchant come first.
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

/** Operators belong to no merchant: 0 stands in for it. */
function listAtMerchant(db: Queryable, email: string, merchantId: bigint): Promise<{ rows: Row[] }> {
  return db.query<Row>(
    `select ${COLUMNS} from sign_in where email_hash = $1 and merchant_id = $2 and merchant_id <> 0`,
    [hashOfEmail(email), merchantId],
  );
}

function fromRow(row: Row): KnownLogin {
  return { bucket: row.bucket, merchantId: row.merchant_id, loginId: row.subject_id, kind: row.subject_kind };
}
