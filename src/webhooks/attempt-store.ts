// SQL of the log of attempts to send: the table webhook_attempt.
import type { Queryable } from "../platform/database/pool.ts";
import { table } from "../platform/database/table.ts";
import type { SecretTable } from "../platform/secrets/index.ts";
import type { EndpointKey } from "./endpoint.ts";

/** One attempt to send an event to an endpoint. */
export type Attempt = {
  readonly attemptedAt: Temporal.Instant;
  /** 0 for a test event. */
  readonly eventNo: bigint;
  readonly eventType: string;
  /** Whole milliseconds. */
  readonly durationMs: number;
  /** `null` without an answer. */
  readonly httpStatus: number | null;
  readonly succeeded: boolean;
  /** Why it failed; empty if it succeeded. */
  readonly error: string;
  /** The beginning of the answer's body. */
  readonly answer: string;
};

const ATTEMPTS = table<Attempt & EndpointKey, EndpointKey & Pick<Attempt, "eventNo">>(
  "webhook_attempt",
  // The time is part of the key too, but the database stores it with less precision than the process.
  ["bucket", "merchantId", "endpointId", "eventNo"],
  {
    bucket: "smallint",
    merchantId: "bigint",
    endpointId: "bigint",
    attemptedAt: "timestamptz",
    eventNo: "bigint",
    eventType: "text",
    durationMs: "integer",
    httpStatus: "integer",
    succeeded: "boolean",
    error: "text",
    // A receiver may echo the request, including account numbers.
    answer: "text sealed",
  },
);

export const ATTEMPT_SECRETS: SecretTable = {
  ...ATTEMPTS.secretTable(),
  key: {
    bucket: "smallint",
    merchant_id: "bigint",
    endpoint_id: "bigint",
    attempted_at: "timestamptz",
    event_no: "bigint",
  },
};

/** Logs attempts. */
export async function insertAttempts(
  db: Queryable,
  { bucket, merchantId, endpointId }: EndpointKey,
  attempts: readonly Attempt[],
): Promise<void> {
  if (attempts.length === 0) return;
  const rows = attempts.map((attempt) => ({ ...attempt, bucket, merchantId, endpointId }));
  await ATTEMPTS.insertAll(db, rows, "on conflict do nothing");
}

/** A filter: each member narrows it, unless `null` or left out. */
export type AttemptSearch = {
  readonly eventNo: bigint | null;
  readonly succeeded?: boolean | null;
  /** The attempt after which the page begins. */
  readonly after?: Pick<Attempt, "attemptedAt" | "eventNo"> | null;
  readonly limit: number;
};

/** The latest attempts at an endpoint, newest first. */
export async function listAttempts(
  db: Queryable,
  { bucket, merchantId, endpointId }: EndpointKey,
  { eventNo, succeeded = null, after = null, limit }: AttemptSearch,
): Promise<Attempt[]> {
  const taken = succeeded === null ? "" : succeeded ? "and succeeded" : "and not succeeded";
  return ATTEMPTS.select(
    db,
    `select * from webhook_attempt
     where bucket = $1 and merchant_id = $2 and endpoint_id = $3 and ($4::bigint is null or event_no = $4) ${taken}
       and ($5::timestamptz is null or (attempted_at, event_no) < ($5, $6))
     order by attempted_at desc, event_no desc
     limit $7`,
    [bucket, merchantId, endpointId, eventNo, after?.attemptedAt.toString() ?? null, after?.eventNo ?? null, limit],
  );
}

/** Removes attempts of all merchants from before a time. Returns how many, at most `limit`. */
export async function forgetAttempts(db: Queryable, before: Temporal.Instant, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `delete from webhook_attempt
     where (bucket, merchant_id, endpoint_id, attempted_at, event_no) in (
       select bucket, merchant_id, endpoint_id, attempted_at, event_no from webhook_attempt
       where attempted_at < $1 order by attempted_at limit $2)`,
    [before.toString(), limit],
  );
  return rowCount ?? 0;
}
