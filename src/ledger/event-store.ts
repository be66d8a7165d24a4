// SQL of the outbox, which is the audit log too: what happened to a merchant, in order. What moves money is written there
// by ledger_post in schema/06_ledger.sql; what does not, by recordEvents.
import type { Connection, Queryable } from "../platform/database/pool.ts";
import { secretsOf } from "../platform/secrets/index.ts";
import { toMicrosecond } from "../platform/time.ts";
import type { AuditChange } from "./audit-values.ts";
import { proveEvent } from "./proof.ts";

/** Something that happened: the type says what, the subject to what. Numbers are without gaps for each merchant. */
export type Event = {
  readonly eventNo: bigint;
  readonly type: string;
  readonly subjectId: bigint;
  readonly createdAt: Temporal.Instant;
};

/** What happened, to what, and what it changed where no posting or row says it. */
export type Happening = AuditChange & { readonly type: string; readonly subjectId: bigint };

/**
 * Adds events without a posting to a merchant's outbox, in the given order and in the name of whoever acts in the
 * transaction, and holds the merchant's book from then on: call it last in a transaction, with every other lock taken.
 */
export async function recordEvents(
  connection: Connection,
  { bucket, merchantId }: { readonly bucket: number; readonly merchantId: bigint },
  happenings: readonly Happening[],
): Promise<void> {
  await recordEventsOfMany(
    connection,
    happenings.map((happening) => ({ ...happening, bucket, merchantId })),
  );
}

/** The same for several merchants. Their books must be new or held: nothing here takes them in order. */
export async function recordEventsOfMany(
  connection: Connection,
  happenings: readonly (Happening & { readonly bucket: number; readonly merchantId: bigint })[],
): Promise<void> {
  if (happenings.length === 0) return;
  const secrets = await secretsOf(connection);
  const createdAt = toMicrosecond(Temporal.Now.instant());
  const written = happenings.map((happening) => {
    const [before, after] = [happening.before, happening.after].map((values) =>
      values ? JSON.stringify(values) : null,
    );
    const said = { before: JSON.parse(before ?? "null") as unknown, after: JSON.parse(after ?? "null") as unknown };
    return { ...happening, before, after, proof: proveEvent(secrets, { ...happening, ...said, createdAt }) };
  });
  await connection.query({
    name: "record-events",
    text: `select record_events(
        $1::timestamptz, $2::smallint[], $3::bigint[], $4::text[], $5::bigint[], $6::jsonb[], $7::jsonb[],
        $8::bytea[])`,
    values: [
      createdAt.toString(),
      written.map(({ bucket }) => bucket),
      written.map(({ merchantId }) => merchantId),
      written.map(({ type }) => type),
      written.map(({ subjectId }) => subjectId),
      written.map(({ before }) => before),
      written.map(({ after }) => after),
      written.map(({ proof }) => proof),
    ],
  });
}

type EventRow = { event_no: bigint; type: string; subject_id: bigint; created_at: Temporal.Instant };

/** The merchant's first `limit` events after the given number, in order; of the given types, or of every one. */
export async function listEvents(
  db: Queryable,
  merchant: { readonly bucket: number; readonly merchantId: bigint },
  after: bigint,
  limit: number,
  types: readonly string[] | null = null,
): Promise<Event[]> {
  const { rows } = await db.query<EventRow>(
    `select event_no, type, subject_id, created_at from event
     where bucket = $1 and merchant_id = $2 and event_no > $3 and ($5::text[] is null or type = any ($5))
     order by event_no limit $4`,
    [merchant.bucket, merchant.merchantId, after, limit, types],
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
