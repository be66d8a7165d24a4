// Three use cases inside others' transactions: a payment earns commission, a payment is taken back, money is refunded.
// What belongs here: what is posted and noted. The caller holds the merchant's book, and settles the invoice itself.
import { insertPostings } from "../ledger/index.ts";
import type { MerchantKey } from "../merchants/index.ts";
import type { Connection } from "../platform/database/pool.ts";
import { commissionOn, shareOf, type Receipt } from "./commission.ts";
import { addReversed, insertCommission, listStandingCommission } from "./commission-store.ts";
import { franchiseNotFound, type FranchiseKey } from "./franchise.ts";
import { findFranchise } from "./franchise-store.ts";

export type Accrual = FranchiseKey & Receipt & { readonly invoiceId: bigint; readonly settlementId: bigint };

/**
 * Posts what a payment earns the invoice's franchise, and answers it; nothing is posted for 0. The fixed amount is earned
 * once: not again while it stands on the invoice. A deleted franchise still earns on the invoices that it has.
 * @throws NodalError `franchise_not_found` where the merchant never had it
 */
export async function accrueCommission(connection: Connection, accrual: Accrual): Promise<bigint> {
  const { bucket, merchantId, franchiseId, invoiceId, settlementId } = accrual;
  const franchise = await findFranchise(connection, accrual);
  if (!franchise) throw franchiseNotFound();
  const amountPaise = commissionOn(franchise, accrual);
  if (amountPaise === 0n) return 0n;
  if (franchise.commissionType === "Fixed") {
    const standing = await listStandingCommission(connection, accrual, invoiceId);
    if (standing.length > 0) return 0n;
  }
  const now = Temporal.Now.instant();
  await insertCommission(connection, now, { bucket, merchantId, franchiseId, settlementId, invoiceId, amountPaise });
  const eventType = "commission.accrued";
  const posting = { kind: "commission_accrued", eventType, subjectId: settlementId, amountPaise, ownerId: franchiseId };
  await insertPostings(connection, now, bucket, merchantId, [posting]);
  return amountPaise;
}

/**
 * Takes back what a payment earned, and a fixed amount that stands on its invoice, which is not fully paid any more.
 * Answers how much; 0 where nothing stands. What the franchise is owed may fall below 0 where it was paid already: then
 * later commission makes up for it.
 */
export async function reverseCommission(
  connection: Connection,
  reversal: MerchantKey & { readonly invoiceId: bigint; readonly settlementId: bigint },
): Promise<bigint> {
  const standing = await listStandingCommission(connection, reversal, reversal.invoiceId);
  let reversedPaise = 0n;
  for (const { settlementId, franchiseId, commissionType, standingPaise } of standing) {
    if (settlementId !== reversal.settlementId && commissionType !== "Fixed") continue;
    await addReversed(connection, reversal, settlementId, standingPaise);
    await postReversal(connection, { ...reversal, franchiseId }, settlementId, standingPaise);
    reversedPaise += standingPaise;
  }
  return reversedPaise;
}

/** A part of what was received on an invoice that is given back, named by the id of what gives it back. */
export type Refund = MerchantKey & {
  readonly invoiceId: bigint;
  readonly refundId: bigint;
  readonly refundedPaise: bigint;
  /** What stood as received before. */
  readonly receivedPaise: bigint;
};

/** Takes back the share of the invoice's commission that was earned on refunded money. Answers how much. */
export async function reverseCommissionShare(connection: Connection, refund: Refund): Promise<bigint> {
  const standing = await listStandingCommission(connection, refund, refund.invoiceId);
  const standingPaise = standing.reduce((sum, commission) => sum + commission.standingPaise, 0n);
  const sharePaise = shareOf(standingPaise, refund.refundedPaise, refund.receivedPaise);
  if (sharePaise === 0n) return 0n;
  let restPaise = sharePaise;
  for (const commission of standing) {
    const partPaise = restPaise < commission.standingPaise ? restPaise : commission.standingPaise;
    if (partPaise > 0n) await addReversed(connection, refund, commission.settlementId, partPaise);
    restPaise -= partPaise;
  }
  // An invoice keeps its franchise while anything is paid on it, so all that stands is the same one's.
  await postReversal(connection, { ...refund, franchiseId: standing[0]!.franchiseId }, refund.refundId, sharePaise);
  return sharePaise;
}

async function postReversal(
  connection: Connection,
  { bucket, merchantId, franchiseId }: FranchiseKey,
  subjectId: bigint,
  amountPaise: bigint,
): Promise<void> {
  const eventType = "commission.accrual_reversed";
  const posting = { kind: "commission_reversed", eventType, subjectId, amountPaise, ownerId: franchiseId };
  await insertPostings(connection, Temporal.Now.instant(), bucket, merchantId, [posting]);
}
