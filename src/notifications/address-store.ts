// SQL of dead addresses: those that a mail server refused for good, for each merchant by itself.
import type { MerchantKey } from "../merchants/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import { NOW, table } from "../platform/database/table.ts";
import { addressKey } from "./notification.ts";

/** Why and since when nothing is sent to an address. */
export type DeadAddress = { readonly reason: string; readonly deadSince: Temporal.Instant };

type AddressKey = MerchantKey & { readonly address: string };
const DEAD_ADDRESSES = table<AddressKey & DeadAddress, AddressKey>(
  "mail_address",
  ["bucket", "merchantId", "address"],
  {
    bucket: "smallint",
    merchantId: "bigint",
    address: "text",
    reason: "text",
    deadSince: "timestamptz",
  },
);

/** Notes that an address is dead. What was noted of it before stays. */
export async function insertDeadAddress(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  address: string,
  reason: string,
): Promise<void> {
  const dead = { bucket, merchantId, address: addressKey(address), reason, deadSince: NOW };
  await DEAD_ADDRESSES.insert(connection, dead, "on conflict (bucket, merchant_id, address) do nothing");
}

/** What is known against an address; `null` where nothing is. */
export function findDeadAddress(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  address: string,
): Promise<DeadAddress | null> {
  return DEAD_ADDRESSES.find(db, { bucket, merchantId, address: addressKey(address) });
}

/** Forgets what is known against an address. Returns false where it was not dead. */
export function deleteDeadAddress(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  address: string,
): Promise<boolean> {
  return DEAD_ADDRESSES.delete(db, { bucket, merchantId, address: addressKey(address) });
}
