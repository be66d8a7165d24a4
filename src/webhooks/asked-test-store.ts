// SQL of test events that a command asks for: rows of webhook_delivery with the number 0, which no event of a merchant has.
// The process that removes one sends it.
import { inTransaction, type Pool, type Queryable } from "../platform/database/pool.ts";
import { TEST_EVENT_NO, type EndpointKey } from "./endpoint.ts";

/** Asks for a test event. Of several that ask at once, all get the same one. */
export function requestTest(pool: Pool, { bucket, merchantId, endpointId }: EndpointKey): Promise<void> {
  return inTransaction(pool, async (connection) => {
    // The endpoint first, as everybody takes it.
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

/** Takes back what was asked for; answers false where somebody is sending it, or has. */
export async function withdrawTest(db: Queryable, { bucket, merchantId, endpointId }: EndpointKey): Promise<boolean> {
  const { rowCount } = await db.query(
    "delete from webhook_delivery where bucket = $1 and merchant_id = $2 and endpoint_id = $3 and event_no = $4",
    [bucket, merchantId, endpointId, TEST_EVENT_NO],
  );
  return rowCount === 1;
}

/** Takes requests of all merchants, at most `limit`: whoever gets one here is the only one. */
export async function takeTestRequests(db: Queryable, limit: number): Promise<EndpointKey[]> {
  const { rows } = await db.query<{ bucket: number; merchant_id: bigint; endpoint_id: bigint }>({
    name: "take-webhook-test-requests",
    text: `delete from webhook_delivery
      where (bucket, merchant_id, endpoint_id, event_no) in (
        select delivery.bucket, delivery.merchant_id, delivery.endpoint_id, delivery.event_no
        from webhook_endpoint endpoint
        join webhook_delivery delivery using (bucket, merchant_id, endpoint_id)
        where endpoint.delivery_due_at <= now() and delivery.event_no = $1
        limit $2)
      returning bucket, merchant_id, endpoint_id`,
    values: [TEST_EVENT_NO, limit],
  });
  return rows.map((row) => ({ bucket: row.bucket, merchantId: row.merchant_id, endpointId: row.endpoint_id }));
}
