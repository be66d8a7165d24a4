// SQL of what providers have taken for payments, parts of other statements: docs/rules/payouts.md#fees-of-providers
import type { BucketPin } from "../platform/database/spread.ts";

/** The postings of what a provider has taken for a payment, as a list. */
export const FEE_POSTINGS = `(
  'fee', 'fee_tax', 'fee_unfunded', 'fee_tax_unfunded', 'fee_expensed', 'fee_tax_expensed')`;

/** The postings of what it has given back, as a list. */
export const FEE_RETURN_POSTINGS = `(
  'fee_returned', 'fee_tax_returned', 'fee_expense_returned', 'fee_tax_expense_returned')`;

/** A condition: whether a fee, or tax on one, is booked for a row of `transfer`. */
const HAS_FEE = `exists (
  select from journal booked
  where booked.subject_id = transfer.transfer_id and booked.bucket = transfer.bucket
    and booked.merchant_id = transfer.merchant_id and booked.kind in ${FEE_POSTINGS})`;

/** The same where the statement names the bucket of its tables. */
export function hasFee(pin: Pick<BucketPin, "of">): string {
  return `${HAS_FEE.slice(0, -1)}${pin.of("booked")})`;
}

/** What a provider has taken for a payment as it is booked, in paise. */
export type BookedFee = {
  readonly feePaise: bigint;
  readonly taxPaise: bigint;
  /** Whether the platform bears it. */
  readonly isExpensed: boolean;
  readonly isReturned: boolean;
};

export type BookedFeeRow = {
  readonly fee_paise: bigint | null;
  readonly fee_tax_paise: bigint | null;
  readonly fee_is_expensed: boolean | null;
  readonly fee_is_returned: boolean | null;
};

/** Joins the columns of a `BookedFeeRow` to rows of `transfer`: nulls where no fee is booked, or the payment has not ended. */
export function joinBookedFee(pin: Pick<BucketPin, "of">): string {
  return `left join lateral (
    select
      sum(amount_paise) filter (where kind in ('fee', 'fee_unfunded', 'fee_expensed'))::bigint as fee_paise,
      sum(amount_paise) filter (where kind in ('fee_tax', 'fee_tax_unfunded', 'fee_tax_expensed'))::bigint as fee_tax_paise,
      bool_or(kind in ('fee_expensed', 'fee_tax_expensed')) as fee_is_expensed,
      bool_or(kind in ${FEE_RETURN_POSTINGS}) as fee_is_returned
    from journal booked
    where transfer.state in ('SUCCESS', 'REVERSED') and booked.subject_id = transfer.transfer_id
      and booked.bucket = transfer.bucket and booked.merchant_id = transfer.merchant_id
      and (booked.kind in ${FEE_POSTINGS} or booked.kind in ${FEE_RETURN_POSTINGS})${pin.of("booked")}
  ) as booked_fee on true`;
}

/** Reads those columns; `null` where no fee is booked. */
export function bookedFeeOf(row: BookedFeeRow): BookedFee | null {
  const { fee_paise: feePaise, fee_tax_paise: taxPaise } = row;
  if (feePaise === null && taxPaise === null) return null;
  return {
    feePaise: feePaise ?? 0n,
    taxPaise: taxPaise ?? 0n,
    isExpensed: row.fee_is_expensed === true,
    isReturned: row.fee_is_returned === true,
  };
}
