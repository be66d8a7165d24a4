// Two use cases: new merchants, each with its books, its first roles and a first access key; and a live one beside its
// sandbox, with the profile, roles, payout policy and logins that it takes over. What other domains hand over, and what
// must be true first, is in src/installation/go-live.ts.
import { auditValues, openBooks, recordEvents, recordEventsOfMany, type NewEvent } from "../ledger/index.ts";
import type { IdSource } from "../platform/database/ids.ts";
import { inTransaction, type Connection, type Pool } from "../platform/database/pool.ts";
import { hashSecret, keyEvent, newAccessKey } from "./keys/access-key.ts";
import { insertAccessKeys } from "./keys/key-store.ts";
import { ANY_USE } from "./keys/key-terms.ts";
import { applyPolicyChanges, findPolicy, insertPolicies } from "./approvals/index.ts";
import { isSet } from "./approvals/payout-policy.ts";
import { nameCounterpart } from "./change-merchant.ts";
import { insertMerchants, readInstallationSecret } from "./merchant-store.ts";
import { bucketOfNewMerchant, NO_KYC, type Merchant, type MerchantKey, type MerchantProfile } from "./merchant.ts";
import { noteMerchants } from "./notice-store.ts";
import { copyLogins, type Login } from "./users/index.ts";
import { copyRoles, insertFirstRoles } from "./users/role-store.ts";

/** A new merchant's profile. Without `live` it is in the sandbox; without a rate limit it has the server's default. */
export type MerchantDraft = MerchantProfile & Partial<Pick<Merchant, "live" | "rateLimitPerMinute">>;

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
      rateLimitPerMinute: profile.rateLimitPerMinute ?? null,
      status: "active",
      live: profile.live ?? false,
      counterpartId: null,
      feesPaidBy: "merchant",
      ...NO_KYC,
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
        ...ANY_USE,
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
    await noteMerchants(connection, merchants, ["created"]);
    await noteMerchants(
      connection,
      merchants.filter(({ live }) => live),
      ["live"],
    );
    await alsoDo(connection, merchants);
  });
  return created;
}

/** Inserts merchants with their books, which are empty, and their policies, which have no rule. */
async function openMerchants(connection: Connection, merchants: readonly Merchant[]): Promise<void> {
  await insertMerchants(connection, merchants);
  await insertPolicies(connection, merchants);
  await openBooks(
    connection,
    merchants.map((merchant) => merchant.bucket),
    merchants.map((merchant) => merchant.merchantId),
  );
}

/** What the log of a new merchant begins with. */
function createdEvent(merchant: Merchant): NewEvent & MerchantKey {
  const { bucket, merchantId } = merchant;
  return { bucket, merchantId, type: "merchant.created", subjectId: merchantId, after: auditValues(merchant) };
}

/**
 * Opens a live merchant with an empty book beside a sandbox, and names each in the other. The caller has locked the
 * sandbox's row, and found that there is no live merchant yet.
 * @param owners those of the sandbox's people who sign in to it
 */
export async function openLiveMerchant(
  connection: Connection,
  ids: IdSource,
  sandbox: Merchant,
  owners: readonly Login[],
): Promise<{ readonly live: Merchant; readonly logins: readonly Login[] }> {
  const merchantId = await ids.next();
  const live: Merchant = {
    ...sandbox,
    bucket: bucketOfNewMerchant(merchantId),
    merchantId,
    live: true,
    counterpartId: sandbox.merchantId,
    payoutRails: null,
    clockDate: null,
    createdAt: Temporal.Now.instant(),
  };
  await openMerchants(connection, [live]);
  await copyRoles(connection, sandbox, live);
  await recordEvents(connection, live, [createdEvent(live)]);
  const policy = await findPolicy(connection, sandbox);
  if (isSet(policy)) await applyPolicyChanges(connection, live, policy);
  const logins = await copyLogins(connection, owners, live, ids);
  await nameCounterpart(connection, sandbox, live);
  await noteMerchants(connection, [live], ["created", "live"]);
  return { live, logins };
}
