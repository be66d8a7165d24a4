// SQL of the outbox: reading what happened to a merchant, in order. It is written by ledger_post in the migrations.
import type { Queryable } from "../platform/database/pool.ts";

/** Something that happened: the type says what, the subject to what. Numbers are without gaps for each merchant. */
export type Event = {
  readonly eventNo: bigint;
  readonly type: string;
  readonly subjectId: bigint;
  readonly createdAt: Temporal.Instant;
};

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
