// SQL for messages that were held while nothing was configured that could send them, and go out once something is.
import type { MerchantKey } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import type { ChannelName } from "./notification.ts";

/** What is still of use to its reader. A reminder is about its day: the next one says what is owed then. */
export const IS_FRESH =
  "created_at > now() - case kind when 'reminder' then interval '1 day' else interval '7 days' end";

/** The merchants with messages held on these channels that are still of use. */
export async function listHeldMerchants(db: Queryable, channels: readonly ChannelName[]): Promise<MerchantKey[]> {
  const { rows } = await db.query<{ bucket: number; merchant_id: bigint }>(
    `select distinct bucket, merchant_id from notification
     where state = 'Held' and channel = any ($1::text[]) and ${IS_FRESH}`,
    [channels],
  );
  return rows.map((row) => ({ bucket: row.bucket, merchantId: row.merchant_id }));
}

/** Queues what a merchant has held on these channels, as if it had never been tried. Returns how many. */
export async function queueHeld(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  channels: readonly ChannelName[],
): Promise<number> {
  const { rowCount } = await db.query(
    `update notification set state = 'Queued', due_at = now(), attempts = 0, reason = null
     where bucket = $1 and merchant_id = $2 and state = 'Held' and channel = any ($3::text[]) and ${IS_FRESH}`,
    [bucket, merchantId, channels],
  );
  return rowCount ?? 0;
}
