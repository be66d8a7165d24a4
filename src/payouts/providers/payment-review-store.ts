// SQL of payment re-checks: due ones, and the progress of each.
import type { MerchantKey } from "../../merchants/index.ts";
import { takeOnNodes } from "../../platform/database/citus/index.ts";
import type { Queryable } from "../../platform/database/pool.ts";
import { hasFee } from "../fees/fee-store.ts";
import { SIMULATOR } from "../rails/simulator.ts";
import type { TransferIdentity } from "../transfer.ts";

/** How long after a payment ended it is re-checked: an hour, a day, three working days. */
const REVIEW_WAITS = ["hour", "day", "working_days"] as const;
export type ReviewWait = (typeof REVIEW_WAITS)[number];

/** The last entry of a merchant's journal that was re-checked after this wait. */
export type Review = MerchantKey & { readonly wait: ReviewWait; readonly entryNo: bigint };

/** Adds the live merchants that have no re-checks yet. */
export async function insertReviews(db: Queryable, now: Temporal.Instant): Promise<void> {
  await db.query({
    name: "insert-payment-reviews",
    text: `insert into payment_review (bucket, merchant_id, wait, due_at)
      select bucket, merchant_id, wait, $1
      from merchant cross join unnest($2::text[]) as wait
      where live and not exists (
        select from payment_review known
        where known.bucket = merchant.bucket and known.merchant_id = merchant.merchant_id and known.wait = wait.wait)
      on conflict do nothing
      returning 1`,
    values: [now.toString(), REVIEW_WAITS],
  });
}

/** Takes due re-checks, the longest waiting first. Each is due again after ten minutes, in case this process dies. */
export async function takeDueReviews(db: Queryable, now: Temporal.Instant, limit: number): Promise<Review[]> {
  const due = { table: "payment_review", condition: "due_at <= now() + interval '1 min'", limit };
  return takeOnNodes(db, due, async (part, share) => {
    const { rows } = await part.query<{ bucket: number; merchant_id: bigint; wait: ReviewWait; entry_no: bigint }>({
      name: "take-due-payment-reviews",
      text: `with due as (
        select bucket, merchant_id, wait from payment_review where due_at <= $1 order by due_at limit $2
      )
      update payment_review review
      set due_at = $1::timestamptz + interval '10 min'
      from due
      where review.bucket = due.bucket and review.merchant_id = due.merchant_id and review.wait = due.wait
        and review.due_at <= $1
      returning review.bucket, review.merchant_id, review.wait, review.entry_no`,
      values: [now.toString(), share],
    });
    return rows.map((row) => ({
      bucket: row.bucket,
      merchantId: row.merchant_id,
      wait: row.wait,
      entryNo: row.entry_no,
    }));
  });
}

/** A payment over a provider that succeeded, failed or was rejected, and is still in that state. */
export type EndedTransfer = TransferIdentity & {
  readonly rail: string;
  readonly state: "SUCCESS" | "FAILED" | "REJECTED";
  readonly amountPaise: bigint;
  readonly addedAt: Temporal.Instant;
  readonly utr: string | null;
  /** Whether its outcome was entered by hand. */
  readonly isResolved: boolean;
  /** Whether the provider's fee has been booked. */
  readonly hasFee: boolean;
};

/** The statement's first parameter is the bucket of all its tables. */
const OF_REVIEW = { of: (alias: string) => ` and ${alias}.bucket = $1` };

/** A journal entry that moved money, and the payment that it ended, if any. */
export type ReviewedEntry = {
  readonly entryNo: bigint;
  readonly postedAt: Temporal.Instant;
  readonly ended: EndedTransfer | null;
};

/** The next entries that moved money after a number, at most `limit`. */
export async function listReviewed(
  db: Queryable,
  { bucket, merchantId, entryNo }: Review,
  limit: number,
): Promise<ReviewedEntry[]> {
  const { rows } = await db.query<{
    entry_no: bigint;
    created_at: Temporal.Instant;
    transfer_id: bigint | null;
    rail: string;
    state: EndedTransfer["state"];
    amount_paise: bigint;
    added_at: Temporal.Instant;
    utr: string | null;
    is_resolved: boolean;
    has_fee: boolean;
  }>({
    name: "list-reviewed-entries",
    text: `select
        posting.entry_no, posting.created_at, transfer.transfer_id, transfer.rail, transfer.state, transfer.amount_paise,
        transfer.added_at, transfer.utr, transfer.resolved_as is not null as is_resolved,
        transfer.transfer_id is not null and ${hasFee(OF_REVIEW)} as has_fee
      from (
        select * from journal where bucket = $1 and merchant_id = $2 and entry_no > $3 and kind is not null
        order by entry_no limit $4
      ) as posting
      left join lateral (
        select * from transfer
        where transfer.bucket = $1 and transfer.merchant_id = $2 and transfer.transfer_id = posting.subject_id
          and posting.kind in ('success', 'late_success', 'late_success_unfunded', 'failed') and transfer.rail <> $5
          and transfer.state in ('SUCCESS', 'FAILED', 'REJECTED')
        limit 1
      ) as transfer on true
      order by posting.entry_no`,
    values: [bucket, merchantId, entryNo, limit, SIMULATOR],
  });
  return rows.map((row) => ({
    entryNo: row.entry_no,
    postedAt: row.created_at,
    ended:
      row.transfer_id === null
        ? null
        : {
            bucket,
            merchantId,
            transferId: row.transfer_id,
            rail: row.rail,
            state: row.state,
            amountPaise: row.amount_paise,
            addedAt: row.added_at,
            utr: row.utr,
            isResolved: row.is_resolved,
            hasFee: row.has_fee,
          },
  }));
}

/** Writes the progress of a re-check and when to continue, unless another process has done so. */
export async function noteReviewed(
  db: Queryable,
  { bucket, merchantId, wait, entryNo }: Review,
  reached: { readonly entryNo: bigint; readonly dueAt: Temporal.Instant },
): Promise<void> {
  await db.query({
    name: "note-reviewed",
    text: `update payment_review set entry_no = $5, due_at = $6
      where bucket = $1 and merchant_id = $2 and wait = $3 and entry_no = $4`,
    values: [bucket, merchantId, wait, entryNo, reached.entryNo, reached.dueAt.toString()],
  });
}
