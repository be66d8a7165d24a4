// SQL of events that are sent out of order, the table webhook_delivery: failed events that were set aside, and redeliveries.
// Also test events, which have no number, and the state of the queue.
import { takeOnNodes } from "../platform/database/citus/index.ts";
import { type Connection, type Queryable, inTransaction, type Pool } from "../platform/database/pool.ts";
import { table } from "../platform/database/table.ts";
import { TEST_EVENT_NO, type EndpointKey } from "./endpoint.ts";
import type { QueueState } from "../platform/jobs/worker.ts";

/** An event that waits to be retried, or was abandoned. */
export type Delivery = {
  readonly eventNo: bigint;
  readonly status: "Waiting" | "Failed";
  readonly tries: number;
  readonly firstAttemptAt: Temporal.Instant | null;
  readonly nextAttemptAt: Temporal.Instant;
};

const DELIVERIES = table<Delivery, Pick<Delivery, "eventNo">>("webhook_delivery", ["eventNo"], {
  eventNo: "bigint",
  status: "text",
  tries: "integer",
  firstAttemptAt: "timestamptz",
  nextAttemptAt: "timestamptz",
});

/** The endpoint's due events, longest due first, at most `limit`. */
export async function listDueDeliveries(
  db: Queryable,
  { bucket, merchantId, endpointId }: EndpointKey,
  limit: number,
): Promise<Delivery[]> {
  return DELIVERIES.select(db, {
    name: "list-due-webhook-deliveries",
    text: `select * from webhook_delivery
      where bucket = $1 and merchant_id = $2 and endpoint_id = $3 and status = 'Waiting' and next_attempt_at <= now()
        and event_no <> ${TEST_EVENT_NO}
      order by next_attempt_at, event_no
      limit $4`,
    values: [bucket, merchantId, endpointId, limit],
  });
}

export type DeliverySearch = {
  /** `null` for both. */
  readonly status: Delivery["status"] | null;
  /** The event after which the page begins; 0 for the first page. */
  readonly after: bigint;
  readonly limit: number;
};

/** The endpoint's waiting and abandoned events, in order. */
export async function listDeliveries(
  db: Queryable,
  { bucket, merchantId, endpointId }: EndpointKey,
  { status, after, limit }: DeliverySearch,
): Promise<Delivery[]> {
  return DELIVERIES.select(
    db,
    `select * from webhook_delivery
     where bucket = $1 and merchant_id = $2 and endpoint_id = $3 and ($4::text is null or status = $4) and event_no > $5
     order by event_no
     limit $6`,
    [bucket, merchantId, endpointId, status, after, limit],
  );
}

export type DeliveryCounts = {
  /** The merchant's events that are pending for the endpoint, including other types. */
  readonly behind: bigint;
  /** Set aside, or to be sent again. */
  readonly waiting: bigint;
  /** Abandoned. */
  readonly failed: bigint;
};

