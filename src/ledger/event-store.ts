// SQL of the outbox: what happened to a merchant, in order. What moves money is written there by ledger_post in the
// migrations; what does not, by recordEvents.
import type { Connection, Queryable } from "../platform/database/pool.ts";

/** Something that happened: the type says what, the subject to what. Numbers are without gaps for each merchant. */
export type Event = {
  readonly eventNo: bigint;
  readonly type: string;
  readonly subjectId: bigint;
  readonly createdAt: Temporal.Instant;
};

/** What happened, and to what. */
export type Happening = { readonly type: string; readonly subjectId: bigint };

/**
 * Adds events without a posting to a merchant's outbox, in the given order, and holds the merchant's book from then on:
 * call it last in a transaction, with every other lock taken.
 */
export async function recordEvents(
  connection: Connection,
  { bucket, merchantId }: { readonly bucket: number; readonly merchantId: bigint },
  happenings: readonly Happening[],
): Promise<void> {
  if (happenings.length === 0) return;
  await connection.query({
    name: "record-events",
    text: `select record_events(
        $1::timestamptz, array_fill($2::smallint, array[cardinality($4::text[])]),
        array_fill($3::bigint, array[cardinality($4::text[])]), $4::text[], $5::bigint[])`,
    values: [
      Temporal.Now.instant().toString(),
      bucket,
      merchantId,
      happenings.map((happening) => happening.type),
      happenings.map((happening) => happening.subjectId),
    ],
  });
}

type EventRow = { event_no: bigint; type: string; subject_id: bigint; created_at: Temporal.Instant };

/** The merchant's first `limit` events after the given number, in order. */
export async function listEvents(
  db: Queryable,
  merchant: { readonly bucket: number; readonly merchantId: bigint },
  after: bigint,
  limit: number,
): Promise<Event[]> {
  const { rows } = await db.query<EventRow>(
    `select event_no, type, subject_id, created_at from event
     where bucket = $1 and merchant_id = $2 and event_no > $3
     order by event_no limit $4`,
    [merchant.bucket, merchant.merchantId, after, limit],
  );
  return rows.map((row) => ({
    eventNo: row.event_no,
    type: row.type,
    subjectId: row.subject_id,
    createdAt: row.created_at,
  }));
}

/** The merchant's events of these numbers, in order. */
export async function findEvents(
  db: Queryable,
  merchant: { readonly bucket: number; readonly merchantId: bigint },
  eventNos: readonly bigint[],
): Promise<Event[]> {
  const { rows } = await db.query<EventRow>(
    `select event_no, type, subject_id, created_at from event
     where bucket = $1 and merchant_id = $2 and event_no = any ($3)
     order by event_no`,
    [merchant.bucket, merchant.merchantId, eventNos],
  );
  return rows.map((row) => ({
    eventNo: row.event_no,
    type: row.type,
    subjectId: row.subject_id,
    createdAt: row.created_at,
  }));
}
