// One use case: a further access key for a merchant.
import type { Pool } from "../platform/database/pool.ts";
import { hashSecret, newAccessKey } from "./access-key.ts";
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
  await insertAccessKeys(pool, createdAt, [{ bucket, merchantId, accessKeyId, secretHash }]);
  return { accessKeyId, secret, createdAt };
}
