// One use case inside others' transactions: an invoice has changed, and the commission on it follows.
// What belongs here: what is posted and noted. The caller holds the merchant's book, and changes the invoice itself.
import { insertPostings } from "../ledger/index.ts";
import { IdSource } from "../platform/database/ids.ts";
import type { Connection } from "../platform/database/pool.ts";
import { commissionOn, type InvoiceStanding } from "./commission.ts";
import {
  addReversed,
  findRate,
  insertCommission,
  keepRate,
  listCommission,
  type StandingCommission,
} from "./commission-store.ts";
import { franchiseNotFound, type CommissionRate, type FranchiseKey } from "./franchise.ts";
import { findFranchise } from "./franchise-store.ts";

/** An invoice of a franchise, as it stands after the change. */
export type CommissionedInvoice = FranchiseKey & InvoiceStanding & { readonly invoiceId: bigint };

/**
 * Posts the difference between what the invoice's franchise has earned on it and what stands, and answers it in paise:
 * below 0 where something is taken back, and nothing is posted for 0. `subjectId` is what changed the invoice: a
 * settlement or a credit note. The invoice keeps the terms that its franchise has when it is adjusted for the first time,
 * whatever is agreed later. A deleted franchise still earns on its invoices. What a franchise is owed may fall below 0
 * where it was paid already: then later commission makes up for it.
 * @throws NodalError `franchise_not_found` where the merchant never had it
 */
export async function adjustCommission(
  connection: Connection,
  invoice: CommissionedInvoice,
  subjectId: bigint,
): Promise<bigint> {
  const franchise = await findFranchise(connection, invoice);
  if (!franchise) throw franchiseNotFound();
  const earlier = await listCommission(connection, invoice, invoice.invoiceId);
  const standsPaise = earlier.reduce((sum, { standingPaise }) => sum + standingPaise, 0n);
  const changePaise = commissionOn(await rateOf(connection, invoice, franchise), invoice) - standsPaise;
  if (changePaise > 0n)
    await accrue(connection, invoice, await unusedSubject(connection, earlier, subjectId), changePaise);
  if (changePaise < 0n) await takeBack(connection, invoice, subjectId, { earlier, amountPaise: -changePaise });
  return changePaise;
}

async function rateOf(
  connection: Connection,
  invoice: CommissionedInvoice,
  franchise: CommissionRate,
): Promise<CommissionRate> {
  const kept = await findRate(connection, invoice, invoice.invoiceId);
  if (!kept) await keepRate(connection, invoice, invoice.invoiceId, franchise);
  return kept ?? franchise;
}

/**
 * What earns twice gets another id for the second time, since the ledger has one posting of a kind for each subject. It
 * takes a refund that failed after its payment was reversed, so that a block of ids for it is nothing.
 */
async function unusedSubject(
  connection: Connection,
  earlier: readonly StandingCommission[],
  subjectId: bigint,
): Promise<bigint> {
  const isUsed = earlier.some(({ settlementId }) => settlementId === subjectId);
  return isUsed ? new IdSource(connection).next() : subjectId;
}

async function accrue(
  connection: Connection,
  { bucket, merchantId, franchiseId, invoiceId }: CommissionedInvoice,
  subjectId: bigint,
  amountPaise: bigint,
): Promise<void> {
  const now = Temporal.Now.instant();
  const commission = { bucket, merchantId, franchiseId, settlementId: subjectId, invoiceId, amountPaise };
  await insertCommission(connection, now, commission);
  const eventType = "commission.accrued";
  const posting = { kind: "commission_accrued", eventType, subjectId, amountPaise, ownerId: franchiseId };
  await insertPostings(connection, now, bucket, merchantId, [posting]);
}

/** Takes it from what the subject itself earned first, then from what was earned last. All that stands is enough. */
async function takeBack(
  connection: Connection,
  { bucket, merchantId, franchiseId }: CommissionedInvoice,
  subjectId: bigint,
  { earlier, amountPaise }: { readonly earlier: readonly StandingCommission[]; readonly amountPaise: bigint },
): Promise<void> {
  let restPaise = amountPaise;
  const own = earlier.filter(({ settlementId }) => settlementId === subjectId);
  for (const { settlementId, standingPaise } of [
    ...own,
    ...earlier.filter((commission) => !own.includes(commission)),
  ]) {
    const partPaise = restPaise < standingPaise ? restPaise : standingPaise;
    if (partPaise > 0n) await addReversed(connection, { bucket, merchantId }, settlementId, partPaise);
    restPaise -= partPaise;
  }
  // An invoice keeps its franchise while anything is paid on it, so all that stands is the same one's.
  const eventType = "commission.accrual_reversed";
  const posting = { kind: "commission_reversed", eventType, subjectId, amountPaise, ownerId: franchiseId };
  await insertPostings(connection, Temporal.Now.instant(), bucket, merchantId, [posting]);
}
