// Commission: how much a franchise earns, and how much of it goes back.
// What belongs here: arithmetic. Every amount is one exact fraction, rounded once, half away from zero to the paisa.
import { divideRounded } from "../platform/money.ts";
import type { FranchiseTerms } from "./franchise.ts";

/** A payment of an invoice, as far as commission is concerned. */
export type Receipt = {
  readonly receivedPaise: bigint;
  /** Of the whole invoice: what commission is earned on, and what there was to pay. */
  readonly taxablePaise: bigint;
  readonly totalPaise: bigint;
  /** Whether nothing is due any more since this payment. */
  readonly becameFullyPaid: boolean;
};

/** Hundredths of a per cent in the whole. */
const WHOLE = 10_000n;

/**
 * What a payment earns: a percentage of the taxable part of what is received, in proportion; or the fixed amount, with
 * the payment that completes the invoice.
 */
export function commissionOn(
  { commissionType, commissionHundredths }: Pick<FranchiseTerms, "commissionType" | "commissionHundredths">,
  { receivedPaise, taxablePaise, totalPaise, becameFullyPaid }: Receipt,
): bigint {
  if (commissionType === "Fixed") return becameFullyPaid ? commissionHundredths : 0n;
  if (totalPaise === 0n) return 0n;
  return divideRounded(receivedPaise * taxablePaise * commissionHundredths, totalPaise * WHOLE);
}

/** What goes back of an earned amount when a part of what was received is given back. */
export function shareOf(earnedPaise: bigint, refundedPaise: bigint, receivedPaise: bigint): bigint {
  if (refundedPaise >= receivedPaise) return earnedPaise;
  return divideRounded(earnedPaise * refundedPaise, receivedPaise);
}

/** What a franchise has earned, was paid, and is owed (below 0 where it was paid too much). */
export type CommissionState = {
  readonly accruedPaise: bigint;
  readonly paidPaise: bigint;
  readonly duePaise: bigint;
};
