// SQL that checks providers' fees and returned fees. Reads only.
import { inScope, rupees, type Check } from "../../ledger/index.ts";
import {
  FEE_POSTINGS,
  FEE_RETURN_POSTINGS,
  KIND_OF_LATE_FEE,
  LATE_FEE_POSTINGS,
  LATE_FEE_REVERSALS,
} from "../fees/fee-store.ts";

/** The kinds of the fee that a posting gives back. */
const FEES_OF_RETURN = `case kind
  when 'fee_returned' then array['fee', 'fee_unfunded']
  when 'fee_tax_returned' then array['fee_tax', 'fee_tax_unfunded']
  when 'fee_expense_returned' then array['fee_expensed']
  else array['fee_tax_expensed'] end`;

/** The fees of transfers: those that providers reported, and those that an operator booked from a statement. */
const CHARGED = `
  select bucket, merchant_id, subject_id as transfer_id, kind, kind as name, amount_paise
  from journal where kind in ${FEE_POSTINGS} and ${inScope("journal")}
  union all
  select bucket, merchant_id, transfer_id, ${KIND_OF_LATE_FEE}, 'late_fee', amount_paise
  from late_fee where undone_at is null and ${inScope("late_fee")}`;

export const FEE_CHECKS: readonly Check[] = [
  {
    // One fee for a payment, and one tax on it; none if nothing was paid.
    name: "transfer_fee",
    sql: `
      select
        posted.merchant_id, posted.transfer_id as subject_id, 'provider''s fee of a transfer' as what,
        'one fee and one tax, of a payment that was made' as expected, posted.kinds as found
      from (
        select
          bucket, merchant_id, transfer_id, string_agg(name, ', ' order by name) as kinds,
          count(*) filter (where kind not like 'fee_tax%') as fees, count(*) filter (where kind like 'fee_tax%') as taxes,
          bool_or(name = 'late_fee') as is_late
        from (${CHARGED}) as charged
        group by bucket, merchant_id, transfer_id
      ) as posted
      where posted.fees > 1 or posted.taxes > 1 or (posted.is_late and posted.taxes > 0)
        or not exists (
          select from journal paid
          where paid.bucket = posted.bucket and paid.merchant_id = posted.merchant_id
            and paid.subject_id = posted.transfer_id and ${inScope("paid")}
            and (paid.kind in ('success', 'late_success', 'late_success_unfunded') or paid.type like '%.reversed'))`,
  },
  {
    // A late fee is posted as in its row, and reversed if its row says so.
    name: "late_fee",
    sql: `
      with posted as (
        select
          bucket, merchant_id, subject_id as fee_id,
          string_agg(kind || ' ' || ${rupees("amount_paise")}, ', ' order by entry_no) as found,
          count(*) filter (where kind in ${LATE_FEE_POSTINGS}) as booked,
          bool_or(kind = 'late_fee_expensed') as is_expensed,
          max(kind) filter (where kind in ${LATE_FEE_REVERSALS}) as undone_as,
          min(amount_paise) as least, max(amount_paise) as most
        from journal
        where (kind in ${LATE_FEE_POSTINGS} or kind in ${LATE_FEE_REVERSALS}) and ${inScope("journal")}
        group by bucket, merchant_id, subject_id
      ), late as (
        select * from late_fee where ${inScope("late_fee")}
      )
      select
        merchant_id, fee_id as subject_id, 'postings of a fee that was booked from a statement' as what,
        coalesce(
          ${rupees("late.amount_paise")} || case when late.undone_at is null then '' else ', and taken back' end, 'none')
          as expected,
        coalesce(posted.found, 'none') as found
      from posted full join late using (bucket, merchant_id, fee_id)
      where posted.booked is distinct from 1 or posted.is_expensed is distinct from late.is_expensed
        or posted.least is distinct from late.amount_paise or posted.most is distinct from late.amount_paise
        or posted.undone_as is distinct from case
          when late.undone_at is null then null
          when late.is_expensed then 'late_fee_expense_undone'
          else 'late_fee_undone' end`,
  },
  {
    // A returned fee equals the fee, is returned once, for a payment that came back, to the side that bore it.
    name: "transfer_fee_return",
    sql: `
      with given_back as (
        select bucket, merchant_id, subject_id, kind, amount_paise, ${FEES_OF_RETURN} as fee_kinds, exists (
          select from journal back
          where back.bucket = journal.bucket and back.merchant_id = journal.merchant_id
            and back.subject_id = journal.subject_id and back.type like '%.reversed') as has_come_back
        from journal where kind in ${FEE_RETURN_POSTINGS} and ${inScope("journal")}
      )
      select
        given_back.merchant_id, given_back.subject_id, 'fee that came back with a transfer (' || given_back.kind || ')' as what,
        case when not has_come_back then 'nothing, as the payment has not come back'
          else coalesce(${rupees("taken.amount_paise")}, 'nothing, as no fee was taken') end as expected,
        ${rupees("given_back.amount_paise")} as found
      from given_back
      left join (${CHARGED}) as taken
        on taken.bucket = given_back.bucket and taken.merchant_id = given_back.merchant_id
        and taken.transfer_id = given_back.subject_id and taken.kind = any (given_back.fee_kinds)
      where not has_come_back or taken.amount_paise is distinct from given_back.amount_paise`,
  },
];
