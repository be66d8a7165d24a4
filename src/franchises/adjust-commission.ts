// One use case inside others' transactions: an invoice has changed, and the commission on it follows.
// What belongs here: what is posted and noted. The caller has locked the merchant's book, and changes the invoice
// itself.
import { auditValues, findPostings, recordEvents } from "../ledger/index.ts";
import { mayMoveMoney, type MerchantKey, type TransactionContext } from "../merchants/index.ts";
import { IdSource } from "../platform/database/ids.ts";
import type { Connection } from "../platform/database/pool.ts";
import { commissionOn, type CommissionBasis } from "./commission.ts";
import {
  addReversed,
  clearWaiting,
  findRate,
  insertCommission,
  keepRate,
  listCommission,
  type StandingCommission,
} from "./commission-store.ts";
import { franchiseNotFound, type CommissionRate, type FranchiseKey } from "./franchise.ts";
import { findFranchise } from "./franchise-store.ts";

/** An invoice of a franchise, as it stands after the change. */
type CommissionedInvoice = FranchiseKey & CommissionBasis & { readonly invoiceId: bigint };

/** `subjectId` is what changed the invoice: a settlement or a credit note. */
export type AdjustCommission = Omit<CommissionedInvoice, keyof MerchantKey> & { readonly subjectId: bigint };

/**
 * Posts the difference between what the invoice's franchise has earned on it and what stands, and returns it in paise:
 * below 0 where something is taken back, and nothing is posted for 0. The invoice keeps the terms that its franchise has
 * when it is adjusted for the first time, whatever is agreed later. A deleted franchise still earns on its invoices. What
 * a franchise is owed may fall below 0 where it was paid already: then later commission makes up for it.
 * @throws NodalError `franchise_not_found` where the merchant never had it
 */
export async function adjustCommission(
  { connection, merchant: { bucket, merchantId } }: Pick<TransactionContext, "connection" | "merchant">,
  { subjectId, ...standing }: AdjustCommission,
): Promise<bigint> {
  const invoice = { bucket, merchantId, ...standing };
  const franchise = await findFranchise(connection, invoice);
  if (!franchise) throw franchiseNotFound();
  const earlier = await listCommission(connection, invoice, invoice.invoiceId);
  const standsPaise = earlier.reduce((sum, { standingPaise }) => sum + standingPaise, 0n);
  const changePaise = commissionOn(await rateOf(connection, invoice, franchise), invoice) - standsPaise;
  if (changePaise > 0n) await accrue(connection, invoice, subjectId, changePaise);
  if (changePaise < 0n) await takeBack(connection, invoice, subjectId, { earlier, amountPaise: -changePaise });
  return changePaise;
}

/** The terms that the invoice keeps: docs/rules/franchises.md#kept-terms. */
async function rateOf(
  connection: Connection,
  invoice: CommissionedInvoice,
  franchise: CommissionRate,
): Promise<CommissionRate> {
  const kept = await findRate(connection, invoice, invoice.invoiceId);
  if (kept) return kept;
  const { invoiceId, franchiseId } = invoice;
  const { commissionType, commissionHundredths } = franchise;
  await keepRate(connection, invoice, invoiceId, franchise);
  const after = auditValues({ franchiseId, commissionType, commissionHundredths });
  await recordEvents(connection, invoice, [{ type: "invoice.commission_terms_kept", subjectId: invoiceId, after }]);
  return franchise;
}

/**
 * What earns twice, or takes back twice, gets another id from the second time on, since the ledger has one posting of a
 * kind for each subject: a part of a payment that is passed on to earlier dues grows and shrinks with what is paid
 * after it. A change that was posted already is not posted again under another id: it is no difference any more.
 */
async function unusedSubject(
  connection: Connection,
  merchant: MerchantKey,
  kind: string,
  subjectId: bigint,
): Promise<bigint> {
  const posted = await findPostings(connection, merchant, kind, [subjectId]);
  return posted.has(subjectId) ? new IdSource(connection).next() : subjectId;
}

async function accrue(
  connection: Connection,
  { bucket, merchantId, franchiseId, invoiceId }: CommissionedInvoice,
  changedBy: bigint,
  amountPaise: bigint,
): Promise<void> {
  const now = Temporal.Now.instant();
  const kind = "commission_accrued";
  const subjectId = await unusedSubject(connection, { bucket, merchantId }, kind, changedBy);
  // A user who may not move money does not make it leave by recording payments either: docs/users.md.
  const waits = !(await mayMoveMoney(connection));
  const commission = { bucket, merchantId, franchiseId, settlementId: subjectId, invoiceId, amountPaise, waits };
  await insertCommission(connection, now, commission);
  const accrued = {
    type: "commission.accrued",
    subjectId,
    money: { kind, amountPaise, ownerId: franchiseId },
  } as const;
  await recordEvents(connection, { bucket, merchantId }, [accrued], now);
  if (!waits) return;
  const after = auditValues({ invoiceId, settlementId: subjectId, amountPaise });
  const held = { type: "franchise.commission_waits", subjectId: franchiseId, after };
  await recordEvents(connection, { bucket, merchantId }, [held]);
}

/** Takes it from what the subject itself earned first, then from what was earned last. All that stands is enough. */
async function takeBack(
  connection: Connection,
  { bucket, merchantId, franchiseId }: CommissionedInvoice,
  changedBy: bigint,
  { earlier, amountPaise }: { readonly earlier: readonly StandingCommission[]; readonly amountPaise: bigint },
): Promise<void> {
  let restPaise = amountPaise;
  const own = earlier.filter(({ settlementId }) => settlementId === changedBy);
  for (const { settlementId, standingPaise } of [
    ...own,
    ...earlier.filter((commission) => !own.includes(commission)),
  ]) {
    const partPaise = restPaise < standingPaise ? restPaise : standingPaise;
    if (partPaise > 0n) await addReversed(connection, { bucket, merchantId }, settlementId, partPaise);
    restPaise -= partPaise;
  }
  // An invoice keeps its franchise while anything is paid on it, so all that stands is the same one's.
  const kind = "commission_reversed";
  const subjectId = await unusedSubject(connection, { bucket, merchantId }, kind, changedBy);
  const money = { kind, amountPaise, ownerId: franchiseId } as const;
  await recordEvents(connection, { bucket, merchantId }, [{ type: "commission.accrual_reversed", subjectId, money }]);
}

/**
 * Lets no commission of a franchise wait any more, since somebody who may move money settled it. With the book held.
 */
export async function endWaiting(connection: Connection, key: FranchiseKey): Promise<void> {
  if (!(await clearWaiting(connection, key))) return;
  await recordEvents(connection, key, [{ type: "franchise.commission_released", subjectId: key.franchiseId }]);
}
