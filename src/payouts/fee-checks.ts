// SQL that checks what providers took for payments, and gave back. Reads only.
import { inScope, rupees, type Check } from "../ledger/index.ts";
import { FEE_POSTINGS, FEE_RETURN_POSTINGS } from "./fee-store.ts";

/** The kinds of the fee that a posting gives back. */
const FEES_OF_RETURN = `case kind
  when 'fee_returned' then array['fee', 'fee_unfunded']
  when 'fee_tax_returned' then array['fee_tax', 'fee_tax_unfunded']
  when 'fee_expense_returned' then array['fee_expensed']
  else array['fee_tax_expensed'] end`;

export const FEE_CHECKS: readonly Check[] = [
  {
    // One fee for a payment, and one tax on it; nothing where nothing was paid.
    name: "transfer_fee",
    sql: `
      select
        posted.merchant_id, posted.subject_id, 'provider''s fee of a transfer' as what,
        'one fee and one tax, of a payment that was made' as expected, posted.kinds as found
      from (
        select
          bucket, merchant_id, subject_id, string_agg(kind, ', ' order by entry_no) as kinds,
          count(*) filter (where kind not like 'fee_tax%') as fees, count(*) filter (where kind like 'fee_tax%') as taxes
        from journal
        where kind in ${FEE_POSTINGS} and ${inScope("journal")}
        group by bucket, merchant_id, subject_id
      ) as posted
      where posted.fees > 1 or posted.taxes > 1
        or not exists (
          select from journal paid
          where paid.bucket = posted.bucket and paid.merchant_id = posted.merchant_id
            and paid.subject_id = posted.subject_id and ${inScope("paid")}
            and (paid.kind in ('success', 'late_success', 'late_success_unfunded') or paid.type like '%.reversed'))`,
  },
  {
    // What a provider gives back is what it took, once, for a payment that came back, to whoever bore it.
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
      left join journal taken
        on taken.bucket = given_back.bucket and taken.merchant_id = given_back.merchant_id
        and taken.subject_id = given_back.subject_id and taken.kind = any (given_back.fee_kinds)
      where not has_come_back or taken.amount_paise is distinct from given_back.amount_paise`,
  },
];
