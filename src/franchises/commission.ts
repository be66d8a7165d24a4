// Commission: how much a franchise earns on an invoice as it stands.
// What belongs here: arithmetic. Every amount is one exact fraction, rounded once, half away from zero to the paisa.
import { divideRounded } from "../platform/money.ts";
import type { CommissionRate } from "./franchise.ts";
import { readCommissionBalances, type CommissionBalances } from "../ledger/index.ts";
import type { ReadContext } from "../merchants/index.ts";

/** What commission on an invoice is worked out from: how the invoice stands. */
export type CommissionBasis = {
  /** What a percentage is earned on, of what there was to pay in all. */
  readonly taxablePaise: bigint;
  readonly totalPaise: bigint;
  /** Of what there was to pay: what comes from other invoices. Credit notes never credit it. */
  readonly previousDuesPaise: bigint;
  /** The settlements that stand. */
  readonly paidPaise: bigint;
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
 * The fixed amount once the invoice is fully paid, in proportion to what credit notes leave of the invoice's own amount.
 * An invoice of nothing but previous dues has nothing to credit, and earns it whole.
 * docs/rules/franchises.md#fixed-amount
 */
function fixedOn(fixedPaise: bigint, invoice: CommissionBasis): bigint {
  const { totalPaise, previousDuesPaise, paidPaise, creditedPaise, givenBackPaise } = invoice;
  if (paidPaise === 0n || paidPaise + creditedPaise < totalPaise) return 0n;
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

/** What a franchise has earned, was paid, and is owed (below 0 where it was paid too much). */
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
  return new Map([...balances].map(([franchiseId, balance]) => [franchiseId, stateOf(balance)]));
}

function stateOf({ payablePaise, settledPaise }: CommissionBalances): CommissionState {
  return { accruedPaise: payablePaise + settledPaise, paidPaise: settledPaise, duePaise: payablePaise };
}
