// Commission that is owed, and its payment: by a transfer, on request or automatically each day; or by other means, which is
// recorded and can be reversed.
import { auditValues, lockBook, readCommissionBalances, recordEvents } from "../ledger/index.ts";
import {
  requireMoneyMover,
  runIdempotently,
  type Context,
  type ReadContext,
  type WriteContext,
  type MerchantKey,
} from "../merchants/index.ts";
import { readCommissionDue, type CommissionPayout, type OwnPayouts, type PayCommission } from "../payouts/index.ts";
import { everyRow, inTransaction, type Connection } from "../platform/database/pool.ts";
import { actWithin } from "../platform/database/tenant.ts";
import { fieldRefusal, NodalError } from "../platform/errors.ts";
import { formatRupees } from "../platform/indian-format.ts";
import type { Schedule } from "../platform/jobs/scheduler.ts";
import type { Logger } from "../platform/log.ts";
import { actorOf } from "../platform/origin.ts";
import {
  clearWaiting,
  findCommissionPayment,
  insertCommissionPayment,
  markCommissionPaymentReversed,
  type CommissionPayment,
  type CommissionPaymentDetails,
} from "./commission-store.ts";
import { findDuePayouts, findFranchise, takeDuePayout, type DuePayout } from "./franchise-store.ts";
import { readHeldCommission } from "./commission-hold-store.ts";
import {
  franchiseNotFound,
  isPaidByItself,
  nextPayoutAfter,
  refuseChanged,
  type Franchise,
  type FranchiseKey,
} from "./franchise.ts";

/** A franchise's earned, paid and owed commission (negative if it was paid too much). */
export type CommissionState = {
  readonly accruedPaise: bigint;
  readonly paidPaise: bigint;
  readonly duePaise: bigint;
};

/** The commission of the given franchises of a merchant, or of all, by franchise id. */
export async function readCommission(
  { pool, merchant: { bucket, merchantId } }: ReadContext,
  franchiseIds: readonly bigint[] | null = null,
): Promise<Map<bigint, CommissionState>> {
  const balances = await readCommissionBalances(pool, bucket, merchantId, franchiseIds);
  return new Map(
    [...balances].map(([franchiseId, { payablePaise, settledPaise }]) => [
      franchiseId,
      { accruedPaise: payablePaise + settledPaise, paidPaise: settledPaise, duePaise: payablePaise },
    ]),
  );
}

/** The job's name in the audit log, as the actor of payouts, also after a sandbox clock was moved. */
const COMMISSION_JOB = "commission payouts";

export type SettleCommission = {
  readonly franchiseId: bigint;
  /** The amount that a user agreed to; `null` for everything due. */
  readonly expectedPaise: bigint | null;
};

/** Pays commission out. The limits of transfers apply. */
export class CommissionPayer {
  readonly #ownPayouts: OwnPayouts;

  constructor(ownPayouts: OwnPayouts) {
    this.#ownPayouts = ownPayouts;
  }

  /**
   * Pays out everything that is due to a franchise, deleted or not, with any settlement type, including commission on hold. If the amount
   * due is not the expected one, nothing is paid.
   * @throws NodalError `franchise_not_found`, `no_bank_account`, `commission_changed`, `insufficient_balance`, the refusals of the merchant's policy
   * (`beneficiary_not_approved` or `limit_exceeded`), or `access_denied` for somebody who may not
   * move money
   */
  async settle(
    { pool, ids, merchant: { bucket, merchantId } }: WriteContext,
    { franchiseId, expectedPaise }: SettleCommission,
  ): Promise<CommissionPayout> {
    const key = { bucket, merchantId, franchiseId };
    const transferId = await ids.next();
    const payout = await inTransaction(pool, async (connection) => {
      await requireMoneyMover(connection);
      // Locked, so that its account does not change meanwhile.
      const franchise = await findFranchise(connection, key, true);
      if (!franchise) throw franchiseNotFound();
      refuseChanged(franchise);
      const payee = payeeOf(franchise, transferId, expectedPaise);
      if (payee) {
        const paid = await this.#ownPayouts.payCommission({ connection, merchant: franchise }, payee);
        // With the book held, so that no commission that came meanwhile is released.
        if (paid.outcome === "accepted") await endWaiting(connection, key);
        return paid;
      }
      throw new NodalError("no_bank_account", "This franchise has no bank account for its commission: add one first.");
    });
    refuseUnpaid(payout);
    return payout;
  }

  /**
   * Makes a franchise's automatic payout of the day. Commission that can't be paid stays due, and is tried again the next day. Returns
   * `null` if another process was faster or there is no account.
   */
  async payDue(
    { pool, ids }: Pick<Context, "pool" | "ids">,
    { franchise, timeZone, merchantNow }: DuePayout,
  ): Promise<CommissionPayout | "waits" | null> {
    const transferId = await ids.next();
    return inTransaction(pool, async (connection) => {
      await actWithin(connection, { actor: actorOf("job", COMMISSION_JOB), address: null, mayMoveMoney: true });
      if (!(await takeDuePayout(connection, franchise, nextPayoutAfter(merchantNow, timeZone)))) return null;
      // Its account may have changed since the check.
      const current = (await findFranchise(connection, franchise))!;
      refuseChanged(current);
      const payee = payeeOf(current, transferId, null);
      if (!payee || !isPaidByItself(current) || current.deletedAt !== null) return null;
      // The book first: commission that is put on hold from now on comes after this payout.
      await lockBook(connection, franchise.bucket, franchise.merchantId);
      if ((await readHeldCommission(connection, franchise)) > 0n) return "waits";
      return this.#ownPayouts.payCommission({ connection, merchant: franchise }, payee);
    });
  }
}

