// Two use cases: commission that was paid by other means than a transfer of Nodal's is recorded, and such a record is
// taken back. What belongs here: how much may be recorded, and what is posted. No money of Nodal's moves.
import { auditValues, lockBook, recordEvents } from "../ledger/index.ts";
import { requireMoneyMover, runIdempotently, type Context, type ReadContext } from "../merchants/index.ts";
import { readCommissionDue } from "../payouts/index.ts";
import { inTransaction } from "../platform/database/pool.ts";
import { NodalError } from "../platform/errors.ts";
import { formatRupees } from "../platform/indian-format.ts";
import {
  findCommissionPayment,
  insertCommissionPayment,
  markCommissionPaymentReversed,
  type CommissionPayment,
  type CommissionPaymentDetails,
} from "./commission-store.ts";
import { endWaiting } from "./commission.ts";
import { franchiseNotFound } from "./franchise.ts";
import { findFranchise } from "./franchise-store.ts";

/** How commission is paid outside of Nodal. */
export const COMMISSION_PAYMENT_MODES = ["Cash", "Cheque", "NEFT", "RTGS", "IMPS", "UPI", "Card"] as const;

export type RecordCommissionPayment = CommissionPaymentDetails & { readonly franchiseId: bigint };

export type ReverseCommissionPayment = {
  readonly paymentId: bigint;
  /** The franchise that it has to be of; `null` for any. */
  readonly franchiseId: bigint | null;
  readonly reason: string;
};

/**
 * Records that a franchise, deleted or not, was paid commission by other means: cash, a cheque, the merchant's own bank. So
 * much less is due. Never more than is due and not on its way as a transfer, however many record it at once.
 * @throws NodalError `franchise_not_found`, `settlement_exceeds_due`, or `access_denied` for somebody who may not move money
 */
export async function recordCommissionPayment(
  { pool, ids, merchant: { bucket, merchantId }, idempotency }: Context,
  { franchiseId, ...details }: RecordCommissionPayment,
): Promise<{ readonly paymentId: string }> {
  const key = { bucket, merchantId, franchiseId };
  const paymentId = await ids.next();
  const payment: CommissionPayment = { ...key, ...details, paymentId, reversedAt: null, reversalReason: null };
  const { answer } = await runIdempotently(pool, key, idempotency, async (connection) => {
    await requireMoneyMover(connection);
    if (!(await findFranchise(connection, key, true))) throw franchiseNotFound();
    await lockBook(connection, bucket, merchantId);
    const duePaise = await readCommissionDue(connection, key);
    if (details.amountPaise > duePaise) throw exceedsDue(duePaise);
    await insertCommissionPayment(connection, Temporal.Now.instant(), payment);
    if (details.amountPaise === duePaise) await endWaiting(connection, key);
    const money = { kind: "commission_paid_outside", amountPaise: details.amountPaise, ownerId: franchiseId } as const;
    const recorded = { type: "commission.payment_recorded", subjectId: paymentId, after: auditValues(payment), money };
    await recordEvents(connection, key, [recorded]);
    return { paymentId: String(paymentId) };
  });
  return answer;
}

/**
 * Takes back that commission was paid by other means: so much more is due again.
 * @throws NodalError `commission_payment_not_found`, `settlement_reversed`, or `access_denied` for somebody who may not move
 * money
 */
export async function reverseCommissionPayment(
  { pool, merchant: { bucket, merchantId } }: ReadContext,
  { paymentId, franchiseId, reason }: ReverseCommissionPayment,
): Promise<CommissionPayment> {
  const merchant = { bucket, merchantId };
  return inTransaction(pool, async (connection) => {
    await requireMoneyMover(connection);
    await lockBook(connection, bucket, merchantId);
    const payment = await findCommissionPayment(connection, merchant, paymentId);
    if (!payment || (franchiseId !== null && payment.franchiseId !== franchiseId)) throw commissionPaymentNotFound();
    if (payment.reversedAt) {
      throw new NodalError("settlement_reversed", "This payment has been reversed already: nothing was changed.");
    }
    await markCommissionPaymentReversed(connection, payment, Temporal.Now.instant(), reason);
    const { amountPaise, franchiseId: ownerId } = payment;
    const money = { kind: "commission_payment_reversed", amountPaise, ownerId } as const;
    const reversed = { type: "commission.payment_reversed", subjectId: paymentId, money };
    const change = { before: auditValues(payment), after: { reversed_because: reason } };
    await recordEvents(connection, merchant, [{ ...reversed, ...change }]);
    return payment;
  });
}

/** The refusal for a payment of commission that the merchant, or the franchise in question, does not have. */
function commissionPaymentNotFound(): NodalError {
  return new NodalError(
    "commission_payment_not_found",
    "There is no such payment of commission: look its id up at the franchise.",
  );
}

function exceedsDue(duePaise: bigint): NodalError {
  const message =
    duePaise > 0n
      ? `Only ${formatRupees(duePaise)} is due to this franchise and not on its way already: record at most that much.`
      : "Nothing is due to this franchise, or it is on its way already: nothing can be recorded.";
  return new NodalError("settlement_exceeds_due", message, {
    errors: [{ field: "amount", code: "settlement_exceeds_due", message }],
  });
}
