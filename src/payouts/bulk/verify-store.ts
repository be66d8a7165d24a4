// SQL that checks batches of payouts against their transfers and approvals. Reads only. They run with those of payouts.
import { inScope, rupees, type Check } from "../../ledger/index.ts";
import { BATCH_LEASE_MS, CLOCK_SLACK_MS } from "../waits.ts";
import {
  BATCH_CANCELLED,
  BATCH_FINISHED,
  BATCH_REJECTED,
  LINES_REFUSED,
  SCHEDULED_CANCELLED,
  SCHEDULED_FAILED,
} from "./ended-line-store.ts";

const SAME_MERCHANT = (one: string, other: string): string =>
  `${one}.bucket = ${other}.bucket and ${one}.merchant_id = ${other}.merchant_id`;

/** Each line has a transfer exactly if its state says so; an unfinished batch is due. */
export const BATCH_CHECKS: readonly Check[] = [
  {
    name: "transfer_of_line",
    sql: `
      select
        line.merchant_id, line.transfer_id as subject_id,
        'transfer of line ' || line_no || ' of batch ' || batch_id || ', which is ' || line.state as what,
        case when line.state in ('requested', 'repeated')
          then line.reference_id || ', ' || ${rupees("line.amount_paise")} else 'none' end as expected,
        coalesce(transfer.reference_id || ', ' || ${rupees("transfer.amount_paise")}, 'none') as found
      from payout_batch_line line
      left join transfer on ${SAME_MERCHANT("transfer", "line")} and transfer.transfer_id = line.transfer_id
      where ${inScope("line")} and case line.state
        -- The line that it repeats, or the transfer that this one repeats in turn.
        when 'repeated' then transfer.transfer_id is null and not exists (
          select from payout_batch_line first
          where ${SAME_MERCHANT("first", "line")} and first.transfer_id = line.transfer_id and first.state <> 'repeated'
        ) and not exists (
          select from transfer named where ${SAME_MERCHANT("named", "line")} and named.reference_id = line.reference_id)
        when 'requested' then (transfer.reference_id, transfer.beneficiary_id, transfer.amount_paise)
          is distinct from (line.reference_id, line.beneficiary_id, line.amount_paise)
        when 'waiting' then transfer.transfer_id is not null
        when 'refused' then transfer.transfer_id is not null
        when 'cancelled' then transfer.transfer_id is not null
        else false
      end`,
  },
  {
    name: "batch_looked_after",
    sql: `
      select
        batch.merchant_id, batch.batch_id as subject_id, 'open lines of a batch that is ' || status as what,
        '0' as expected, count(*)::text as found
      from payout_batch batch
      join payout_batch_line line on ${SAME_MERCHANT("line", "batch")} and line.batch_id = batch.batch_id
        and line.state in ('waiting', 'requesting')
      where ${inScope("batch")} and due_at is null and status <> 'awaiting_approval'
      group by batch.bucket, batch.merchant_id, batch.batch_id`,
  },
  {
    // Lines without a day are due at once. A merchant's day has ended in every time zone two days after it began in UTC.
    name: "batch_due",
    sql: `
      select
        batch.merchant_id, batch.batch_id as subject_id, 'when the next line of a batch is due' as what,
        coalesce(min(scheduled_for)::text, 'at once') as expected, due_at::text as found
      from payout_batch batch
      join payout_batch_line line on ${SAME_MERCHANT("line", "batch")} and line.batch_id = batch.batch_id
        and line.state in ('waiting', 'requesting')
      where ${inScope("batch")} and due_at > now() + ${BATCH_LEASE_MS + CLOCK_SLACK_MS} * interval '1 millisecond'
      group by batch.bucket, batch.merchant_id, batch.batch_id
      having due_at > (min(coalesce(scheduled_for, date '2000-01-01')) + 2)::timestamp at time zone 'UTC'`,
  },
  {
    name: "approval_of_batch",
    sql: `
      select
        batch.merchant_id, batch.batch_id as subject_id, 'approval of a batch that is ' || status as what,
        case when status = 'awaiting_approval' then 'open' when is_approved then 'approved' else 'rejected, expired, or none' end
          as expected,
        case when approval.approval_id is null then 'none' else coalesce(approval.decision, 'open') end as found
      from payout_batch batch
      left join approval on ${SAME_MERCHANT("approval", "batch")} and approval.approval_id = batch.batch_id
        and approval.kind = 'payout_batch'
      where ${inScope("batch")} and case
        when status = 'awaiting_approval' then approval.approval_id is null or approval.decision is not null
        when is_approved then approval.decision is distinct from 'approved'
        else approval.decision = 'approved' or (status = 'running' and approval.approval_id is not null)
      end`,
  },
  {
    name: "batch_ended",
    sql: `
      select
        batch.merchant_id, batch.batch_id as subject_id, 'a batch that has ended, by entry ' || ended.entry_no as what,
        'ended' as expected, batch.status as found
      from payout_batch batch
      join journal ended on ${SAME_MERCHANT("ended", "batch")} and ended.subject_id = batch.batch_id
        and ended.type not like 'transfer.%' and ended.type in ('${BATCH_CANCELLED}', '${BATCH_REJECTED}', '${BATCH_FINISHED}')
      where ${inScope("batch")} and batch.status in ('awaiting_approval', 'running')`,
  },
  {
    name: "line_ended",
    sql: `
      select
        line.merchant_id, line.batch_id as subject_id,
        'line ' || line_no || ' of a batch, which has ended by entry ' || ended.entry_no as what, 'ended' as expected,
        line.state as found
      from payout_batch_line line
      join journal ended on ${SAME_MERCHANT("ended", "line")} and ended.subject_id in (line.batch_id, line.transfer_id)
        and ended.type not like 'transfer.%'
      where ${inScope("line")} and line.state in ('waiting', 'requesting') and case ended.type
        when '${LINES_REFUSED}' then ended.after -> 'lines' @> to_jsonb(line.line_no)
        when '${BATCH_CANCELLED}' then not coalesce(ended.after -> 'lines', '[]') @> to_jsonb(line.line_no)
        else ended.type in ('${SCHEDULED_CANCELLED}', '${SCHEDULED_FAILED}')
      end`,
  },
  {
    // The number and total of a batch's lines match its row.
    name: "batch_lines",
    sql: `
      with kept as (
        select bucket, merchant_id, batch_id, count(*)::integer as lines, sum(amount_paise)::bigint as paise
        from payout_batch_line where ${inScope("payout_batch_line")}
        group by bucket, merchant_id, batch_id
      ), batch as (
        select bucket, merchant_id, batch_id, line_count as lines, total_paise as paise
        from payout_batch where ${inScope("payout_batch")}
      )
      select
        merchant_id, batch_id as subject_id, 'lines of a batch, and what they come to' as what,
        coalesce(batch.lines || ', ' || ${rupees("batch.paise")}, 'no such batch') as expected,
        coalesce(kept.lines || ', ' || ${rupees("kept.paise")}, 'none') as found
      from batch full join kept using (bucket, merchant_id, batch_id)
      where (batch.lines, batch.paise) is distinct from (kept.lines, kept.paise)`,
  },
  {
    // Every request in the audit log exists: a batch, or the line of a scheduled payout.
    name: "batch_requested",
    sql: `
      select
        asked.merchant_id, asked.subject_id, 'what was requested with ' || asked.type as what,
        concat_ws(', ', asked.after ->> 'line_count', coalesce(asked.after ->> 'total', asked.after ->> 'amount')) as expected,
        coalesce(
          batch.line_count || ', ' || ${rupees("batch.total_paise")}, ${rupees("line.amount_paise")}, 'none') as found
      from journal asked
      left join payout_batch batch on ${SAME_MERCHANT("batch", "asked")} and asked.type = 'payout_batch.requested'
        and batch.batch_id = asked.subject_id
      left join payout_batch_line line on ${SAME_MERCHANT("line", "asked")} and asked.type = 'scheduled_payout.requested'
        and line.transfer_id = asked.subject_id and line.state <> 'repeated'
      where asked.type in ('payout_batch.requested', 'scheduled_payout.requested') and ${inScope("asked")} and (
        coalesce(asked.after ->> 'total', asked.after ->> 'amount')
          is distinct from coalesce(${rupees("batch.total_paise")}, ${rupees("line.amount_paise")})
        or (batch.batch_id is not null and asked.after ->> 'line_count' is distinct from batch.line_count::text))`,
  },
];