/** @throws NodalError why `settle` made no payout, unless nothing is due */
function refuseUnpaid(payout: CommissionPayout): void {
  if (payout.outcome === "refused") throw payout.refusal;
  if (payout.outcome === "amount_changed") {
    throw new NodalError(
      "commission_changed",
      `The amount due has changed to ${formatRupees(payout.duePaise)}. Check it, then settle again.`,
    );
  }
  if (payout.outcome === "insufficient_balance") {
    throw new NodalError(
      "insufficient_balance",
      `The available balance is too low for the commission of ${formatRupees(payout.duePaise)}, which stays due. Add funds, then settle again.`,
    );
  }
}

/** The payee of a payout of commission; `null` for a franchise without a bank account. */
function payeeOf(
  { franchiseId, code, beneficiaryId }: Franchise,
  transferId: bigint,
  expectedPaise: bigint | null,
): PayCommission | null {
  return beneficiaryId === null ? null : { franchiseId, code, beneficiaryId, transferId, expectedPaise };
}

/** How often to check. A check is one look-up in an index of due payouts. */
const LOOK_MS = 5000;
const PAGE_FRANCHISES = 100;

type CommissionJobContext = Pick<Context, "pool" | "ids"> & {
  readonly commissionPayer: CommissionPayer;
  readonly logger: Logger;
};

type PayDueCommission = {
  readonly dueBy: Temporal.Instant;
  /** Stops the run between two franchises. */
  readonly signal: AbortSignal | null;
  /** `null` for all merchants. */
  readonly merchant: MerchantKey | null;
};

/** The schedule that makes each franchise's automatic payout of the day. */
export function commissionSchedule(parts: Omit<CommissionJobContext, "pool">): Schedule {
  const run: Schedule["run"] = (pool, signal) =>
    payDueCommission({ ...parts, pool }, { dueBy: Temporal.Now.instant(), signal, merchant: null });
  return { name: COMMISSION_JOB, everyMs: LOOK_MS, run };
}

/** Pays out to every franchise whose day has come by then, as the clock of its merchant shows it, once each. */
export async function payDueCommission(
  context: CommissionJobContext,
  { dueBy, signal, merchant }: PayDueCommission,
): Promise<void> {
  const payouts = everyRow<DuePayout>(PAGE_FRANCHISES, (last, limit) =>
    findDuePayouts(context.pool, dueBy, last?.franchise ?? null, limit, merchant),
  );
  for await (const due of payouts) {
    if (signal?.aborted) return;
    await payOut(context, due);
  }
}

async function payOut({ commissionPayer, logger, ...context }: CommissionJobContext, due: DuePayout): Promise<void> {
  const { merchantId, franchiseId } = due.franchise;
  const names = { merchant_id: String(merchantId), franchise_id: String(franchiseId) };
  try {
    const payout = await commissionPayer.payDue(context, due);
    if (payout === "waits") {
      logger.info(names, "automatic commission payout skipped: a user who may move money must settle it");
      return;
    }
    if (payout?.outcome === "insufficient_balance") {
      logger.warn(names, "commission not paid: balance too low; it stays due");
    }
    if (payout?.outcome === "refused") {
      const { code } = payout.refusal;
      logger.warn({ ...names, code }, "commission not paid: payouts are not allowed; it stays due");
    }
  } catch (error) {
    logger.error({ err: error, ...names }, "could not pay a franchise's commission");
  }
}

/** How commission is paid outside of Nodal. */
export const COMMISSION_PAYMENT_MODES = ["Cash", "Cheque", "NEFT", "RTGS", "IMPS", "UPI", "Card"] as const;

export type RecordCommissionPayment = CommissionPaymentDetails & { readonly franchiseId: bigint };

export type ReverseCommissionPayment = {
  readonly paymentId: bigint;
  /** The franchise that it has to belong to; `null` for any. */
  readonly franchiseId: bigint | null;
  readonly reason: string;
};

/**
 * Records that a franchise, deleted or not, was paid commission by other means: cash, a cheque, the merchant's own bank. It is limited to
 * the amount that is due and not on its way as a transfer, even for concurrent calls.
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
 * Reverses a payment of commission by other means: its amount is due again.
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
      throw new NodalError("settlement_reversed", "This payment is already reversed.");
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
    "This commission payment does not exist: check its id on the franchise's page.",
  );
}

function exceedsDue(duePaise: bigint): NodalError {
  const problem =
    duePaise > 0n
      ? `Only ${formatRupees(duePaise)} is due to this franchise and not already being paid: record at most that much.`
      : "Nothing is due to this franchise, or it is already being paid: there is nothing to record.";
  return fieldRefusal("settlement_exceeds_due", "amount", problem);
}

/** Releases a franchise's commission on hold, since a user who may move money settled it. The book is held. */
async function endWaiting(connection: Connection, key: FranchiseKey): Promise<void> {
  if (!(await clearWaiting(connection, key))) return;
  await recordEvents(connection, key, [{ type: "franchise.commission_released", subjectId: key.franchiseId }]);
}
