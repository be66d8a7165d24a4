// Use case: change a merchant's payout policy. Making it weaker needs a second person.
import { auditChange, lockBook, recordEvents } from "../../ledger/index.ts";
import { inTransaction, type Connection } from "../../platform/database/pool.ts";
import type { MerchantKey } from "../merchant.ts";
import type { WriteContext } from "../use-case.ts";
import { splitChanges, type PayoutPolicy, type PolicyChanges } from "./payout-policy.ts";
import { readStoredPolicy, savePolicy } from "./payout-policy-store.ts";
import { requestApproval } from "./request-approval.ts";

/** The current policy, and the approval that the rest of a change waits for, if any. */
export type PolicyAnswer = { readonly policy: PayoutPolicy; readonly approvalId: bigint | null };

/** Changes the given rules only. Stricter rules apply from then on. */
export async function changePayoutPolicy(
  { pool, ids, merchant: { bucket, merchantId } }: WriteContext,
  changes: PolicyChanges,
): Promise<PolicyAnswer> {
  const newId = await ids.next();
  return inTransaction(pool, async (connection) => {
    await lockBook(connection, bucket, merchantId);
    const before = await readStoredPolicy(connection, { bucket, merchantId });
    const { atOnce, weaker } = splitChanges(before, changes);
    const policy = { ...before, ...atOnce };
    if (Object.keys(atOnce).length > 0) await writePolicy(connection, { bucket, merchantId }, before, policy);
    if (Object.keys(weaker).length === 0) return { policy, approvalId: null };
    const request = { bucket, merchantId, approvalId: newId, kind: "policy" as const, subjectId: merchantId };
    await requestApproval(connection, policy, { ...request, policyChanges: weaker });
    return { policy, approvalId: newId };
  });
}

/** Applies an approved change to the current policy. Locks the merchant's book. */
export async function applyPolicyChanges(
  connection: Connection,
  merchant: MerchantKey,
  changes: PolicyChanges,
): Promise<void> {
  await lockBook(connection, merchant.bucket, merchant.merchantId);
  const before = await readStoredPolicy(connection, merchant);
  await writePolicy(connection, merchant, before, { ...before, ...changes });
}

async function writePolicy(
  connection: Connection,
  merchant: MerchantKey,
  before: PayoutPolicy,
  after: PayoutPolicy,
): Promise<void> {
  await savePolicy(connection, merchant, after);
  const change = auditChange(before, after);
  await recordEvents(connection, merchant, [{ type: "policy.changed", subjectId: merchant.merchantId, ...change }]);
}
