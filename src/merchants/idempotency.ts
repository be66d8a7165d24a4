// Idempotency-Key: the same key and request gives the first answer again. docs/rules/access.md#idempotency-key
import { createHash } from "node:crypto";
import { inTransaction, type Connection, type Pool, together, type Works } from "../platform/database/pool.ts";
import { secretsOf, type Secrets } from "../platform/secrets/index.ts";
import { NodalError, validationError } from "../platform/errors.ts";
import { NumberLiteral } from "../platform/json.ts";
import { giveKeysBack, readKeys, storeAnswers, takeKeys, type IdempotencyKey } from "./idempotency-store.ts";
import type { MerchantKey } from "./merchant.ts";
import type { Context } from "./use-case.ts";

const CREDENTIALS = new Set(["access_key_id", "secret_access_key"]);
const MAX_LENGTH = 255;

/** Sorts members, and converts bigint and dates to text, so that equal requests have equal JSON. */
function canonical(value: unknown): unknown {
  if (typeof value === "bigint" || value instanceof Temporal.PlainDate) return String(value);
  if (value instanceof NumberLiteral) return { number: value.text };
  if (value instanceof Uint8Array) return { bytes: createHash("sha256").update(value).digest("hex") };
  if (Array.isArray(value)) return value.map(canonical);
  if (value === null || typeof value !== "object") return value;
  // An object without own members would equal any other of its kind.
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
 * Reads the header of a request to `path`; `null` if there is none. Credentials are left out of the hash.
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
        problem: `Send one Idempotency-Key of 1 to ${MAX_LENGTH} printable ASCII characters.`,
      },
    ]);
  }
  const open = Object.fromEntries(Object.entries(body).filter(([name]) => !CREDENTIALS.has(name)));
  const requestHash = createHash("sha256")
    .update(`${path}\0${JSON.stringify(canonical(open))}`)
    .digest();
  return { key: header, requestHash };
}

/** @throws NodalError `idempotency_conflict` always: the key belongs to another request */
export function idempotencyConflict(): NodalError {
  return new NodalError(
    "idempotency_conflict",
    "This Idempotency-Key was used with another request: use a new key for each new request.",
  );
}

/**
 * The key with the stored form of its request: with a plain hash, anybody with the database could try account numbers until one
 * fits. Those of transfers, which contain no account, have the plain one: the group commit writes them.
 */
function keptForm(
  secrets: Secrets,
  { bucket, merchantId }: MerchantKey,
  { key, requestHash }: IdempotencyKey,
): MerchantKey & IdempotencyKey {
  const index = secrets.blindIndex("idempotency_key.request_hash", [bucket, merchantId], [requestHash]);
  return { bucket, merchantId, key, requestHash: index! };
}

/** The answer to a request; `replayed` if it answers an earlier one with the same key. */
export type Answered<T> = { readonly answer: T; readonly replayed: boolean };

/**
 * Runs `work` in a transaction that also saves its answer, or returns the first answer. The answer must survive JSON. A failed
 * request is not saved.
 * @throws NodalError `idempotency_conflict`
 */
export async function runIdempotently<T>(
  pool: Pool,
  merchant: MerchantKey,
  idempotency: IdempotencyKey | null,
  work: (connection: Connection) => Promise<T>,
): Promise<Answered<T>> {
  return inTransaction(pool, async (connection) => {
    const [outcome] = await runTogether(connection, [{ merchant, idempotency }], async () => [await work(connection)]);
    if (outcome instanceof NodalError) throw outcome;
    return outcome!;
  });
}

/**
 * Returns the first answer to the request's key, if any. A request that is refused now may have succeeded before.
 * @throws `refusal` if the key is unused, or there is none; NodalError `idempotency_conflict`
 */
export function refuseUnlessAnswered<T>(
  { pool, merchant, idempotency }: Omit<Context, "ids">,
  refusal: NodalError,
): Promise<Answered<T>> {
  return runIdempotently<T>(pool, merchant, idempotency, () => Promise.reject(refusal));
}

/** The answers to requests of a merchant with these keys, by key; unanswered ones are missing. */
export async function readAnswers(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  keys: readonly string[],
): Promise<ReadonlyMap<string, unknown>> {
  const asked = keys.map((key) => ({ bucket, merchantId, key }));
  const kept = await readKeys(connection, asked);
  return new Map([...kept].map(([{ key }, { answer }]) => [key, answer]));
}

