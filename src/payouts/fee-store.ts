// SQL of what providers have taken for payments, parts of other statements: which postings are such fees, and whether there is one.
// docs/rules/payouts.md#fees-of-providers

import type { BucketPin } from "../platform/database/spread.ts";

/** The postings about a transfer whose amount is the provider's, as a list. */
export const FEE_POSTINGS = `(
  'fee', 'fee_tax', 'fee_unfunded', 'fee_tax_unfunded', 'fee_expensed', 'fee_tax_expensed')`;

/** A condition: whether a fee, or tax on one, is booked for a row of `transfer`. */
const HAS_FEE = `exists (
  select from journal booked
  where booked.subject_id = transfer.transfer_id and booked.bucket = transfer.bucket
    and booked.merchant_id = transfer.merchant_id and booked.kind in ${FEE_POSTINGS})`;

/** The same where the statement names the bucket of its tables. */
export function hasFee(pin: Pick<BucketPin, "of">): string {
  return `${HAS_FEE.slice(0, -1)}${pin.of("booked")})`;
}
