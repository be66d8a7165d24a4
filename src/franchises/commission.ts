// Commission: how much a franchise earns on an invoice in its current state, and the postings and rows when that changes.
// Every amount is one exact fraction, rounded once, half away from zero to the paisa. Callers that change an invoice have
// locked the merchant's book.
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

/** The state of an invoice that its commission is calculated from. */
export type CommissionBasis = {
  /** The part of the invoice's total that a percentage is earned on. */
  readonly taxablePaise: bigint;
  readonly totalPaise: bigint;
  /** The part of the invoice's total that comes from other invoices. Credit notes never credit it. */
  readonly previousDuesPaise: bigint;
  /** Payments that were not reversed, without write-offs. */
  readonly paidPaise: bigint;
  /** The amount that was written off, so neither paid nor due. 0 if left out. */
  readonly writtenOffPaise?: bigint;
  /** The amount that credit notes took off the amount due. */
  readonly creditedPaise: bigint;
  /** The paid amount that credit notes refund, whether it was sent or is still owed. */
  readonly givenBackPaise: bigint;
};

/** Hundredths of a per cent in the whole. */
const WHOLE = 10_000n;

/**
 * The commission earned on an invoice, in paise. It depends only on the invoice's current state, so the order of payments, credit notes
 * and reversals can't matter.
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
 * The fixed amount once the invoice is fully paid except for write-offs, in proportion to the part of the invoice's own amount that
 * credit notes leave. An invoice of only previous dues has nothing to credit, and earns it whole.
 * docs/rules/franchises.md#fixed-amount
 */
function fixedOn(fixedPaise: bigint, invoice: CommissionBasis): bigint {
  const { totalPaise, previousDuesPaise, paidPaise, writtenOffPaise = 0n, creditedPaise, givenBackPaise } = invoice;
  if (paidPaise === 0n || paidPaise + writtenOffPaise + creditedPaise < totalPaise) return 0n;
  const ownPaise = totalPaise - previousDuesPaise;
  if (ownPaise === 0n) return fixedPaise;
  return divideRounded(fixedPaise * (ownPaise - creditedPaise - givenBackPaise), ownPaise);
}

/** A percentage of the taxable part of the amount received and not refunded: docs/rules/franchises.md#percentage. */
function percentageOn(percentHundredths: bigint, invoice: CommissionBasis): bigint {
  const { taxablePaise, totalPaise, paidPaise, givenBackPaise } = invoice;
  // A payment that is reversed after its refund was sent counts as refunded, but no longer as received.
  if (paidPaise <= givenBackPaise) return 0n;
  return divideRounded((paidPaise - givenBackPaise) * taxablePaise * percentHundredths, totalPaise * WHOLE);
}

/** A franchise's invoice after the change. */
type CommissionedInvoice = FranchiseKey & CommissionBasis & { readonly invoiceId: bigint };

/** `subjectId` is what changed the invoice: a settlement or a credit note. */
export type AdjustCommission = Omit<CommissionedInvoice, keyof MerchantKey> & { readonly subjectId: bigint };

/**
 * Posts the difference between the commission booked on an invoice and the commission it earns now, and returns it in paise: negative for
 * a reversal; nothing is posted for 0. The invoice keeps the terms of its first adjustment, even if they change later. A deleted franchise
 * still earns on its invoices. The balance may become negative if commission was paid already: later commission makes up for it.
 * @throws NodalError `franchise_not_found` if the merchant never had it; `access_denied` if the franchise, its commission or the
 * invoice's terms were changed with SQL
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
 * A subject that earns or reverses more than once gets another id from the second time on, since the ledger has one posting of a kind for
 * each subject: the part of a payment that goes to earlier dues changes with later payments. A change is not posted twice, because it is
 * no longer a difference then.
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
  // Users who may not move money can't cause payouts by recording payments either: docs/users.md.
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

/** Reverses commission that the subject itself earned first, then the latest. There is always enough. */
async function takeBack(
  connection: Connection,
  { bucket, merchantId, franchiseId, invoiceId }: CommissionedInvoice,
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
  // An invoice keeps its franchise while anything is paid on it, so all of it belongs to the same one.
  const kind = "commission_reversed";
  const subjectId = await unusedSubject(connection, { bucket, merchantId }, kind, changedBy);
  const money = { kind, amountPaise, ownerId: franchiseId } as const;
  // The subject may have no commission of its own that would lead to the invoice.
  const reversed = { type: "commission.accrual_reversed", subjectId, money, after: auditValues({ invoiceId }) };
  await recordEvents(connection, { bucket, merchantId }, [reversed]);
}
