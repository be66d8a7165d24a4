// The daily payout of commission to franchises with automatic and online settlement.
// What belongs here: for whom it is due. Each franchise's next payout is in its row, so that all processes together pay
// once a day for each, and a stopped service catches up at its next start.
import { lockBook } from "../ledger/index.ts";
import type { MerchantKey } from "../merchants/index.ts";
import type { IdSource } from "../platform/database/ids.ts";
import { actWithin } from "../platform/database/acting-pool.ts";
import { inTransaction, type Pool } from "../platform/database/pool.ts";
import type { Schedule } from "../platform/jobs/scheduler.ts";
import type { Logger } from "../platform/log.ts";
import { actorOf } from "../platform/origin.ts";
import { findWaiting } from "./commission-store.ts";
import { findDuePayouts, takeDuePayout, type DuePayout } from "./due-payout-store.ts";
import { nextPayoutAfter, type Franchise } from "./franchise.ts";
import { findFranchise } from "./franchise-store.ts";
import { payeeOf, type CommissionPayout, type PayCommission } from "./settle-commission.ts";

/** How often to look. The look is one search in an index of what is due. */
const LOOK_MS = 5000;
const PAGE_FRANCHISES = 100;

export type CommissionJobOptions = {
  readonly pool: Pool;
  readonly ids: IdSource;
  readonly payCommission: PayCommission;
  readonly logger: Logger;
};

/** The schedule's name is in the audit log, as who pays, also where a moved clock lets it. */
const NAME = "commission payouts";

/** The schedule that pays out to every franchise whose day has come, once each. */
export function commissionSchedule(options: Omit<CommissionJobOptions, "pool">): Schedule {
  const run: Schedule["run"] = (pool, signal) => payDueCommission({ ...options, pool }, Temporal.Now.instant(), signal);
  return { name: NAME, everyMs: LOOK_MS, run };
}

/**
 * Pays out to every franchise whose day has come by `now`, as the clock of its merchant shows it, once each: to all
 * merchants' or to one's. Stops between two of them at the signal.
 */
export async function payDueCommission(
  options: CommissionJobOptions,
  now: Temporal.Instant,
  signal: AbortSignal | null,
  merchant: MerchantKey | null = null,
): Promise<void> {
  let last: Franchise | null = null;
  let page: DuePayout[];
  do {
    page = await findDuePayouts(options.pool, now, last, PAGE_FRANCHISES, merchant);
    for (const due of page) {
      if (signal?.aborted) return;
      await payOut(options, due);
    }
    last = page.at(-1)?.franchise ?? null;
  } while (page.length === PAGE_FRANCHISES);
}

/** Whether it is paid or not, this day's payout is done: what could not be paid stays due, and the next day tries again. */
async function payOut(
  { pool, ids, payCommission, logger }: CommissionJobOptions,
  { franchise, timeZone, merchantNow }: DuePayout,
): Promise<void> {
  const names = { merchant_id: String(franchise.merchantId), franchise_id: String(franchise.franchiseId) };
  try {
    const transferId = await ids.next();
    const payout = await inTransaction(pool, async (connection): Promise<CommissionPayout | "waits" | null> => {
      await actWithin(connection, { actor: actorOf("job", NAME), address: null, mayMoveMoney: true });
      if (!(await takeDuePayout(connection, franchise, nextPayoutAfter(merchantNow, timeZone)))) return null;
      // Its account may have changed since the look.
      const payee = payeeOf((await findFranchise(connection, franchise))!, transferId);
      if (!payee) return null;
      // The book first: what comes to wait from now on comes after this payout.
      await lockBook(connection, franchise.bucket, franchise.merchantId);
      const waiting = await findWaiting(connection, franchise, [franchise.franchiseId]);
      return waiting.size > 0 ? "waits" : payCommission(connection, payee);
    });
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
