// SQL of messages that are held because no configured channel could send them.
import type { MerchantKey } from "../merchants/index.ts";
import { findOnNodes } from "../platform/database/citus/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import type { ChannelName } from "./notification.ts";

/** Messages that are still useful. A reminder is only useful on its day: the next one says what is due then. */
export const IS_FRESH = `(
  created_at > now() - interval '1 day' or kind <> 'reminder' and created_at > now() - interval '7 days')`;

/** The merchants with held messages on these channels that are still useful. */
export async function listHeldMerchants(db: Queryable, channels: readonly ChannelName[]): Promise<MerchantKey[]> {
  const condition = `state = 'Held' and channel = any ($1::text[]) and ${IS_FRESH}`;
  const held = { table: "notification", condition, values: [channels], limit: null };
  return findOnNodes(db, held, async (part) => {
    const { rows } = await part.query<{ bucket: number; merchant_id: bigint }>({
      name: "list-held-merchants",
      text: `select distinct bucket, merchant_id from notification where ${condition}`,
      values: [channels],
    });
    return rows.map((row) => ({ bucket: row.bucket, merchantId: row.merchant_id }));
  });
}

/** Queues a merchant's held messages on these channels, as if they had never been tried. Returns how many. */
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
