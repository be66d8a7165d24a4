// One use case: an access key stops working, and its tokens with it.
import type { Queryable } from "../platform/database/pool.ts";
import { NodalError } from "../platform/errors.ts";
import type { MerchantKey } from "./merchant.ts";
import { revokeAccessKey } from "./merchant-store.ts";

/**
 * Revokes an access key for good; a key that is revoked already stays as it is. Running servers refuse it within seconds.
 * @throws NodalError `key_not_found` when this merchant has no such key
 */
export async function revokeKey(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  accessKeyId: string,
): Promise<void> {
  if (await revokeAccessKey(db, Temporal.Now.instant(), { bucket, merchantId, accessKeyId })) return;
  throw new NodalError(
    "key_not_found",
    `The merchant ${merchantId} has no access key ${accessKeyId}: look it up with \`nodal key list\`.`,
  );
}
