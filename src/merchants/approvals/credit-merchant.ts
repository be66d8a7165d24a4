// Use case: operators credit incoming money. A large deposit of the installation's account waits for a second operator.
// docs/approvals.md#deposits
import { findEarlierFunding, fundWithin, lockBook, sharesAccount } from "../../ledger/index.ts";
import type { IdSource } from "../../platform/database/ids.ts";
import { inTransaction, type Connection, type Pool } from "../../platform/database/pool.ts";
import type { MerchantKey } from "../merchant.ts";
import type { RequestedFunding } from "./approval.ts";
import { listWaitingAccounts } from "./approval-store.ts";
import { findPolicy } from "./payout-policy-store.ts";
import { requestApproval } from "./request-approval.ts";

/** The most that one person can credit over the installation's account, in paise: ₹10,00,000.00. */
export const MAX_CREDIT_WITHOUT_APPROVAL_PAISE = 100_000_000n;

/** The credit, or the approval that it waits for; `repeated` if it repeats an earlier request. */
export type Credited = { readonly fundingId: bigint; readonly isWaiting: boolean; readonly repeated: boolean };

type CreditContext = { readonly pool: Pool; readonly ids: IdSource; readonly merchant: MerchantKey };

/**
 * Credits a merchant, or requests a second operator's approval. Repeating it changes nothing. A waiting credit has the id of its
 * approval.
 * @throws NodalError `reference_conflict` as `fundMerchant` does
 */
export async function creditMerchant(
  { pool, ids, merchant }: CreditContext,
  asked: RequestedFunding,
): Promise<Credited> {
  const fundingId = await ids.next();
  return inTransaction(pool, (connection) => creditWithin(connection, merchant, { ...asked, fundingId }));
}

/** The same within a transaction, under the given id. Locks the merchant's book. */
export async function creditWithin(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  { fundingId, ...asked }: RequestedFunding & { readonly fundingId: bigint },
): Promise<Credited> {
  const merchant = { bucket, merchantId };
  await lockBook(connection, bucket, merchantId);
  const needsSecond =
    asked.amountPaise > MAX_CREDIT_WITHOUT_APPROVAL_PAISE && (await sharesAccount(connection, merchant));
  if (!needsSecond) {
    return { isWaiting: false, ...(await fundWithin(connection, { ...merchant, ...asked, fundingId })) };
  }
  const earlier = await findEarlierFunding(connection, { ...merchant, ...asked });
  if (earlier) return { fundingId: earlier.fundingId, isWaiting: false, repeated: true };
  const waiting = await findWaitingFunding(connection, merchant, asked);
  if (waiting !== null) return { fundingId: waiting, isWaiting: true, repeated: true };
  const request = { ...merchant, approvalId: fundingId, kind: "funding" as const, subjectId: merchantId };
  await requestApproval(connection, await findPolicy(connection, merchant), { ...request, funding: asked });
  return { fundingId, isWaiting: true, repeated: false };
}

/** The open approval for the same deposit, by any requester; `null` if there is none. */
async function findWaitingFunding(
  connection: Connection,
  merchant: MerchantKey,
  { amountPaise, reference }: RequestedFunding,
): Promise<bigint | null> {
  const open = await listWaitingAccounts(connection, merchant, "funding", merchant.merchantId);
  const same = open.find(({ funding }) => funding?.amountPaise === amountPaise && funding.reference === reference);
  return same?.approvalId ?? null;
}
