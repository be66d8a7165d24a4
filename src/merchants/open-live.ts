// A live merchant is opened beside its sandbox: what it takes over of what merchants have themselves.
// What belongs here: the profile, roles, the payout policy and logins. What other domains hand over is in
// src/installation/go-live.ts, with what must be true first.
import { recordEvents } from "../ledger/index.ts";
import type { IdSource } from "../platform/database/ids.ts";
import type { Connection } from "../platform/database/pool.ts";
import { applyPolicyChanges, findPolicy } from "./approvals/index.ts";
import { NO_POLICY } from "./approvals/payout-policy.ts";
import { nameCounterpart } from "./change-merchant.ts";
import { createdEvent, openMerchants } from "./create-merchants.ts";
import { bucketOfNewMerchant, type Merchant } from "./merchant.ts";
import { copyLogins, type Login } from "./users/index.ts";
import { copyRoles } from "./users/role-store.ts";

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
  if (policy !== NO_POLICY) await applyPolicyChanges(connection, live, policy);
  const logins = await copyLogins(connection, owners, live, ids);
  await nameCounterpart(connection, sandbox, live);
  return { live, logins };
}
