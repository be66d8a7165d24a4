// One use case: a further access key for a merchant.
import { recordEvents } from "../ledger/index.ts";
import { inTransaction, type Pool } from "../platform/database/pool.ts";
import { hashSecret, keyEvent, newAccessKey } from "./access-key.ts";
import type { MerchantKey } from "./merchant.ts";
import { insertAccessKeys, readInstallationSecret } from "./merchant-store.ts";
import { checkGrant } from "./users/manage-roles.ts";
import type { Manager } from "./users/manage-users.ts";
import { OF_KEYS } from "./users/permission.ts";

/**
 * Issues an access key. The secret is in the answer once; nobody can read it again.
 * @throws NodalError `access_denied` for who may not do all that a key may
 */
export async function issueAccessKey(
  pool: Pool,
  { bucket, merchantId }: MerchantKey,
  by: Manager,
): Promise<{ accessKeyId: string; secret: string; createdAt: Temporal.Instant }> {
  checkGrant(OF_KEYS, by);
  const { accessKeyId, secret } = newAccessKey({ bucket, merchantId });
  const createdAt = Temporal.Now.instant();
  const secretHash = hashSecret(await readInstallationSecret(pool), accessKeyId, secret);
  await inTransaction(pool, async (connection) => {
    await insertAccessKeys(connection, createdAt, [{ bucket, merchantId, accessKeyId, secretHash }]);
    const created = keyEvent({ bucket, merchantId }, "access_key.created", accessKeyId);
    await recordEvents(connection, created, [created]);
  });
  return { accessKeyId, secret, createdAt };
}
