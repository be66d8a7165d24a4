// One use case: a further access key for a merchant.
import { recordEvents } from "../ledger/index.ts";
import { inTransaction, type Pool } from "../platform/database/pool.ts";
import { hashSecret, keyEvent, newAccessKey } from "./access-key.ts";
import type { MerchantKey } from "./merchant.ts";
import { insertAccessKeys, readInstallationSecret } from "./merchant-store.ts";

/** Issues an access key. The secret is in the answer once; nobody can read it again. */
export async function issueAccessKey(
  pool: Pool,
  { bucket, merchantId }: MerchantKey,
): Promise<{ accessKeyId: string; secret: string; createdAt: Temporal.Instant }> {
  const { accessKeyId, secret } = newAccessKey({ bucket, merchantId });
  const createdAt = Temporal.Now.instant();
  const secretHash = hashSecret(await readInstallationSecret(pool), secret);
  await inTransaction(pool, async (connection) => {
    await insertAccessKeys(connection, createdAt, [{ bucket, merchantId, accessKeyId, secretHash }]);
    const created = keyEvent({ bucket, merchantId }, "access_key.created", accessKeyId);
    await recordEvents(connection, created, [created]);
  });
  return { accessKeyId, secret, createdAt };
}
