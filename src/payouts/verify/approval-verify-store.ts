// SQL that checks approvals against their subjects, and daily limits against the payouts that count. Reads only.
// They run with those of payouts.
import { inScope, rupees, type Check } from "../../ledger/index.ts";

/** The decision on a row's approval, `open` or `none`. */
const FOUND = "case when approval.approval_id is null then 'none' else coalesce(approval.decision, 'open') end";

/** A decided approval shows in its subject's state, and a waiting subject has an open approval. */
export const APPROVAL_CHECKS: readonly Check[] = [
  {
    name: "approval_of_transfer",
    sql: `
      select
        transfer.merchant_id, transfer.transfer_id as subject_id, 'approval of a transfer that is ' || transfer.state as what,
        case transfer.state
          when 'AWAITING_APPROVAL' then 'open' when 'REJECTED' then 'decided, or none' else 'approved, or none'
        end as expected, ${FOUND} as found
      from transfer
      left join approval
        on approval.bucket = transfer.bucket and approval.merchant_id = transfer.merchant_id
        and approval.subject_id = transfer.transfer_id and approval.approval_id = transfer.transfer_id
      where ${inScope("transfer")} and case transfer.state
        when 'AWAITING_APPROVAL' then ${FOUND} <> 'open'
        when 'REJECTED' then ${FOUND} = 'open'
        else ${FOUND} not in ('approved', 'none')
      end`,
  },
  {
    name: "approval_entry",
    sql: `
      select
        asked.merchant_id, asked.subject_id, 'a payout that had to be approved is ' || transfer.state as what,
        'an entry that says who approved it' as expected, 'none' as found
      from journal asked
      join transfer
        on transfer.bucket = asked.bucket and transfer.merchant_id = asked.merchant_id
        and transfer.transfer_id = asked.subject_id
      where ${inScope("asked")}
        and asked.type in ('transfer.awaiting_approval', 'withdrawal.awaiting_approval', 'commission.awaiting_approval')
        and transfer.state not in ('AWAITING_APPROVAL', 'REJECTED')
        and not exists (
          select from journal approved
          where approved.subject_id = asked.subject_id and approved.bucket = asked.bucket
            and approved.merchant_id = asked.merchant_id and approved.type = 'approval.approved'
            and approved.type not like 'transfer.%')`,
  },
  {
    name: "approval_of_payee",
    sql: `
      select
        payee.merchant_id, payee.beneficiary_id as subject_id, 'approval of a beneficiary that is ' || payee.approval as what,
        case payee.approval
          when 'pending' then 'open' when 'rejected' then 'rejected, expired or withdrawn' else 'approved, or none'
        end as expected, ${FOUND} as found
      from beneficiary payee
      left join approval
        on approval.bucket = payee.bucket and approval.merchant_id = payee.merchant_id
        and approval.subject_id = payee.beneficiary_id and approval.approval_id = payee.beneficiary_id
      where ${inScope("payee")} and case payee.approval
        when 'pending' then ${FOUND} <> 'open'
        when 'rejected' then ${FOUND} not in ('rejected', 'expired', 'withdrawn')
        else ${FOUND} not in ('approved', 'none')
      end`,
  },
  {
    name: "counted_day",
    sql: `
      select
        merchant_id, null::bigint as subject_id, 'what counts towards the daily limit of ' || day as what,
        ${rupees("coalesce(standing.amount_paise, 0)")} as expected, ${rupees("coalesce(counted.counted_paise, 0)")} as found
      from (select * from payout_day where ${inScope("payout_day")}) as counted
      full join (
        select bucket, merchant_id, counted_on as day, sum(amount_paise) as amount_paise
        from transfer
        where counted_on is not null and state not in ('FAILED', 'REJECTED', 'REVERSED') and ${inScope("transfer")}
        group by bucket, merchant_id, counted_on
      ) as standing using (bucket, merchant_id, day)
      where coalesce(counted.counted_paise, 0) <> coalesce(standing.amount_paise, 0)`,
  },
];
