// SQL that checks batches of payouts against their transfers and approvals. Reads only.
// What belongs here: the checks of batches. They run with those of payouts.
import { inScope, rupees, type Check } from "../../ledger/index.ts";

const SAME_MERCHANT = (one: string, other: string): string =>
  `${one}.bucket = ${other}.bucket and ${one}.merchant_id = ${other}.merchant_id`;

/** Each line has its transfer or none, as its state says; what is left of a batch is looked after. */
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
        -- The line that it stands for, or the transfer that this one stands for in its turn.
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
];
