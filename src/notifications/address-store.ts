// SQL of dead addresses, which a mail server refused permanently, for each merchant separately.
import type { MerchantKey } from "../merchants/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import { NOW, table } from "../platform/database/table.ts";
import { addressKey } from "./notification.ts";

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

/** Marks an address as dead. An existing row stays unchanged. */
export async function insertDeadAddress(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  address: string,
  reason: string,
): Promise<void> {
  const dead = { bucket, merchantId, address: addressKey(address), reason, deadSince: NOW };
  await DEAD_ADDRESSES.insert(connection, dead, "on conflict (bucket, merchant_id, address) do nothing");
}

/** The row of a dead address; `null` if it is not dead. */
export function findDeadAddress(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  address: string,
): Promise<DeadAddress | null> {
  return DEAD_ADDRESSES.find(db, { bucket, merchantId, address: addressKey(address) });
}

/** Revives an address. Returns false if it was not dead. */
export function deleteDeadAddress(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  address: string,
): Promise<boolean> {
  return DEAD_ADDRESSES.delete(db, { bucket, merchantId, address: addressKey(address) });
}
