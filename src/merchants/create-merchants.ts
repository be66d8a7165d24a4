// One use case: new merchants, each with its books, its first roles and a first access key.
import { auditValues, openBooks, recordEventsOfMany, type NewEvent } from "../ledger/index.ts";
import type { IdSource } from "../platform/database/ids.ts";
import { inTransaction, type Connection, type Pool } from "../platform/database/pool.ts";
import { hashSecret, keyEvent, newAccessKey } from "./access-key.ts";
import { bucketOfNewMerchant, type Merchant, type MerchantKey, type MerchantProfile } from "./merchant.ts";
import { insertAccessKeys, insertMerchants, readInstallationSecret } from "./merchant-store.ts";
import { insertFirstRoles } from "./users/role-store.ts";

/** What a merchant is opened with; of the sandbox, where nothing is said. */
export type MerchantDraft = MerchantProfile & Partial<Pick<Merchant, "live">>;

/** The secret is in here once; nobody can read it again. */
export type NewMerchant = { readonly merchant: Merchant; readonly accessKeyId: string; readonly secret: string };

/**
 * Creates merchants in one transaction, all or none. `alsoDo` runs in that transaction, for what must exist with them.
 */
export async function createMerchants(
  pool: Pool,
  ids: IdSource,
  profiles: readonly MerchantDraft[],
  alsoDo: (connection: Connection, merchants: readonly Merchant[]) => Promise<void> = async () => {},
): Promise<NewMerchant[]> {
  const now = Temporal.Now.instant();
  const created: NewMerchant[] = [];
  for (const profile of profiles) {
    const merchantId = await ids.next();
    const bucket = bucketOfNewMerchant(merchantId);
    const merchant: Merchant = {
      ...profile,
      bucket,
      merchantId,
      rateLimitPerMinute: null,
      status: "active",
      live: profile.live ?? false,
      counterpartId: null,
      feesPaidBy: "merchant",
      payoutRails: null,
      whenDown: "wait",
      giveUpMinutes: null,
      clockDate: null,
      createdAt: now,
    };
    created.push({ merchant, ...newAccessKey(merchant) });
  }
  const merchants = created.map((item) => item.merchant);
  await inTransaction(pool, async (connection) => {
    const installationSecret = await readInstallationSecret(connection);
    await openMerchants(connection, merchants);
    await insertFirstRoles(connection, merchants);
    await insertAccessKeys(
      connection,
      now,
      created.map(({ merchant, accessKeyId, secret }) => ({
        bucket: merchant.bucket,
        merchantId: merchant.merchantId,
        accessKeyId,
        secretHash: hashSecret(installationSecret, accessKeyId, secret),
      })),
    );
    await recordEventsOfMany(
      connection,
      created.flatMap(({ merchant, accessKeyId }) => [
        createdEvent(merchant),
        keyEvent(merchant, "access_key.created", accessKeyId),
      ]),
    );
    await alsoDo(connection, merchants);
  });
  return created;
}

/** Inserts merchants with their books, which are empty. */
export async function openMerchants(connection: Connection, merchants: readonly Merchant[]): Promise<void> {
  await insertMerchants(connection, merchants);
  await openBooks(
    connection,
    merchants.map((merchant) => merchant.bucket),
    merchants.map((merchant) => merchant.merchantId),
  );
}

/** What the log of a new merchant begins with. */
export function createdEvent(merchant: Merchant): NewEvent & MerchantKey {
  const { bucket, merchantId } = merchant;
  return { bucket, merchantId, type: "merchant.created", subjectId: merchantId, after: auditValues(merchant) };
}
