// Whole requests under an Idempotency-Key, for use cases that take no key themselves: docs/api.md#idempotency-key
import { joinedPool } from "../platform/database/joined-pool.ts";
import { inTransaction, type Pool } from "../platform/database/pool.ts";
import { NodalError } from "../platform/errors.ts";
import { runIdempotently, runTogether, type Answered } from "./idempotency.ts";
import { giveKeysBack, storeAnswers, type IdempotencyKey } from "./idempotency-store.ts";
import type { MerchantKey } from "./merchant.ts";

/** Members of answers that are not stored, since the database would have them in the clear. A repeated answer has them empty. */
const NOT_KEPT: ReadonlySet<string> = new Set(
  (
    "secret secret_access_key password webhook_secret token totp_secret recovery_codes " +
    "account_number bank_account bank_account_no upi key_id"
  ).split(" "),
);

/**
 * Runs `work` over a pool whose transactions are all parts of the one that saves the key and the answer: a request is done with its
 * answer saved, or not at all. `work` must only use the database, since it may run again.
 * @throws NodalError `idempotency_conflict`
 */
export async function runOnce<T>(
  pool: Pool,
  merchant: MerchantKey,
  idempotency: IdempotencyKey,
  work: (pool: Pool) => Promise<T>,
): Promise<Answered<T>> {
  return inTransaction(pool, async (connection) => {
    let whole: T | undefined;
    const [outcome] = await runTogether(connection, [{ merchant, idempotency }], async () => {
      whole = await work(joinedPool(pool, connection));
      return [withoutSecrets(whole) as T];
    });
    if (outcome instanceof NodalError) throw outcome;
    return outcome!.replayed ? outcome! : { answer: whole!, replayed: false };
  });
}

/**
 * Runs `work`, which has effects outside the database, at most once: the key is saved before it, and the answer after. If the
 * process ends in between, the outcome is unknown, and the key is refused from then on.
 * @throws NodalError `idempotency_conflict`; `request_interrupted` for a key whose request has no answer
 */
export async function runAtMostOnce<T>(
  pool: Pool,
  { bucket, merchantId }: MerchantKey,
  idempotency: IdempotencyKey,
  work: () => Promise<T>,
): Promise<Answered<T>> {
  const { answer: kept, replayed } = await runIdempotently<T | undefined>(
    pool,
    { bucket, merchantId },
    idempotency,
    () => Promise.resolve(undefined),
  );
  if (replayed && (kept ?? null) === null) throw interrupted();
  if (replayed) return { answer: kept as T, replayed };
  const key = { bucket, merchantId, key: idempotency.key };
  try {
    const answer = await work();
    const stored = { ...key, answer: JSON.stringify(withoutSecrets(answer)) };
    await inTransaction(pool, (connection) => storeAnswers(connection, [stored]));
    return { answer, replayed: false };
  } catch (error) {
    // A refusal has changed nothing. After any other error, the outcome is unknown.
    if (error instanceof NodalError && error.status < 500) {
      await inTransaction(pool, (connection) => giveKeysBack(connection, [key]));
    }
    throw error;
  }
}

function interrupted(): NodalError {
  return new NodalError(
    "request_interrupted",
    "The first request with this Idempotency-Key has no answer yet, or was interrupted. Look up what it changed before you " +
      "send it again with a new key.",
  );
}

/** The same value with every secret empty. */
function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (!NOT_KEPT.has(name)) return [name, withoutSecrets(member)];
      return [name, typeof member === "string" ? "" : Array.isArray(member) ? [] : withoutSecrets(member)];
    }),
  );
}
