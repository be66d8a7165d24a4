// Commission: how much a franchise earns on an invoice as it stands, and what is posted and noted when one has changed.
// Every amount is one exact fraction, rounded once, half away from zero to the paisa. Who changes an invoice has locked
// the merchant's book.
import { auditValues, findPostings, recordEvents } from "../ledger/index.ts";
import type { MerchantKey, TransactionContext } from "../merchants/index.ts";
import { IdSource } from "../platform/database/ids.ts";
import type { Connection } from "../platform/database/pool.ts";
import { mayMoveMoney } from "../platform/database/tenant.ts";
import { divideRounded } from "../platform/money.ts";
import {
  addReversed,
  findRate,
  insertCommission,
  keepRate,
  listProvedCommission,
  type RemainingCommission,
} from "./commission-store.ts";
import { findFranchise } from "./franchise-store.ts";
import { franchiseNotFound, refuseChanged, type CommissionRate, type FranchiseKey } from "./franchise.ts";

/** What commission on an invoice is worked out from: how the invoice stands. */
export type CommissionBasis = {
  /** What a percentage is earned on, of what there was to pay in all. */
  readonly taxablePaise: bigint;
  readonly totalPaise: bigint;
  /** Of what there was to pay: what comes from other invoices. Credit notes never credit it. */
  readonly previousDuesPaise: bigint;
  /** The settlements that stand, without write-offs. */
  readonly paidPaise: bigint;
  /** What was written off: nobody has paid it, and nothing is due of it. 0 if left out. */
  readonly writtenOffPaise?: bigint;
  /** What credit notes took off what is due. */
  readonly creditedPaise: bigint;
  /** What credit notes give back of what was paid, whether it has left or is still owed. */
  readonly givenBackPaise: bigint;
};

/** Hundredths of a per cent in the whole. */
const WHOLE = 10_000n;

/**
 * What stands as earned on an invoice, in paise: a function of how it stands, so that the order in which payments, credit
 * notes and reversals came can't matter.
 */
export function commissionOn(
  { commissionType, commissionHundredths }: CommissionRate,
  invoice: CommissionBasis,
): bigint {
  return commissionType === "Fixed"
    ? fixedOn(commissionHundredths, invoice)
    : percentageOn(commissionHundredths, invoice);
}

/**
 * The fixed amount once the invoice is fully paid, but for what was written off, in proportion to what credit notes leave of the invoice's own amount.
 * An invoice of nothing but previous dues has nothing to credit, and earns it whole.
 * docs/rules/franchises.md#fixed-amount
 */
function fixedOn(fixedPaise: bigint, invoice: CommissionBasis): bigint {
  const { totalPaise, previousDuesPaise, paidPaise, writtenOffPaise = 0n, creditedPaise, givenBackPaise } = invoice;
  if (paidPaise === 0n || paidPaise + writtenOffPaise + creditedPaise < totalPaise) return 0n;
  const ownPaise = totalPaise - previousDuesPaise;
  if (ownPaise === 0n) return fixedPaise;
  return divideRounded(fixedPaise * (ownPaise - creditedPaise - givenBackPaise), ownPaise);
}

/** A percentage of the taxable part of what was received and not given back: docs/rules/franchises.md#percentage. */
function percentageOn(percentHundredths: bigint, invoice: CommissionBasis): bigint {
  const { taxablePaise, totalPaise, paidPaise, givenBackPaise } = invoice;
  // A payment that is reversed after its refund has left was given back, and is received no more.
  if (paidPaise <= givenBackPaise) return 0n;
  return divideRounded((paidPaise - givenBackPaise) * taxablePaise * percentHundredths, totalPaise * WHOLE);
}

/** An invoice of a franchise, as it stands after the change. */
type CommissionedInvoice = FranchiseKey & CommissionBasis & { readonly invoiceId: bigint };

/** `subjectId` is what changed the invoice: a settlement or a credit note. */
export type AdjustCommission = Omit<CommissionedInvoice, keyof MerchantKey> & { readonly subjectId: bigint };

/**
 * Posts the difference between what the invoice's franchise has earned on it and what stands, and returns it in paise:
 * below 0 where something is taken back, and nothing is posted for 0. The invoice keeps the terms that its franchise has
 * when it is adjusted for the first time, whatever is agreed later. A deleted franchise still earns on its invoices. What
 * a franchise is owed may fall below 0 where it was paid already: then later commission makes up for it.
 * @throws NodalError `franchise_not_found` where the merchant never had it; `access_denied` where SQL has changed the franchise,
 * its commission or the terms that the invoice keeps
 */
export async function adjustCommission(
  { connection, merchant: { bucket, merchantId } }: Pick<TransactionContext, "connection" | "merchant">,
  { subjectId, ...amounts }: AdjustCommission,
): Promise<bigint> {
  const invoice = { bucket, merchantId, ...amounts };
  const franchise = await findFranchise(connection, invoice);
  if (!franchise) throw franchiseNotFound();
  refuseChanged(franchise);
  const earlier = await listProvedCommission(connection, invoice, invoice.invoiceId);
  const remainingPaise = earlier.reduce((sum, { remainingPaise }) => sum + remainingPaise, 0n);
  const changePaise = commissionOn(await rateOf(connection, invoice, franchise), invoice) - remainingPaise;
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
  { earlier, amountPaise }: { readonly earlier: readonly RemainingCommission[]; readonly amountPaise: bigint },
): Promise<void> {
  let restPaise = amountPaise;
  const own = earlier.filter(({ settlementId }) => settlementId === changedBy);
  for (const { settlementId, remainingPaise } of [
    ...own,
    ...earlier.filter((commission) => !own.includes(commission)),
  ]) {
    const partPaise = restPaise < remainingPaise ? restPaise : remainingPaise;
    if (partPaise > 0n) await addReversed(connection, { bucket, merchantId }, settlementId, partPaise);
    restPaise -= partPaise;
  }
  // An invoice keeps its franchise while anything is paid on it, so all that stands is the same one's.
  const kind = "commission_reversed";
  const subjectId = await unusedSubject(connection, { bucket, merchantId }, kind, changedBy);
  const money = { kind, amountPaise, ownerId: franchiseId } as const;
  await recordEvents(connection, { bucket, merchantId }, [{ type: "commission.accrual_reversed", subjectId, money }]);
}
