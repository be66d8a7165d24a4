// Two use cases: a further access key for a merchant, and the end of one.
import { recordEvents } from "../ledger/index.ts";
import { inTransaction } from "../platform/database/pool.ts";
import { hashSecret, keyEvent, newAccessKey } from "./access-key.ts";
import type { Merchant, MerchantKey } from "./merchant.ts";
import { insertAccessKeys, readInstallationSecret, revokeAccessKey } from "./merchant-store.ts";
import { checkGrant } from "./users/manage-roles.ts";
import type { ReadContext } from "./use-case.ts";
import type { Manager } from "./users/manage-users.ts";
import { OF_KEYS } from "./users/permission.ts";
import { NodalError } from "../platform/errors.ts";

/**
 * Issues an access key. The secret is in the answer once; nobody can read it again.
 * @throws NodalError `access_denied` for who may not do all that a key may
 */
export async function issueAccessKey(
  { pool, merchant: { bucket, merchantId, live } }: ReadContext<Pick<Merchant, keyof MerchantKey | "live">>,
  by: Manager,
): Promise<{ accessKeyId: string; secret: string; createdAt: Temporal.Instant }> {
  checkGrant(OF_KEYS, by);
  const { accessKeyId, secret } = newAccessKey({ bucket, merchantId, live });
  const createdAt = Temporal.Now.instant();
  const secretHash = hashSecret(await readInstallationSecret(pool), accessKeyId, secret);
  await inTransaction(pool, async (connection) => {
    await insertAccessKeys(connection, createdAt, [{ bucket, merchantId, accessKeyId, secretHash }]);
    const created = keyEvent({ bucket, merchantId }, "access_key.created", accessKeyId);
    await recordEvents(connection, created, [created]);
  });
  return { accessKeyId, secret, createdAt };
}

/**
 * Revokes an access key for good; a key that is revoked already stays as it is. Running servers refuse it within seconds.
 * @throws NodalError `key_not_found` when this merchant has no such key
 */
export async function revokeKey(
  { pool, merchant: { bucket, merchantId } }: ReadContext,
  accessKeyId: string,
): Promise<void> {
  await inTransaction(pool, async (connection) => {
    if (await revokeAccessKey(connection, Temporal.Now.instant(), { bucket, merchantId, accessKeyId })) {
      const revoked = keyEvent({ bucket, merchantId }, "access_key.revoked", accessKeyId);
      return recordEvents(connection, revoked, [revoked]);
    }
    const message = `The merchant ${merchantId} has no access key ${accessKeyId}: check the list of keys.`;
    throw new NodalError("key_not_found", message);
  });
}
