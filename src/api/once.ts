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
 * How a route keeps to a key. Without a word it does nothing but use `db`, in one transaction with the key. `by_use_case`: it
 * hands `idempotency` on to a use case that keeps keys. `at_most_once`: it does more than use `db`, such as asking a provider.
 * `changes_nothing`: it has no use for a key.
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

/** The key that a request bears; `null` where it has none, and for one that reads. @throws NodalError `validation_failed` */
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

/** Says in the answer that it is the first one again. */
export function markReplayed(reply: Reply, replayed: boolean): void {
  if (replayed) reply.header("idempotent-replayed", "true");
}

/** The key of one of several things that a request asks for. */
export const requestKey = () =>
  text({ hint: "a key of 8 to 100 letters, digits and -", maxLength: 100, pattern: /^[A-Za-z0-9-]{8,100}$/ });

/** The key with what was asked under it: the same key with another request is refused. `what` says what is asked for. */
export function keyOf(
  what: string,
  { request_key: key, ...asked }: { readonly request_key: string } & Readonly<Record<string, unknown>>,
): IdempotencyKey {
  return readIdempotencyKey(key, `dashboard ${what}`, asked)!;
}