/** Counts an endpoint's pending, waiting and abandoned events. */
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
 * Queues events to be sent to the endpoint again, now and with new attempts. The caller has locked the endpoint.
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
     set status = 'Waiting', tries = 0, first_attempt_at = null, next_attempt_at = excluded.next_attempt_at,
       failed_at = null
     returning 1`,
    [bucket, merchantId, endpointId, eventNos],
  );
  await connection.query(
    `update webhook_endpoint set delivery_due_at = now()
     where bucket = $1 and merchant_id = $2 and endpoint_id = $3`,
    [bucket, merchantId, endpointId],
  );
}

/** How a failed event continues: retried after `pauseMs`, or abandoned if that is `null`. */
export type Postponement = {
  readonly eventNo: bigint;
  readonly tries: number;
  readonly firstAttemptAt: Temporal.Instant;
  readonly pauseMs: number | null;
};

/** Writes when a failed event is retried, or that it is abandoned. */
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

/** Removes delivered events. */
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

/** Removes events of all merchants that were abandoned before a time. Returns how many, at most `limit`. */
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

/** Requests a test event. Concurrent requests share one. */
export function requestTest(pool: Pool, { bucket, merchantId, endpointId }: EndpointKey): Promise<void> {
  return inTransaction(pool, async (connection) => {
    // The endpoint first, in the usual lock order.
    await connection.query(
      `update webhook_endpoint set delivery_due_at = least(delivery_due_at, now())
       where bucket = $1 and merchant_id = $2 and endpoint_id = $3`,
      [bucket, merchantId, endpointId],
    );
    await connection.query(
      `insert into webhook_delivery (bucket, merchant_id, endpoint_id, event_no, status, tries, next_attempt_at)
       values ($1, $2, $3, $4, 'Waiting', 0, now())
       on conflict (bucket, merchant_id, endpoint_id, event_no) do nothing`,
      [bucket, merchantId, endpointId, TEST_EVENT_NO],
    );
  });
}

/** Withdraws the request; returns false if it is being sent or was sent. */
export async function withdrawTest(db: Queryable, { bucket, merchantId, endpointId }: EndpointKey): Promise<boolean> {
  const { rowCount } = await db.query(
    "delete from webhook_delivery where bucket = $1 and merchant_id = $2 and endpoint_id = $3 and event_no = $4",
    [bucket, merchantId, endpointId, TEST_EVENT_NO],
  );
  return rowCount === 1;
}

/** Takes requests of all merchants, at most `limit`: each is taken by one process only. */
export async function takeTestRequests(db: Queryable, limit: number): Promise<EndpointKey[]> {
  const due = { table: "webhook_endpoint", condition: "delivery_due_at <= now()", limit };
  return takeOnNodes(db, due, async (part, share) => {
    const { rows } = await part.query<{ bucket: number; merchant_id: bigint; endpoint_id: bigint }>({
      name: "take-webhook-test-requests",
      text: `delete from webhook_delivery
      where (bucket, merchant_id, endpoint_id, event_no) in (
        select delivery.bucket, delivery.merchant_id, delivery.endpoint_id, delivery.event_no
        from webhook_endpoint endpoint
        join webhook_delivery delivery using (bucket, merchant_id, endpoint_id)
        where endpoint.delivery_due_at <= now() and delivery.event_no = $1
        limit $2)
      returning bucket, merchant_id, endpoint_id`,
      values: [TEST_EVENT_NO, share],
    });
    return rows.map((row) => ({ bucket: row.bucket, merchantId: row.merchant_id, endpointId: row.endpoint_id }));
  });
}

/**
 * The events that wait for enabled endpoints. Pending events count once for each endpoint, including other types.
 */
export async function countWebhookQueue(db: Queryable): Promise<QueueState> {
  const { rows } = await db.query<{
    ahead: bigint;
    ahead_retrying: bigint;
    ahead_due_at: Temporal.Instant | null;
    set_aside: bigint;
    set_aside_retrying: bigint;
    set_aside_due_at: Temporal.Instant | null;
    failed: bigint;
  }>(`
    with endpoint as (
      select webhook_endpoint.*, last_entry_no - cursor_event_no as ahead
      from webhook_endpoint
      join ledger_book using (bucket, merchant_id)
      where status = 'Enabled'
    ), in_order as (
      select
        coalesce(sum(ahead), 0)::bigint as ahead, count(*) filter (where head_tries > 0) as ahead_retrying,
        min(greatest(journal.created_at, next_attempt_at)) filter (where next_attempt_at <= now()) as ahead_due_at
      from endpoint
      left join journal
        on journal.bucket = endpoint.bucket and journal.merchant_id = endpoint.merchant_id
        and journal.entry_no = cursor_event_no + 1
      where ahead > 0
    ), waiting as (
      select
        count(*) as set_aside, count(*) filter (where delivery.tries > 0) as set_aside_retrying,
        min(delivery.next_attempt_at) filter (where delivery.next_attempt_at <= now()) as set_aside_due_at
      from endpoint
      join webhook_delivery delivery using (bucket, merchant_id, endpoint_id)
      where delivery.status = 'Waiting'
    )
    select
      in_order.*, waiting.*, (select count(*) from webhook_delivery where status = 'Failed') as failed
    from in_order, waiting`);
  const found = rows[0]!;
  const due = [found.ahead_due_at, found.set_aside_due_at].filter((at) => at !== null);
  return {
    name: "webhooks",
    waiting: found.ahead + found.set_aside,
    retrying: found.ahead_retrying + found.set_aside_retrying,
    failed: found.failed,
    oldestDueAt: due.toSorted((a, b) => Temporal.Instant.compare(a, b))[0] ?? null,
  };
}
