// Use cases: issue a further access key of a merchant or an operator, and revoke one.
import { recordEvents } from "../../ledger/index.ts";
import { inTransaction } from "../../platform/database/pool.ts";
import { toMicrosecond } from "../../platform/time.ts";
import { hashSecret, keyEvent, newAccessKey } from "./access-key.ts";
import { insertAccessKeys, revokeAccessKey } from "./key-store.ts";
import { ANY_USE, checkWithin, type KeyTerms } from "./key-terms.ts";
import type { Merchant, MerchantKey } from "../merchant.ts";
import { readInstallationSecret } from "../merchant-store.ts";
import { checkGrant } from "../users/manage-roles.ts";
import type { ReadContext } from "../use-case.ts";
import { OPERATORS } from "../users/login.ts";
import type { Manager } from "../users/manage-users.ts";
import { NodalError } from "../../platform/errors.ts";

/**
 * Issues an access key. The answer has the secret, which can't be read again.
 * @throws NodalError `access_denied` for scopes that its creator lacks, `validation_failed` for terms beyond those of the key that
 * creates it
 */
export async function issueAccessKey(
  { pool, merchant: { bucket, merchantId, live } }: ReadContext<Pick<Merchant, keyof MerchantKey | "live">>,
  by: Manager,
  { expiresAt, ...rest }: KeyTerms = ANY_USE,
): Promise<{ accessKeyId: string; secret: string; createdAt: Temporal.Instant }> {
  const terms = { ...rest, expiresAt: expiresAt && toMicrosecond(expiresAt) };
  checkGrant(terms.scopes, by);
  if (by?.key) checkWithin(by.key, terms);
  const { accessKeyId, secret } = newAccessKey({ bucket, merchantId, live });
  const createdAt = Temporal.Now.instant();
  const secretHash = hashSecret(await readInstallationSecret(pool), accessKeyId, secret);
  await inTransaction(pool, async (connection) => {
    await insertAccessKeys(connection, createdAt, [{ ...terms, bucket, merchantId, accessKeyId, secretHash }]);
    const created = keyEvent({ bucket, merchantId }, "access_key.created", accessKeyId, terms);
    await recordEvents(connection, created, [created]);
  });
  return { accessKeyId, secret, createdAt };
}

/**
 * Revokes an access key permanently; repeating it changes nothing. Running servers refuse it within seconds.
 * @throws NodalError `key_not_found` if this merchant has no such key
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
    const owner = merchantId === OPERATORS.merchantId ? "There is" : `The merchant ${merchantId} has`;
    const message = `${owner} no access key ${accessKeyId}: check the list of keys.`;
    throw new NodalError("key_not_found", message);
  });
}
