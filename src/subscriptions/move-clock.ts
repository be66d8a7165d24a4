// One use case: the clock of a merchant in the sandbox is moved ahead, or shows the real date again.
// What belongs here: how far it may move, and that everything due has been done when it has moved.
import {
  bringPayoutsForward,
  nextPayoutAfter,
  payDueCommission,
  type CommissionJobOptions,
} from "../franchises/index.ts";
import { changeMerchant, todayOf, type Merchant } from "../merchants/index.ts";
import { expireApprovals } from "../payouts/index.ts";
import { inTransaction } from "../platform/database/pool.ts";
import { NodalError, validationError } from "../platform/errors.ts";
import { billDue, type BillingParts } from "./bill-due.ts";
import { countBilled, countParked } from "./subscription-store.ts";

const MAX_YEARS_AHEAD = 50;

/** What a move of the clock came to. */
export type ClockMove = {
  readonly merchant: Merchant;
  /** How many invoices subscriptions have made meanwhile. */
  readonly invoices: bigint;
  /** How many of its subscriptions are parked after it. */
  readonly parked: bigint;
};

/** What moving a clock needs: commission that falls due is paid. */
export type ClockParts = BillingParts & Pick<CommissionJobOptions, "payCommission">;

/**
 * Moves a merchant's clock ahead and does what falls due by then: bills each subscription with its own dates, also what
 * is parked; pays commission; refuses what has waited for approval for too long. `alsoRun` then does what else falls due.
 * @throws NodalError `merchant_not_found`; `clock_refused` for a live merchant; `validation_failed` where the clock would
 * go backwards or too far
 */
export async function advanceClock(
  parts: ClockParts,
  merchantId: bigint,
  to: Temporal.PlainDate,
  alsoRun: (merchant: Merchant) => Promise<void> = async () => {},
): Promise<ClockMove> {
  // Judged by the clock as it is when it moves: another move may have come first.
  const { merchant } = await changeMerchant(parts, merchantId, (before) => {
    refuseLive(before);
    refuseDate(before, to);
    return { clockDate: to };
  });
  const before = await countBilled(parts.pool, merchant);
  await billDue(parts, merchant, { retryParked: true });
  // Counted rather than added up: a running server may have billed some of it.
  const invoices = (await countBilled(parts.pool, merchant)) - before;
  await payDueCommission(parts, Temporal.Now.instant(), null, merchant);
  await expireApprovals(parts.pool, Temporal.Now.instant(), null, merchant);
  await alsoRun(merchant);
  return { merchant, invoices, parked: await countParked(parts.pool, merchant) };
}

/**
 * Lets a merchant's clock show the real date again. What was made for later dates stays, and commission is paid from the
 * next day on.
 * @throws NodalError `merchant_not_found` or `clock_refused`
 */
export async function resetClock(parts: Pick<BillingParts, "pool" | "ids">, merchantId: bigint): Promise<Merchant> {
  const { merchant } = await changeMerchant(parts, merchantId, (before) => {
    refuseLive(before);
    return { clockDate: null };
  });
  const nextPayoutAt = nextPayoutAfter(Temporal.Now.instant(), merchant.timeZone);
  await inTransaction(parts.pool, (connection) => bringPayoutsForward(connection, merchant, nextPayoutAt));
  return merchant;
}

function refuseLive({ merchantId, live }: Merchant): void {
  if (!live) return;
  throw new NodalError(
    "clock_refused",
    `The merchant ${merchantId} is live: only a merchant in the sandbox has a clock that can be moved.`,
  );
}

function refuseDate(merchant: Merchant, to: Temporal.PlainDate): void {
  const refuse = (why: string): never => {
    throw validationError([{ field: "--to", code: "invalid", message: `--to ${why}` }]);
  };
  const today = todayOf(merchant);
  if (Temporal.PlainDate.compare(to, today) < 0)
    refuse(`must not be before ${today.toString()}: a clock never goes backwards.`);
  const latest = Temporal.Now.plainDateISO(merchant.timeZone).add({ years: MAX_YEARS_AHEAD });
  if (Temporal.PlainDate.compare(to, latest) > 0)
    refuse(`must not be after ${latest.toString()}, ${MAX_YEARS_AHEAD} years ahead.`);
}
