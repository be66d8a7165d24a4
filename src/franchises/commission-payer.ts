// Two use cases: what a franchise is owed is paid out at once, because somebody asked for it, or because its day has come.
import { lockBook } from "../ledger/index.ts";
import { requireMoneyMover, type Context, type WriteContext, type MerchantKey } from "../merchants/index.ts";
import type { CommissionPayout, OwnPayouts, PayCommission } from "../payouts/index.ts";
import { actWithin } from "../platform/database/tenant.ts";
import { everyRow, inTransaction } from "../platform/database/pool.ts";
import { NodalError } from "../platform/errors.ts";
import { formatRupees } from "../platform/indian-format.ts";
import { actorOf } from "../platform/origin.ts";
import { endWaiting } from "./commission.ts";
import { findWaiting } from "./commission-store.ts";
import { takeDuePayout, type DuePayout, findDuePayouts, findFranchise } from "./franchise-store.ts";
import { franchiseNotFound, nextPayoutAfter, type Franchise } from "./franchise.ts";
import type { Schedule } from "../platform/jobs/scheduler.ts";
import type { Logger } from "../platform/log.ts";

/** The job's name is in the audit log, as who pays, also where a moved clock lets it. */
const COMMISSION_JOB = "commission payouts";

export type SettleCommission = {
  readonly franchiseId: bigint;
  /** What somebody has agreed to pay; `null` for whatever is due. */
  readonly expectedPaise: bigint | null;
};

/** Pays commission out, under the limits that any transfer has. */
export class CommissionPayer {
  readonly #ownPayouts: OwnPayouts;

  constructor(ownPayouts: OwnPayouts) {
    this.#ownPayouts = ownPayouts;
  }

  /**
   * Pays out what is due to a franchise, deleted or not, whatever its settlement type: what waited for it waits no more.
   * Where an amount is expected and another one is due by now, nothing is paid.
   * @throws NodalError `franchise_not_found`, `no_bank_account`, `commission_changed`, `insufficient_balance`, what the
   * merchant's policy says (`beneficiary_not_approved` or `limit_exceeded`), or `access_denied` for somebody who may not
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
      // Held, so that its account does not change meanwhile.
      const franchise = await findFranchise(connection, key, true);
      if (!franchise) throw franchiseNotFound();
      const payee = payeeOf(franchise, transferId, expectedPaise);
      if (payee) {
        const paid = await this.#ownPayouts.payCommission({ connection, merchant: franchise }, payee);
        // With the book held, so that nothing is agreed to that came meanwhile.
        if (paid.outcome === "accepted") await endWaiting(connection, key);
        return paid;
      }
      throw new NodalError(
        "no_bank_account",
        "This franchise has no bank account to pay its commission to: give it one first.",
      );
    });
    refuseUnpaid(payout);
    return payout;
  }

  /**
   * Pays out to a franchise whose day has come. Whether it is paid or not, this day's payout is done: what could not be
   * paid stays due, and the next day tries again. Answers `null` where another process was faster or there is no account.
   */
  async payDue(
    { pool, ids }: Pick<Context, "pool" | "ids">,
    { franchise, timeZone, merchantNow }: DuePayout,
  ): Promise<CommissionPayout | "waits" | null> {
    const transferId = await ids.next();
    return inTransaction(pool, async (connection) => {
      await actWithin(connection, { actor: actorOf("job", COMMISSION_JOB), address: null, mayMoveMoney: true });
      if (!(await takeDuePayout(connection, franchise, nextPayoutAfter(merchantNow, timeZone)))) return null;
      // Its account may have changed since the look.
      const payee = payeeOf((await findFranchise(connection, franchise))!, transferId, null);
      if (!payee) return null;
      // The book first: what comes to wait from now on comes after this payout.
      await lockBook(connection, franchise.bucket, franchise.merchantId);
      const waiting = await findWaiting(connection, franchise, [franchise.franchiseId]);
      if (waiting.size > 0) return "waits";
      return this.#ownPayouts.payCommission({ connection, merchant: franchise }, payee);
    });
  }
}

/** @throws NodalError what `settle` says of a payout that did not come about, unless nothing is due */
function refuseUnpaid(payout: CommissionPayout): void {
  if (payout.outcome === "refused") throw payout.refusal;
  if (payout.outcome === "amount_changed") {
    throw new NodalError(
      "commission_changed",
      `What is due has changed: it is ${formatRupees(payout.duePaise)} now. Look at it, then settle again.`,
    );
  }
  if (payout.outcome === "insufficient_balance") {
    throw new NodalError(
      "insufficient_balance",
      `The available balance does not cover the commission of ${formatRupees(payout.duePaise)}: add funds, then settle again. It stays due.`,
    );
  }
}

/** Whom a payout of commission goes to; `null` for a franchise without a bank account. */
function payeeOf(
  { franchiseId, code, beneficiaryId }: Franchise,
  transferId: bigint,
  expectedPaise: bigint | null,
): PayCommission | null {
  return beneficiaryId === null ? null : { franchiseId, code, beneficiaryId, transferId, expectedPaise };
}

/** How often to look. The look is one search in an index of what is due. */
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

/** The schedule that pays out to every franchise whose day has come, once each. */
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
      logger.info(names, "a franchise's commission waits until somebody who may move money settles it");
      return;
    }
    if (payout?.outcome === "insufficient_balance") {
      logger.warn(names, "the balance does not cover a franchise's commission, which stays due");
    }
    if (payout?.outcome === "refused") {
      const { code } = payout.refusal;
      logger.warn({ ...names, code }, "a franchise's commission may not leave, and stays due");
    }
  } catch (error) {
    logger.error({ err: error, ...names }, "could not pay a franchise's commission out");
  }
}
