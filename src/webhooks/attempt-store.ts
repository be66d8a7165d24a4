// SQL of the log of attempts to send: the table webhook_attempt.
import type { Queryable } from "../platform/database/pool.ts";
import { readSecretRows, secretsOf, type SecretTable } from "../platform/secrets/index.ts";
import type { EndpointKey } from "./endpoint.ts";

/** A receiver may answer with what it was sent, account numbers and all. */
export const ATTEMPT_SECRETS: SecretTable = {
  table: "webhook_attempt",
  key: {
    bucket: "smallint",
    merchant_id: "bigint",
    endpoint_id: "bigint",
    attempted_at: "timestamptz",
    event_no: "bigint",
  },
  // The database keeps less of the time than the process has of it.
  path: ["bucket", "merchant_id", "endpoint_id", "event_no"],
  columns: ["answer"],
  indexes: [],
};

/** One attempt to send an event to an endpoint. */
export type Attempt = {
  readonly attemptedAt: Temporal.Instant;
  /** 0 for a test event. */
  readonly eventNo: bigint;
  readonly eventType: string;
  /** Whole milliseconds. */
  readonly durationMs: number;
  /** `null` where no answer came. */
  readonly httpStatus: number | null;
  readonly succeeded: boolean;
  /** Why it did not succeed; empty where it did. */
  readonly error: string;
  /** The beginning of the answer's body. */
  readonly answer: string;
};

/** Logs attempts. */
export async function insertAttempts(
  db: Queryable,
  { bucket, merchantId, endpointId }: EndpointKey,
  attempts: readonly Attempt[],
): Promise<void> {
  if (attempts.length === 0) return;
  const secrets = await secretsOf(db);
  const column = <T>(read: (attempt: Attempt) => T): T[] => attempts.map(read);
  await db.query({
    name: "insert-webhook-attempts",
    text: `insert into webhook_attempt (
        bucket, merchant_id, endpoint_id, attempted_at, event_no, event_type, duration_ms, http_status, succeeded, error,
        answer)
      select $1, $2, $3, *
      from unnest(
        $4::timestamptz[], $5::bigint[], $6::text[], $7::integer[], $8::integer[], $9::boolean[], $10::text[],
        $11::text[])
      on conflict do nothing`,
    values: [
      bucket,
      merchantId,
      endpointId,
      column((attempt) => attempt.attemptedAt.toString()),
      column((attempt) => attempt.eventNo),
      column((attempt) => attempt.eventType),
      column((attempt) => attempt.durationMs),
      column((attempt) => attempt.httpStatus),
      column((attempt) => attempt.succeeded),
      column((attempt) => attempt.error),
      column(({ eventNo, answer }) =>
        secrets.seal("webhook_attempt.answer", [bucket, merchantId, endpointId, eventNo], answer),
      ),
    ],
  });
}

type AttemptRow = {
  attempted_at: Temporal.Instant;
  event_no: bigint;
  event_type: string;
  duration_ms: number;
  http_status: number | null;
  succeeded: boolean;
  error: string;
  answer: string;
};

/** Which attempts: each member narrows them down, unless it is `null` or left out. */
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
  const { rows } = await db.query<AttemptRow>(
    `select * from webhook_attempt
     where bucket = $1 and merchant_id = $2 and endpoint_id = $3 and ($4::bigint is null or event_no = $4) ${taken}
       and ($5::timestamptz is null or (attempted_at, event_no) < ($5, $6))
     order by attempted_at desc, event_no desc
     limit $7`,
    [bucket, merchantId, endpointId, eventNo, after?.attemptedAt.toString() ?? null, after?.eventNo ?? null, limit],
  );
  return readSecretRows(db, rows, (row, secrets) => ({
    attemptedAt: row.attempted_at,
    eventNo: row.event_no,
    eventType: row.event_type,
    durationMs: row.duration_ms,
    httpStatus: row.http_status,
    succeeded: row.succeeded,
    error: row.error,
    answer: secrets.unseal("webhook_attempt.answer", [bucket, merchantId, endpointId, row.event_no], row.answer),
  }));
}

/** Removes attempts of every merchant that were made before then. Answers how many, at most `limit`. */
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
