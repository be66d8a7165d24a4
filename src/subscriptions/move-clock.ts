// Use case: move a sandbox merchant's clock ahead, or reset it to the real date.
import { expireApprovals } from "../approvals/index.ts";
import { bringPayoutsForward, nextPayoutAfter, payDueCommission, type CommissionPayer } from "../franchises/index.ts";
import { changeMerchant, todayOf, type Merchant, type OperatorContext } from "../merchants/index.ts";
import { wakeBatches } from "../payouts/index.ts";
import { inTransaction } from "../platform/database/pool.ts";
import { NodalError, validationError } from "../platform/errors.ts";
import { billDue, type BillingParts } from "./bill-due.ts";
import { countBilled, countParked } from "./subscription-store.ts";

const MAX_YEARS_AHEAD = 50;

/** The result of moving the clock. */
export type ClockMove = {
  readonly merchant: Merchant;
  /** How many invoices subscriptions have created meanwhile. */
  readonly invoices: bigint;
  /** How many of its subscriptions are parked after it. */
  readonly parked: bigint;
};

/** The services for moving a clock: commission that falls due is paid. */
export type ClockParts = BillingParts & { readonly commissionPayer: CommissionPayer };

/** The clock's new day. */
export type AdvanceClock = { readonly to: Temporal.PlainDate };

/**
 * Moves a merchant's clock ahead and does everything that falls due by then: bills each subscription with its own dates, including
 * parked ones; pays commission; refuses expired approvals; lets the server make payouts of these days.
 * @throws NodalError `merchant_not_found`; `clock_refused` for a live merchant; `validation_failed` if the clock would go backwards
 * or too far
 */
export async function advanceClock(context: ClockParts & OperatorContext, { to }: AdvanceClock): Promise<ClockMove> {
  const { pool } = context;
  // Checked against the clock at the time of the move: another move may have come first.
  const { merchant } = await changeMerchant(context, (before) => {
    refuseLive(before);
    refuseDate(before, to);
    return { clockDate: to };
  });
  const before = await countBilled(pool, merchant);
  await billDue({ ...context, merchant }, { retryParked: true });
  // Counted rather than added up: a running server may have billed some of it.
  const invoices = (await countBilled(pool, merchant)) - before;
  await payDueCommission(context, { dueBy: Temporal.Now.instant(), signal: null, merchant });
  await expireApprovals(pool, Temporal.Now.instant(), null, merchant);
  await wakeBatches(pool, merchant);
  return { merchant, invoices, parked: await countParked(pool, merchant) };
}

/**
 * Resets a merchant's clock to the real date. Everything created for later dates stays, and commission is paid from the next day
 * on.
 * @throws NodalError `merchant_not_found` or `clock_refused`
 */
export async function resetClock(context: OperatorContext): Promise<Merchant> {
  const { merchant } = await changeMerchant(context, (before) => {
    refuseLive(before);
    return { clockDate: null };
  });
  const nextPayoutAt = nextPayoutAfter(Temporal.Now.instant(), merchant.timeZone);
  await inTransaction(context.pool, (connection) => bringPayoutsForward(connection, merchant, nextPayoutAt));
  return merchant;
}

function refuseLive({ merchantId, live }: Merchant): void {
  if (!live) return;
  throw new NodalError(
    "clock_refused",
    `The merchant ${merchantId} is live: only a sandbox merchant's clock can be moved.`,
  );
}

function refuseDate(merchant: Merchant, to: Temporal.PlainDate): void {
  const refuse = (why: string): never => {
    throw validationError([{ field: "to", code: "invalid", problem: why }]);
  };
  const today = todayOf(merchant);
  if (Temporal.PlainDate.compare(to, today) < 0)
    refuse(`must not be before ${today.toString()}: the clock can't go backwards.`);
  const latest = Temporal.Now.plainDateISO(merchant.timeZone).add({ years: MAX_YEARS_AHEAD });
  if (Temporal.PlainDate.compare(to, latest) > 0)
    refuse(`must not be after ${latest.toString()}, ${MAX_YEARS_AHEAD} years ahead.`);
}
