// Idempotency-Key: the same key and request gives the first answer again.
// What belongs here: the rule. Source: decisions.md, "Access".
import { createHash } from "node:crypto";
import { inTransaction, type Connection, type Pool } from "../platform/database/pool.ts";
import { secretsOf } from "../platform/secrets/index.ts";
import { NodalError, validationError } from "../platform/errors.ts";
import { readKey, storeAnswer, takeKey, type IdempotencyKey } from "./idempotency-store.ts";
import type { MerchantKey } from "./merchant.ts";

const CREDENTIALS = new Set(["access_key_id", "secret_access_key"]);
const MAX_LENGTH = 255;

/** The same members in the same order, and bigint and dates as text, so that equal requests have equal JSON. */
function canonical(value: unknown): unknown {
  if (typeof value === "bigint" || value instanceof Temporal.PlainDate) return String(value);
  if (Array.isArray(value)) return value.map(canonical);
  if (value === null || typeof value !== "object") return value;
  // Whatever has no members of its own would be the same as anything else of its kind.
  if (!isPlain(value)) throw new Error(`a request holds a ${value.constructor.name}, which can't be compared`);
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, canonical(member)]),
  );
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * Reads the header of a request to `path`, or answers `null` where there is none. Credentials are left out of the hash.
 * @throws NodalError `validation_failed` for a key that is empty, too long or not printable ASCII
 */
export function readIdempotencyKey(
  header: string | string[] | undefined,
  path: string,
  body: Readonly<Record<string, unknown>>,
): IdempotencyKey | null {
  if (header === undefined) return null;
  if (typeof header !== "string" || header.length > MAX_LENGTH || !/^[\x21-\x7e]+( +[\x21-\x7e]+)*$/.test(header)) {
    throw validationError([
      {
        field: "Idempotency-Key",
        code: "invalid",
        message: `Send one Idempotency-Key of 1 to ${MAX_LENGTH} printable ASCII characters.`,
      },
    ]);
  }
  const open = Object.fromEntries(Object.entries(body).filter(([name]) => !CREDENTIALS.has(name)));
  const requestHash = createHash("sha256")
    .update(`${path}\0${JSON.stringify(canonical(open))}`)
    .digest();
  return { key: header, requestHash };
}

/** @throws NodalError `idempotency_conflict` always: the key stands for another request */
export function idempotencyConflict(): NodalError {
  return new NodalError(
    "idempotency_conflict",
    "This Idempotency-Key was used with another request: use a new key for a new request.",
  );
}

/**
 * The key with the request as it is kept: a bare hash would let whoever has the database try account numbers until one
 * fits. Those of transfers, which name no account, have the bare one: the group commit writes them.
 */
async function keptForm(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  { key, requestHash }: IdempotencyKey,
): Promise<IdempotencyKey> {
  const secrets = await secretsOf(connection);
  const index = secrets.blindIndex("idempotency_key.request_hash", [bucket, merchantId], [requestHash]);
  return { key, requestHash: index! };
}

/**
 * Runs `work` in a transaction that also remembers its answer, or answers with the first one. The answer must survive
 * JSON. A request that fails is not remembered.
 * @throws NodalError `idempotency_conflict`
 */
export async function runIdempotently<T>(
  pool: Pool,
  merchant: MerchantKey,
  idempotency: IdempotencyKey | null,
  work: (connection: Connection) => Promise<T>,
): Promise<{ answer: T; replayed: boolean }> {
  return inTransaction(pool, async (connection) => {
    const kept = idempotency && (await keptForm(connection, merchant, idempotency));
    if (kept && !(await takeKey(connection, merchant, Temporal.Now.instant(), kept))) {
      const known = await readKey(connection, merchant, kept.key);
      // Also where it is a transfer's, of which there is no answer here.
      if (!known.requestHash.equals(kept.requestHash)) throw idempotencyConflict();
      return { answer: known.answer as T, replayed: true };
    }
    const answer = await work(connection);
    if (idempotency) await storeAnswer(connection, merchant, idempotency.key, answer);
    return { answer, replayed: false };
  });
}
