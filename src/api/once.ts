// Idempotency-Key for every request that changes something: docs/api.md#idempotency-key
import {
  readIdempotencyKey,
  runAtMostOnce,
  runOnce,
  type IdempotencyKey,
  type MerchantKey,
} from "../merchants/index.ts";
import type { Pool } from "../platform/database/pool.ts";
import { text } from "../platform/http/fields.ts";

/**
 * How a route supports idempotency keys. By default, it only uses `db`, in one transaction with the key. `by_use_case`:
 * it passes `idempotency` to a use case that saves keys. `at_most_once`: it does more than use `db`, such as calling a
 * provider. `changes_nothing`: it needs no key.
 */
export type Once = "by_use_case" | "at_most_once" | "changes_nothing";

type Request = {
  readonly method: string;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
};
type Reply = { header(name: string, value: string): unknown };

/** The idempotency key of a request; `null` if it has none, or only reads. @throws NodalError `validation_failed` */
export function idempotencyOf(request: Request, route: string): IdempotencyKey | null {
  if (request.method === "GET" || request.method === "HEAD") return null;
  const { merchant_id: _, ...params } = request.params as { readonly merchant_id?: string };
  const { query, body = null, headers } = request;
  return readIdempotencyKey(headers["idempotency-key"], `v4 ${route}`, { params, query, body });
}

type Call = { readonly db: Pool; readonly owner: MerchantKey; readonly idempotency: IdempotencyKey | null };

/** Answers a request, or repeats the answer to the first one with its key. @throws NodalError `idempotency_conflict`, `request_interrupted` */
export async function answerOnce<A>(
  { db, owner, idempotency }: Call,
  once: Once | undefined,
  reply: Reply,
  handle: (db: Pool) => A | Promise<A>,
): Promise<A> {
  if (idempotency === null || once === "by_use_case" || once === "changes_nothing") return handle(db);
  const work = async (pool: Pool): Promise<A> => handle(pool);
  const { answer, replayed } =
    once === "at_most_once"
      ? await runAtMostOnce(db, owner, idempotency, () => work(db))
      : await runOnce(db, owner, idempotency, work);
  markReplayed(reply, replayed);
  return answer;
}

/** Marks the answer as a replay of the first one. */
export function markReplayed(reply: Reply, replayed: boolean): void {
  if (replayed) reply.header("idempotent-replayed", "true");
}

/** The idempotency key of one of several items in a request. */
export const requestKey = () =>
  text({ hint: "a key of 8 to 100 letters, digits and -", maxLength: 100, pattern: /^[A-Za-z0-9-]{8,100}$/ });

/** The key with its request: the same key with a different request is refused. `what` is the kind of request. */
export function keyOf(
  what: string,
  { request_key: key, ...asked }: { readonly request_key: string } & Readonly<Record<string, unknown>>,
): IdempotencyKey {
  return readIdempotencyKey(key, `dashboard ${what}`, asked)!;
}
