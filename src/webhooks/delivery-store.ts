// SQL of events on a schedule of their own: the table webhook_delivery. Set aside after they were not taken in order, or
// asked for again. Test events, which have no number of their own, are in asked-test-store.ts.
import type { Connection, Queryable } from "../platform/database/pool.ts";
import { TEST_EVENT_NO, type EndpointKey } from "./endpoint.ts";

/** An event that waits, or that was given up. */
export type Delivery = {
  readonly eventNo: bigint;
  readonly status: "Waiting" | "Failed";
  readonly tries: number;
  readonly firstAttemptAt: Temporal.Instant | null;
  readonly nextAttemptAt: Temporal.Instant;
};

type DeliveryRow = {
  event_no: bigint;
  status: Delivery["status"];
  tries: number;
  first_attempt_at: Temporal.Instant | null;
  next_attempt_at: Temporal.Instant;
};

function fromRow(row: DeliveryRow): Delivery {
  return {
    eventNo: row.event_no,
    status: row.status,
    tries: row.tries,
    firstAttemptAt: row.first_attempt_at,
    nextAttemptAt: row.next_attempt_at,
  };
}

/** The endpoint's events whose turn has come, longest due first, at most `limit`. */
export async function listDueDeliveries(
  db: Queryable,
  { bucket, merchantId, endpointId }: EndpointKey,
  limit: number,
): Promise<Delivery[]> {
  const { rows } = await db.query<DeliveryRow>({
    name: "list-due-webhook-deliveries",
    text: `select * from webhook_delivery
      where bucket = $1 and merchant_id = $2 and endpoint_id = $3 and status = 'Waiting' and next_attempt_at <= now()
        and event_no <> ${TEST_EVENT_NO}
      order by next_attempt_at, event_no
      limit $4`,
    values: [bucket, merchantId, endpointId, limit],
  });
  return rows.map(fromRow);
}

/** The endpoint's events of a status, in order, at most `limit`. */
export async function listDeliveries(
  db: Queryable,
  { bucket, merchantId, endpointId }: EndpointKey,
  status: Delivery["status"],
  limit: number,
): Promise<Delivery[]> {
  const { rows } = await db.query<DeliveryRow>(
    `select * from webhook_delivery
     where bucket = $1 and merchant_id = $2 and endpoint_id = $3 and status = $4 and event_no <> ${TEST_EVENT_NO}
     order by event_no
     limit $5`,
    [bucket, merchantId, endpointId, status, limit],
  );
  return rows.map(fromRow);
}

export type DeliveryCounts = {
  /** The merchant's events that the endpoint has not come to, of its types or not. */
  readonly behind: bigint;
  /** Set aside, or asked for again. */
  readonly waiting: bigint;
  /** Given up. */
  readonly failed: bigint;
};

/** How much an endpoint has before it. */
export async function countDeliveries(
  db: Queryable,
  { bucket, merchantId, endpointId }: EndpointKey,
): Promise<DeliveryCounts> {
  const { rows } = await db.query<DeliveryCounts>(
    `select
       (
         select last_entry_no - cursor_event_no from ledger_book
         join webhook_endpoint endpoint using (bucket, merchant_id)
         where bucket = $1 and merchant_id = $2 and endpoint_id = $3
       ) as behind,
       count(*) filter (where status = 'Waiting') as waiting, count(*) filter (where status = 'Failed') as failed
     from webhook_delivery
     where bucket = $1 and merchant_id = $2 and endpoint_id = $3 and event_no <> ${TEST_EVENT_NO}`,
    [bucket, merchantId, endpointId],
  );
  return rows[0]!;
}

/**
 * Queues events to be sent to the endpoint again, now and from their first attempt on. The caller has locked the
 * endpoint.
 */
export async function queueDeliveries(
  connection: Connection,
  { bucket, merchantId, endpointId }: EndpointKey,
  eventNos: readonly bigint[],
): Promise<void> {
  await connection.query(
    `insert into webhook_delivery (bucket, merchant_id, endpoint_id, event_no, status, tries, next_attempt_at)
     select $1, $2, $3, event_no, 'Waiting', 0, now() from unnest($4::bigint[]) as event_no
     on conflict (bucket, merchant_id, endpoint_id, event_no) do update
     set status = 'Waiting', tries = 0, first_attempt_at = null, next_attempt_at = now(), failed_at = null`,
    [bucket, merchantId, endpointId, eventNos],
  );
  await connection.query(
    `update webhook_endpoint set delivery_due_at = now()
     where bucket = $1 and merchant_id = $2 and endpoint_id = $3`,
    [bucket, merchantId, endpointId],
  );
}

/** What became of an event that was not taken: tried again after `pauseMs`, or given up where that is `null`. */
export type Postponement = {
  readonly eventNo: bigint;
  readonly tries: number;
  readonly firstAttemptAt: Temporal.Instant;
  readonly pauseMs: number | null;
};

/** Writes down when an event that was not taken is tried again, or that it is given up. */
export async function postponeDelivery(
  connection: Connection,
  { bucket, merchantId, endpointId }: EndpointKey,
  { eventNo, tries, firstAttemptAt, pauseMs }: Postponement,
): Promise<void> {
  await connection.query(
    `insert into webhook_delivery (
       bucket, merchant_id, endpoint_id, event_no, status, tries, first_attempt_at, next_attempt_at, failed_at)
     values (
       $1, $2, $3, $4, case when $7::bigint is null then 'Failed' else 'Waiting' end, $5, $6,
       now() + coalesce($7::bigint, 0) * interval '1 millisecond', case when $7::bigint is null then now() end)
     on conflict (bucket, merchant_id, endpoint_id, event_no) do update
     set status = excluded.status, tries = excluded.tries, first_attempt_at = excluded.first_attempt_at,
       next_attempt_at = excluded.next_attempt_at, failed_at = excluded.failed_at`,
    [bucket, merchantId, endpointId, eventNo, tries, firstAttemptAt.toString(), pauseMs],
  );
}

/** Removes events that were taken. */
export async function removeDeliveries(
  connection: Connection,
  { bucket, merchantId, endpointId }: EndpointKey,
  eventNos: readonly bigint[],
): Promise<void> {
  if (eventNos.length === 0) return;
  await connection.query(
    "delete from webhook_delivery where bucket = $1 and merchant_id = $2 and endpoint_id = $3 and event_no = any ($4)",
    [bucket, merchantId, endpointId, eventNos],
  );
}

/** Removes events of every merchant that were given up before then. Answers how many, at most `limit`. */
export async function forgetFailedDeliveries(db: Queryable, before: Temporal.Instant, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `delete from webhook_delivery
     where (bucket, merchant_id, endpoint_id, event_no) in (
       select bucket, merchant_id, endpoint_id, event_no from webhook_delivery
       where status = 'Failed' and failed_at < $1 order by failed_at limit $2)`,
    [before.toString(), limit],
  );
  return rowCount ?? 0;
}
