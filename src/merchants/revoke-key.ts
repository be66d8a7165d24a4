// One use case: an access key stops working, and its tokens with it.
import { recordEvents } from "../ledger/index.ts";
import { inTransaction, type Pool } from "../platform/database/pool.ts";
import { NodalError } from "../platform/errors.ts";
import { keyEvent } from "./access-key.ts";
import type { MerchantKey } from "./merchant.ts";
import { revokeAccessKey } from "./merchant-store.ts";

/**
 * Revokes an access key for good; a key that is revoked already stays as it is. Running servers refuse it within seconds.
 * @throws NodalError `key_not_found` when this merchant has no such key
 */
export async function revokeKey(pool: Pool, { bucket, merchantId }: MerchantKey, accessKeyId: string): Promise<void> {
  await inTransaction(pool, async (connection) => {
    if (await revokeAccessKey(connection, Temporal.Now.instant(), { bucket, merchantId, accessKeyId })) {
      const revoked = keyEvent({ bucket, merchantId }, "access_key.revoked", accessKeyId);
      return recordEvents(connection, revoked, [revoked]);
    }
    const message = `The merchant ${merchantId} has no access key ${accessKeyId}: look it up in the list of keys.`;
    throw new NodalError("key_not_found", message);
  });
}
