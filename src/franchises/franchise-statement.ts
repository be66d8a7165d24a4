// A franchise's statement of a period: the amount owed before, earned and paid commission, and the amount owed at the end. It is
// read from the ledger, so that it ends with the ledger's balance.
import type { Merchant, ReadContext } from "../merchants/index.ts";
import { findRange, onSnapshot } from "../payouts/index.ts";
import { fieldRefusal } from "../platform/errors.ts";
import { franchiseNotFound, type Franchise } from "./franchise.ts";
import { findFranchise } from "./franchise-store.ts";
import { listCommissionPostings, readOwedBefore, type CommissionPosting } from "./franchise-statement-store.ts";

/** Limits the memory of one statement, and the pages of its PDF. */
const MAX_LINES = 5000;

/** What a line is about. */
const KINDS = {
  commission_accrued: "earned",
  commission_reversed: "earning_reversed",
  commission_paid: "paid",
  commission_unpaid: "payment_returned",
  commission_paid_outside: "paid_outside",
  commission_payment_reversed: "payment_reversed",
} as const;

export type FranchiseLineKind = (typeof KINDS)[keyof typeof KINDS];

export type FranchiseLine = Omit<CommissionPosting, "kind" | "postedAt"> & {
  readonly kind: FranchiseLineKind;
  /** The day in the merchant's time zone. */
  readonly day: Temporal.PlainDate;
  /** What the franchise is owed after it. */
  readonly balancePaise: bigint;
};

/** Days of the merchant, both included. The sums are net: what was reversed or returned is taken off. */
export type FranchiseStatement = {
  readonly franchise: Franchise;
  readonly from: Temporal.PlainDate;
  readonly to: Temporal.PlainDate;
  readonly openingPaise: bigint;
  readonly earnedPaise: bigint;
  readonly paidPaise: bigint;
  /** Below 0 if it was paid too much. */
  readonly closingPaise: bigint;
  readonly lines: readonly FranchiseLine[];
};

export type AskedStatement = {
  readonly franchiseId: bigint;
  readonly from: Temporal.PlainDate;
  readonly to: Temporal.PlainDate;
};

/**
 * Reads it on one snapshot, also of a deleted franchise.
 * @throws NodalError `franchise_not_found`, or `validation_failed` on `from_date` if there are too many lines
 */
export function readFranchiseStatement(
  { pool, merchant }: ReadContext<Merchant>,
  { franchiseId, from, to }: AskedStatement,
  most = MAX_LINES,
): Promise<FranchiseStatement> {
  const { bucket, merchantId } = merchant;
  return onSnapshot(pool, async (connection) => {
    const key = { bucket, merchantId, franchiseId };
    const franchise = await findFranchise(connection, key);
    if (!franchise) throw franchiseNotFound();
    const range = await findRange(connection, merchant, { from, to });
    const postings = await listCommissionPostings(connection, key, range, most + 1);
    if (postings.length > most) {
      const problem = `begins a period with more than ${most} lines: choose a later day.`;
      throw fieldRefusal("validation_failed", "from_date", problem);
    }
    const openingPaise = await readOwedBefore(connection, key, range.first);
    return { franchise, from, to, openingPaise, ...balanced(postings, openingPaise, merchant) };
  });
}

function balanced(postings: readonly CommissionPosting[], openingPaise: bigint, { timeZone }: Merchant) {
  let balancePaise = openingPaise;
  let earnedPaise = 0n;
  const lines = postings.map(({ kind, postedAt, ...posting }): FranchiseLine => {
    const named = KINDS[kind as keyof typeof KINDS];
    balancePaise += posting.deltaPaise;
    if (isEarning(named)) earnedPaise += posting.deltaPaise;
    const day = postedAt.toZonedDateTimeISO(timeZone).toPlainDate();
    return { ...posting, kind: named, day, balancePaise };
  });
  const paidPaise = openingPaise + earnedPaise - balancePaise;
  return { lines, earnedPaise, paidPaise, closingPaise: balancePaise };
}

/** Whether a line changes earned commission; others change paid commission. */
export function isEarning(kind: FranchiseLineKind): boolean {
  return kind === "earned" || kind === "earning_reversed";
}
