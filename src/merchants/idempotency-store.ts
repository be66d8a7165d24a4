// All SQL of Idempotency-Key: which request a key stands for, and its first answer.
import type { Connection, Queryable } from "../platform/database/pool.ts";
import type { MerchantKey } from "./merchant.ts";

/** A key that a caller sent, with the hash of its request (path and body, credentials left out). */
export type IdempotencyKey = { readonly key: string; readonly requestHash: Buffer };

/** Takes the key for this transaction; waits for a twin in flight. Answers whether it was free. */
export async function takeKey(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  now: Temporal.Instant,
  { key, requestHash }: IdempotencyKey,
): Promise<boolean> {
  const { rowCount } = await connection.query(
    `insert into idempotency_key (bucket, merchant_id, idempotency_key, request_hash, created_at)
     values ($1, $2, $3, $4, $5)
     on conflict do nothing`,
    [bucket, merchantId, key, requestHash, now.toString()],
  );
  return rowCount === 1;
}

/** Remembers the answer of the request that took the key. */
export async function storeAnswer(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  key: string,
  answer: unknown,
): Promise<void> {
  await connection.query(
    "update idempotency_key set response = $4 where bucket = $1 and merchant_id = $2 and idempotency_key = $3",
    [bucket, merchantId, key, JSON.stringify(answer)],
  );
}

/** What the key stands for. */
export async function readKey(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  key: string,
): Promise<{ requestHash: Buffer; answer: unknown }> {
  const { rows } = await connection.query<{ request_hash: Buffer; response: unknown }>(
    `select request_hash, response from idempotency_key
     where bucket = $1 and merchant_id = $2 and idempotency_key = $3`,
    [bucket, merchantId, key],
  );
  return { requestHash: rows[0]!.request_hash, answer: rows[0]!.response };
}

/** Forgets keys that are older than the given time. Answers how many. */
export async function forgetKeys(db: Queryable, before: Temporal.Instant): Promise<number> {
  const { rowCount } = await db.query("delete from idempotency_key where created_at < $1", [before.toString()]);
  return rowCount ?? 0;
}
