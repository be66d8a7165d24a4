// SQL that tells how the queue of webhooks stands, over all merchants. Reads only.
import type { Queryable } from "../platform/database/pool.ts";
import type { QueueState } from "../platform/jobs/queue.ts";

/**
 * What waits for enabled endpoints. Events that no endpoint has come to yet count once for each that will look at them, of
 * its types or not.
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
