// All SQL of Idempotency-Key: which request a key stands for, and its first answer.
import type { Connection, Queryable } from "../platform/database/pool.ts";
import type { MerchantKey } from "./merchant.ts";

/** A key that a caller sent, with the hash of its request (path and body, credentials left out). */
export type IdempotencyKey = { readonly key: string; readonly requestHash: Buffer };

/** Takes keys, no two alike, for this transaction; waits for twins in flight. Answers those that were free. */
export async function takeKeys(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  now: Temporal.Instant,
  keys: readonly IdempotencyKey[],
): Promise<ReadonlySet<string>> {
  const { rows } = await connection.query<{ idempotency_key: string }>({
    name: "take-idempotency-keys",
    // In one order everywhere, so that two that take the same keys never wait for each other in a circle.
    text: `insert into idempotency_key (bucket, merchant_id, idempotency_key, request_hash, created_at)
      select $1, $2, key, request_hash, $5
      from unnest($3::text[], $4::bytea[]) as given (key, request_hash)
      order by key collate "C"
      on conflict do nothing
      returning idempotency_key`,
    values: [
      bucket,
      merchantId,
      keys.map(({ key }) => key),
      keys.map(({ requestHash }) => requestHash),
      now.toString(),
    ],
  });
  return new Set(rows.map((row) => row.idempotency_key));
}

/** Remembers the answers of requests that took their keys. */
export async function storeAnswers(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  answers: readonly { readonly key: string; readonly answer: unknown }[],
): Promise<void> {
  await connection.query({
    name: "store-answers",
    text: `update idempotency_key set response = given.response
      from unnest($3::text[], $4::jsonb[]) as given (key, response)
      where bucket = $1 and merchant_id = $2 and idempotency_key = given.key`,
    values: [
      bucket,
      merchantId,
      answers.map(({ key }) => key),
      // As undefined has no JSON, a request without an answer leaves null.
      answers.map(({ answer }) => JSON.stringify(answer) ?? null),
    ],
  });
}

/** Gives keys back that this transaction took, for requests that were refused. */
export async function giveKeysBack(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  keys: readonly string[],
): Promise<void> {
  await connection.query({
    name: "give-idempotency-keys-back",
    text: "delete from idempotency_key where bucket = $1 and merchant_id = $2 and idempotency_key = any ($3)",
    values: [bucket, merchantId, keys],
  });
}

/** What keys stand for, by key. */
export async function readKeys(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  keys: readonly string[],
): Promise<ReadonlyMap<string, { readonly requestHash: Buffer; readonly answer: unknown }>> {
  const { rows } = await connection.query<{ idempotency_key: string; request_hash: Buffer; response: unknown }>({
    name: "read-idempotency-keys",
    text: `select idempotency_key, request_hash, response from idempotency_key
      where bucket = $1 and merchant_id = $2 and idempotency_key = any ($3)`,
    values: [bucket, merchantId, keys],
  });
  return new Map(rows.map((row) => [row.idempotency_key, { requestHash: row.request_hash, answer: row.response }]));
}

/** Forgets keys that are older than the given time. Answers how many. */
export async function forgetKeys(db: Queryable, before: Temporal.Instant): Promise<number> {
  const { rowCount } = await db.query("delete from idempotency_key where created_at < $1", [before.toString()]);
  return rowCount ?? 0;
}
