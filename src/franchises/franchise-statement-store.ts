// SQL of a franchise's statement: the postings of its commission account, with their subjects.
import type { PostingRange } from "../payouts/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import type { FranchiseKey } from "./franchise.ts";

/** A posting that changed what a franchise is owed. */
export type CommissionPosting = {
  readonly entryNo: bigint;
  readonly postedAt: Temporal.Instant;
  readonly kind: string;
  /** Above 0 if more is owed. */
  readonly deltaPaise: bigint;
  readonly invoiceId: bigint | null;
  readonly transferId: bigint | null;
  readonly utr: string | null;
  readonly payment: {
    readonly paymentId: bigint;
    readonly mode: string;
    readonly bankRefNo: string;
    readonly paidDate: Temporal.PlainDate;
  } | null;
};

/** SQL: the postings of a franchise, by the index journal_commission. */
const OF_FRANCHISE = `posting.bucket = $1 and posting.merchant_id = $2
  and greatest(posting.debit_owner_id, posting.credit_owner_id) = $3 and posting.kind like 'commission%'`;

/** SQL: how much a posting added to what the franchise is owed. */
const DELTA = `case posting.credit_kind
  when 'commission_payable' then posting.amount_paise else -posting.amount_paise end`;

/** What the franchise was owed before an entry of the book. */
export async function readOwedBefore(
  db: Queryable,
  { bucket, merchantId, franchiseId }: FranchiseKey,
  entryNo: bigint,
): Promise<bigint> {
  const { rows } = await db.query<{ owed: bigint }>({
    name: "read-commission-before",
    text: `select coalesce(sum(${DELTA}), 0)::bigint as owed from journal posting
      where ${OF_FRANCHISE} and posting.entry_no < $4`,
    values: [bucket, merchantId, franchiseId, entryNo],
  });
  return rows[0]!.owed;
}

type Row = {
  entry_no: bigint;
  created_at: Temporal.Instant;
  kind: string;
  delta: bigint;
  invoice_id: bigint | null;
  transfer_id: bigint | null;
  utr: string | null;
  payment_id: bigint | null;
  mode: string;
  bank_ref_no: string;
  paid_date: Temporal.PlainDate;
};

/** The first postings of a range, in the order of the book. */
export async function listCommissionPostings(
  db: Queryable,
  { bucket, merchantId, franchiseId }: FranchiseKey,
  { first, end }: PostingRange,
  limit: number,
): Promise<CommissionPosting[]> {
  const { rows } = await db.query<Row>({
    name: "list-commission-postings",
    text: `select posting.entry_no, posting.created_at, posting.kind, ${DELTA} as delta,
        coalesce(earned.invoice_id, (posting.after ->> 'invoice_id')::bigint) as invoice_id,
        transfer.transfer_id, transfer.utr, payment.payment_id, payment.mode, payment.bank_ref_no, payment.paid_date
      from journal posting
      left join commission earned on earned.bucket = $1 and earned.merchant_id = $2
        and earned.settlement_id = posting.subject_id and posting.kind = 'commission_accrued'
      left join transfer on transfer.bucket = $1 and transfer.merchant_id = $2
        and transfer.transfer_id = posting.subject_id and posting.kind in ('commission_paid', 'commission_unpaid')
      left join commission_payment payment on payment.bucket = $1 and payment.merchant_id = $2
        and payment.payment_id = posting.subject_id
        and posting.kind in ('commission_paid_outside', 'commission_payment_reversed')
      where ${OF_FRANCHISE} and posting.entry_no >= $4 and posting.entry_no < $5
      order by posting.entry_no
      limit $6`,
    values: [bucket, merchantId, franchiseId, first, end, limit],
  });
  return rows.map((row) => ({
    entryNo: row.entry_no,
    postedAt: row.created_at,
    kind: row.kind,
    deltaPaise: row.delta,
    invoiceId: row.invoice_id,
    transferId: row.transfer_id,
    utr: row.utr,
    payment:
      row.payment_id === null
        ? null
        : { paymentId: row.payment_id, mode: row.mode, bankRefNo: row.bank_ref_no, paidDate: row.paid_date },
  }));
}