/** A request of a merchant, with its key if it has one. */
type Keyed = { readonly merchant: MerchantKey; readonly idempotency: IdempotencyKey | null };

/** The results of requests, and the statements that save them. */
export type Decided<T> = { readonly outcomes: readonly (T | NodalError)[]; readonly writes: Works };

/**
 * The same for requests that share the caller's transaction, with keys unique per merchant. `work` gets those that are still to be
 * done, and returns a result or a refusal for each; a refused one must not have changed anything.
 */
export async function runTogether<Request extends Keyed, T>(
  connection: Connection,
  requests: readonly Request[],
  work: (requests: readonly Request[]) => Promise<readonly (T | NodalError)[]>,
): Promise<readonly (Answered<T> | NodalError)[]> {
  const { outcomes, writes } = await decideTogether(connection, requests, async (fresh) => {
    return { outcomes: await work(fresh), writes: [] };
  });
  await together(connection, ...writes);
  return outcomes;
}

/**
 * The same for requests that are only decided here. The caller sends the statements that write them, and save their answers, in the
 * same transaction.
 */
export async function decideTogether<Request extends Keyed, T>(
  connection: Connection,
  requests: readonly Request[],
  decide: (requests: readonly Request[]) => Promise<Decided<T>>,
): Promise<Decided<Answered<T>>> {
  const known = await takeOrRead<T>(connection, requests);
  const fresh = requests.filter((request) => !known.has(request));
  const decided = fresh.length === 0 ? { outcomes: [], writes: [] } : await decide(fresh);
  const done = new Map(fresh.map((request, index) => [request, decided.outcomes[index]!]));
  const outcomes = requests.map((request): Answered<T> | NodalError => {
    const settled = known.get(request);
    if (settled) return settled;
    const result = done.get(request)!;
    return result instanceof NodalError ? result : { answer: result, replayed: false };
  });
  return { outcomes, writes: [...decided.writes, ...remember(connection, fresh, decided.outcomes)] };
}

/** Takes the keys of requests. Returns the earlier uses of those already taken. */
async function takeOrRead<T>(
  connection: Connection,
  requests: readonly Keyed[],
): Promise<Map<object, Answered<T> | NodalError>> {
  const known = new Map<object, Answered<T> | NodalError>();
  const keyed = requests.filter(({ idempotency }) => idempotency !== null);
  if (keyed.length === 0) return known;
  const secrets = await secretsOf(connection);
  const kept = keyed.map(({ merchant, idempotency }) => keptForm(secrets, merchant, idempotency!));
  const free = await takeKeys(connection, Temporal.Now.instant(), kept);
  const taken = kept.filter((key) => !free.has(key));
  if (taken.length === 0) return known;
  const stored = await readKeys(connection, taken);
  for (const [index, request] of keyed.entries()) {
    const first = stored.get(kept[index]!);
    if (!first) continue;
    // Even if it is a transfer's, which has no answer here.
    const isSame = first.requestHash.equals(kept[index]!.requestHash);
    known.set(request, isSame ? { answer: first.answer as T, replayed: true } : idempotencyConflict());
  }
  return known;
}

/** Saves the answers of requests whose keys were taken, and releases the keys of refused ones. */
function remember(connection: Connection, requests: readonly Keyed[], results: readonly unknown[]): Works {
  const keyed = requests.flatMap(({ merchant: { bucket, merchantId }, idempotency }, index) =>
    idempotency === null ? [] : [{ bucket, merchantId, key: idempotency.key, answer: results[index] }],
  );
  // undefined has no JSON: a request without an answer stores null.
  const answers = keyed
    .filter(({ answer }) => !(answer instanceof NodalError))
    .map((each) => ({ ...each, answer: JSON.stringify(each.answer) ?? null }));
  const refused = keyed.filter(({ answer }) => answer instanceof NodalError);
  return [
    ...(answers.length > 0 ? [() => storeAnswers(connection, answers)] : []),
    ...(refused.length > 0 ? [() => giveKeysBack(connection, refused)] : []),
  ];
}
