// SQL of providers' fees: the postings of those that a provider reported, and the fees that an operator booked from a statement.
// docs/rules/payouts.md#fees-of-providers
import type { MerchantKey } from "../../merchants/index.ts";
import type { Connection, Queryable } from "../../platform/database/pool.ts";
import type { BucketPin } from "../../platform/database/citus/index.ts";
import { table } from "../../platform/database/table.ts";

/** A fee, with its tax, that an operator booked from a statement; amounts in paise. */
export type LateFee = MerchantKey & {
  /** The subject of its postings. */
  readonly feeId: bigint;
  readonly transferId: bigint;
  readonly amountPaise: bigint;
  /** Whether the platform bears it. */
  readonly isExpensed: boolean;
  readonly bookedAt: Temporal.Instant;
  /** When it was undone; `null` while it is booked. */
  readonly undoneAt: Temporal.Instant | null;
};

const LATE_FEES = table<LateFee, MerchantKey & Pick<LateFee, "feeId">>("late_fee", ["bucket", "merchantId", "feeId"], {
  bucket: "smallint",
  merchantId: "bigint",
  feeId: "bigint",
  transferId: "bigint",
  amountPaise: "bigint",
  isExpensed: "boolean",
  bookedAt: "timestamptz",
  undoneAt: "timestamptz",
});

/** A list of the kinds of fee postings that a provider reported. Their subject is the transfer. */
export const FEE_POSTINGS = `(
  'fee', 'fee_tax', 'fee_unfunded', 'fee_tax_unfunded', 'fee_expensed', 'fee_tax_expensed')`;

/** A list of the kinds of postings for returned fees. */
export const FEE_RETURN_POSTINGS = `(
  'fee_returned', 'fee_tax_returned', 'fee_expense_returned', 'fee_tax_expense_returned')`;

/** Lists of the kinds of postings that book a late fee, and of those that undo one. Their subject is the fee. */
export const LATE_FEE_POSTINGS = "('late_fee', 'late_fee_unfunded', 'late_fee_expensed')";
export const LATE_FEE_REVERSALS = "('late_fee_undone', 'late_fee_expense_undone')";

/** The kind of posting that a row of `late_fee` would have if the provider had reported it. */
export const KIND_OF_LATE_FEE = "case when is_expensed then 'fee_expensed' else 'fee' end";

/** An SQL condition: a fee, or the tax on one, is booked for a row of `transfer`. `pin` names the bucket of each table. */
export function hasFee(pin: Pick<BucketPin, "of"> = { of: () => "" }): string {
  return `(exists (
    select from journal booked
    where booked.subject_id = transfer.transfer_id and booked.bucket = transfer.bucket
      and booked.merchant_id = transfer.merchant_id and booked.kind in ${FEE_POSTINGS}${pin.of("booked")})
  or exists (
    select from late_fee late
    where late.transfer_id = transfer.transfer_id and late.bucket = transfer.bucket
      and late.merchant_id = transfer.merchant_id and late.undone_at is null${pin.of("late")}))`;
}

/** Those transfers for which a fee is booked. */
export async function findTransfersWithFee(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  transferIds: readonly bigint[],
): Promise<Set<bigint>> {
  const { rows } = await db.query<{ transfer_id: bigint }>(
    `select transfer_id from transfer
     where bucket = $1 and merchant_id = $2 and transfer_id = any ($3) and ${hasFee()}`,
    [bucket, merchantId, transferIds],
  );
  return new Set(rows.map((row) => row.transfer_id));
}

export async function insertLateFee(connection: Connection, fee: LateFee): Promise<void> {
  await LATE_FEES.insert(connection, fee);
}

/** Finds a merchant's late fees by their ids, including undone ones. */
export function findLateFees(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  feeIds: readonly bigint[],
): Promise<LateFee[]> {
  const text = "select * from late_fee where bucket = $1 and merchant_id = $2 and fee_id = any ($3)";
  return LATE_FEES.select(db, text, [bucket, merchantId, feeIds]);
}

/** Marks a late fee as undone. Returns whether it was booked until now. */
export async function markLateFeeUndone(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  feeId: bigint,
  undoneAt: Temporal.Instant,
): Promise<boolean> {
  return LATE_FEES.update(connection, { bucket, merchantId, feeId, undoneAt }, "undone_at is null");
}

/** The booked provider fee of a payment, in paise. */
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

/** Joins the columns of a `BookedFeeRow` to rows of `transfer`: null if no fee is booked or the payment has not ended. */
export function joinBookedFee(pin: Pick<BucketPin, "of">): string {
  return `left join lateral (
    select
      sum(amount_paise) filter (where kind in ('fee', 'fee_unfunded', 'fee_expensed'))::bigint as fee_paise,
      sum(amount_paise) filter (where kind in ('fee_tax', 'fee_tax_unfunded', 'fee_tax_expensed'))::bigint as fee_tax_paise,
      bool_or(kind in ('fee_expensed', 'fee_tax_expensed')) as fee_is_expensed,
      bool_or(kind in ${FEE_RETURN_POSTINGS}) as fee_is_returned
    from (
      select kind, amount_paise from journal booked
      where transfer.state in ('SUCCESS', 'REVERSED') and booked.subject_id = transfer.transfer_id
        and booked.bucket = transfer.bucket and booked.merchant_id = transfer.merchant_id
        and (booked.kind in ${FEE_POSTINGS} or booked.kind in ${FEE_RETURN_POSTINGS})${pin.of("booked")}
      union all
      select ${KIND_OF_LATE_FEE}, amount_paise from late_fee late
      where transfer.state in ('SUCCESS', 'REVERSED') and late.transfer_id = transfer.transfer_id
        and late.bucket = transfer.bucket and late.merchant_id = transfer.merchant_id
        and late.undone_at is null${pin.of("late")}
    ) as charged
  ) as booked_fee on true`;
}

/** Reads those columns; `null` if no fee is booked. */
export function bookedFeeOf(row: BookedFeeRow): BookedFee | null {
  const feePaise = row.fee_paise;
  const taxPaise = row.fee_tax_paise;
  if (feePaise === null && taxPaise === null) return null;
  return {
    feePaise: feePaise ?? 0n,
    taxPaise: taxPaise ?? 0n,
    isExpensed: row.fee_is_expensed === true,
    isReturned: row.fee_is_returned === true,
  };
}
