// Two use cases: create merchants, each with its books, initial roles and a first access key; and open a live merchant for a
// sandbox, with the profile, roles, payout policy and logins that it copies. src/installation/go-live.ts has the preconditions and
// what other domains copy.
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

/** A new merchant's profile. Without `live` it is a sandbox; without a rate limit it has the server's default. */
export type MerchantDraft = MerchantProfile & Partial<Pick<Merchant, "live" | "rateLimitPerMinute">>;

/** Contains the secret, which can't be read again. */
export type NewMerchant = { readonly merchant: Merchant; readonly accessKeyId: string; readonly secret: string };

/** Creates merchants in one transaction, all or none. `alsoDo` runs in that transaction, for data that must exist with them. */
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

/** Inserts merchants with empty books, and policies without rules. */
async function openMerchants(connection: Connection, merchants: readonly Merchant[]): Promise<void> {
  await insertMerchants(connection, merchants);
  await insertPolicies(connection, merchants);
  await openBooks(
    connection,
    merchants.map((merchant) => merchant.bucket),
    merchants.map((merchant) => merchant.merchantId),
  );
}

/** The first log entries of a new merchant. */
function createdEvent(merchant: Merchant): NewEvent & MerchantKey {
  const { bucket, merchantId } = merchant;
  return { bucket, merchantId, type: "merchant.created", subjectId: merchantId, after: auditValues(merchant) };
}

/**
 * Opens a live merchant with an empty book for a sandbox, and links the two. The caller has locked the sandbox's row, and checked
 * that there is no live merchant yet.
 * @param owners the sandbox's users who may sign in to it
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
