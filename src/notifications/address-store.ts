// SQL of dead addresses: those that a mail server refused for good, for each merchant by itself.
import type { MerchantKey } from "../merchants/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import { addressKey } from "./notification.ts";

/** Why and since when nothing is sent to an address. */
export type DeadAddress = { readonly reason: string; readonly deadSince: Temporal.Instant };

/** Notes that an address is dead. What was noted of it before stays. */
export async function insertDeadAddress(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  address: string,
  reason: string,
): Promise<void> {
  await connection.query({
    name: "insert-dead-address",
    text: `insert into mail_address (bucket, merchant_id, address, reason, dead_since) values ($1, $2, $3, $4, now())
      on conflict (bucket, merchant_id, address) do nothing`,
    values: [bucket, merchantId, addressKey(address), reason],
  });
}

/** What is known against an address; `null` where nothing is. */
export async function findDeadAddress(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  address: string,
): Promise<DeadAddress | null> {
  const { rows } = await db.query<{ reason: string; dead_since: Temporal.Instant }>({
    name: "find-dead-address",
    text: "select reason, dead_since from mail_address where bucket = $1 and merchant_id = $2 and address = $3",
    values: [bucket, merchantId, addressKey(address)],
  });
  return rows[0] ? { reason: rows[0].reason, deadSince: rows[0].dead_since } : null;
}

/** Forgets what is known against an address. Answers false where it was not dead. */
export async function deleteDeadAddress(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  address: string,
): Promise<boolean> {
  const { rowCount } = await db.query(
    "delete from mail_address where bucket = $1 and merchant_id = $2 and address = $3",
    [bucket, merchantId, addressKey(address)],
  );
  return rowCount === 1;
}
