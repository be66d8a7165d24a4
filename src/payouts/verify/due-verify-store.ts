// SQL that finds work whose due time is later than the server ever sets it. Reads only.
import { inScope, type Check } from "../../ledger/index.ts";
import { ASK_AGAIN_MS, CLOCK_SLACK_MS, REVIEW_WAITS } from "../waits.ts";

const after = (ms: number): string => `now() + ${ms + CLOCK_SLACK_MS} * interval '1 millisecond'`;
const HOUR_MS = 3_600_000;

export const DUE_CHECKS: readonly Check[] = [
  {
    // Unsent transfers may be on hold: they are due at infinity.
    name: "dispatch_due",
    sql: `
      select
        queued.merchant_id, queued.transfer_id as subject_id,
        'when a transfer that is ' || transfer.state || ' is due in the dispatch queue' as what,
        'within minutes' as expected, queued.due_at::text as found
      from transfer_dispatch queued
      join transfer using (bucket, merchant_id, transfer_id)
      where ${inScope("queued")} and queued.due_at > ${after(Math.max(...ASK_AGAIN_MS))}
        and not (queued.due_at = 'infinity' and transfer.state = 'RESERVED')`,
  },
  {
    name: "payment_review_due",
    sql: `
      select
        review.merchant_id, null::bigint as subject_id, 'the payment re-check after one ' || wait as what,
        'due within a day, and at an entry of the journal' as expected,
        due_at::text || ', at entry ' || entry_no as found
      from payment_review review
      join ledger_book book using (bucket, merchant_id)
      where ${inScope("review")}
        and (review.due_at > ${after(REVIEW_WAITS.day.hours * HOUR_MS)} or review.entry_no > book.last_entry_no)`,
  },
];
