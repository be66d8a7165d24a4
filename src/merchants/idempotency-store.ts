// All SQL of Idempotency-Key: the request of a key, and its first answer.
import type { Connection, Queryable } from "../platform/database/pool.ts";
import type { MerchantKey } from "./merchant.ts";

/** A key that a caller sent, with the hash of its request (path and body, credentials left out). */
export type IdempotencyKey = { readonly key: string; readonly requestHash: Buffer };

/** A key with its merchant. */
export type OwnedKey = MerchantKey & { readonly key: string };

/**
 * Takes keys, unique per merchant, for this transaction; waits for concurrent requests with the same ones. Returns the free keys.
 */
export async function takeKeys<Key extends OwnedKey & IdempotencyKey>(
  connection: Connection,
  now: Temporal.Instant,
  keys: readonly Key[],
): Promise<ReadonlySet<Key>> {
  const { rows } = await connection.query<{ merchant_id: bigint; idempotency_key: string }>({
    name: "take-idempotency-keys",
    // In one order everywhere, so that two requests with the same keys can't deadlock.
    text: `insert into idempotency_key (bucket, merchant_id, idempotency_key, request_hash, created_at)
      select bucket, merchant_id, key, request_hash, $5
      from unnest($1::smallint[], $2::bigint[], $3::text[], $4::bytea[]) as given (bucket, merchant_id, key, request_hash)
      order by bucket, merchant_id, key collate "C"
      on conflict do nothing
      returning merchant_id, idempotency_key`,
    values: [...ownedColumns(keys), keys.map(({ requestHash }) => requestHash), now.toString()],
  });
  const free = new Set(rows.map((row) => nameOf(row.merchant_id, row.idempotency_key)));
  return new Set(keys.filter(({ merchantId, key }) => free.has(nameOf(merchantId, key))));
}

/** Saves the answers, as JSON, of requests that took their keys. */
export async function storeAnswers(
  connection: Connection,
  answers: readonly (OwnedKey & { readonly answer: string | null })[],
): Promise<void> {
  await connection.query({
    name: "store-answers",
    text: `update idempotency_key as kept set response = given.response
      from unnest($1::smallint[], $2::bigint[], $3::text[], $4::jsonb[]) as given (bucket, merchant_id, key, response)
      where kept.bucket = given.bucket and kept.merchant_id = given.merchant_id and kept.idempotency_key = given.key`,
    values: [...ownedColumns(answers), answers.map(({ answer }) => answer)],
  });
}

/** Releases keys that this transaction took, for requests that were refused. */
export async function giveKeysBack(connection: Connection, keys: readonly OwnedKey[]): Promise<void> {
  await connection.query({
    name: "give-idempotency-keys-back",
    text: `delete from idempotency_key as kept
      using unnest($1::smallint[], $2::bigint[], $3::text[]) as given (bucket, merchant_id, key)
      where kept.bucket = given.bucket and kept.merchant_id = given.merchant_id and kept.idempotency_key = given.key`,
    values: ownedColumns(keys),
  });
}

/** The use of a key: the hash of the first request, and its answer. */
export type KeptAnswer = { readonly requestHash: Buffer; readonly answer: unknown };

/** The uses of keys, for those that are taken. */
export async function readKeys<Key extends OwnedKey>(
  connection: Connection,
  keys: readonly Key[],
): Promise<ReadonlyMap<Key, KeptAnswer>> {
  const { rows } = await connection.query<{
    merchant_id: bigint;
    idempotency_key: string;
    request_hash: Buffer;
    response: unknown;
  }>({
    name: "read-idempotency-keys",
    text: `select merchant_id, idempotency_key, request_hash, response
      from unnest($1::smallint[], $2::bigint[], $3::text[]) as given (bucket, merchant_id, idempotency_key)
      join idempotency_key using (bucket, merchant_id, idempotency_key)`,
    values: ownedColumns(keys),
  });
  const kept = new Map(
    rows.map((row) => [
      nameOf(row.merchant_id, row.idempotency_key),
      { requestHash: row.request_hash, answer: row.response },
    ]),
  );
  return new Map(
    keys.flatMap((key) => {
      const found = kept.get(nameOf(key.merchantId, key.key));
      return found ? [[key, found] as const] : [];
    }),
  );
}

function nameOf(merchantId: bigint, key: string): string {
  return `${merchantId} ${key}`;
}

function ownedColumns(keys: readonly OwnedKey[]): unknown[][] {
  return [keys.map(({ bucket }) => bucket), keys.map(({ merchantId }) => merchantId), keys.map(({ key }) => key)];
}

/** Deletes keys that are older than the given time. Returns how many. */
export async function forgetKeys(db: Queryable, before: Temporal.Instant): Promise<number> {
  const { rowCount } = await db.query("delete from idempotency_key where created_at < $1", [before.toString()]);
  return rowCount ?? 0;
}
