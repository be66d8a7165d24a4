// SQL that checks the commission of franchises against the invoices that it is earned on. Reads only.
import { inScope, rupees, type Check } from "../ledger/index.ts";

/** An exact fraction of non-negative integers, rounded half away from zero. */
function divided(dividend: string, divisor: string): string {
  return `div(2 * (${dividend}) + (${divisor}), 2 * (${divisor}))`;
}

/** Each invoice's own write-offs, without the part for earlier dues that it carries. */
const WRITTEN_OFF = `written_off as (
        select bucket, merchant_id, invoice_id, sum(amount_paise)::bigint as written_off_paise
        from (
          select bucket, merchant_id, invoice_id, amount_paise from settlement
          where write_off_reason is not null and reversed_at is null and ${inScope("settlement")}
          union all
          select part.bucket, part.merchant_id, payment.invoice_id, -part.amount_paise
          from settlement part
          join settlement payment on payment.bucket = part.bucket and payment.merchant_id = part.merchant_id
            and payment.settlement_id = part.via_settlement_id
          where part.write_off_reason is not null and part.reversed_at is null and ${inScope("part")}
        ) as given
        group by bucket, merchant_id, invoice_id
      )`;

export const COMMISSION_CHECKS: readonly Check[] = [
  {
    name: "commission_source",
    sql: `
      with source as (
        select bucket, merchant_id, settlement_id, invoice_id from settlement where ${inScope("settlement")}
        union all
        select bucket, merchant_id, credit_note_id, invoice_id from credit_note where ${inScope("credit_note")}
      )
      select
        earned.merchant_id, earned.settlement_id as subject_id,
        'what earned the commission of the franchise ' || earned.franchise_id as what,
        'an invoice of it, with this settlement or credit note' as expected,
        case
          when source.invoice_id <> earned.invoice_id then 'one of another invoice'
          when invoice.franchise_id is null then 'no such invoice'
          else 'an invoice of another franchise'
        end as found
      from commission earned
      left join source using (bucket, merchant_id, settlement_id)
      left join invoice
        on invoice.bucket = earned.bucket and invoice.merchant_id = earned.merchant_id
        and invoice.invoice_id = earned.invoice_id
      where ${inScope("earned")} and (
        source.invoice_id <> earned.invoice_id or invoice.franchise_id is null
        or (earned.reversed_paise < earned.amount_paise and invoice.franchise_id <> earned.franchise_id))`,
  },
  {
    // The rule of src/franchises/commission.ts. Credit notes credit at most an invoice's own amount.
    name: "commission_standing",
    sql: `
      with earned as (
        select bucket, merchant_id, invoice_id, sum(amount_paise - reversed_paise) as standing_paise
        from commission where ${inScope("commission")}
        group by bucket, merchant_id, invoice_id
      ), given as (
        select bucket, merchant_id, invoice_id, sum(amount_paise) as noted_paise, sum(refund_paise) as back_paise
        from credit_note where cancelled_at is null and ${inScope("credit_note")}
        group by bucket, merchant_id, invoice_id
      ), ${WRITTEN_OFF}, judged as (
        select
          bucket, merchant_id, invoice_id, franchise_id, rate.commission_type,
          coalesce(standing_paise, 0) as standing_paise,
          case
            when rate.commission_type = 'Fixed' and paid_here_paise > 0 and paid_paise + credited_paise = amount_paise then
              case own_paise
                when 0 then rate.commission_hundredths
                else ${divided("rate.commission_hundredths * (own_paise - coalesce(noted_paise, 0))", "own_paise")}
              end
            when rate.commission_type = 'Percentage' and paid_here_paise > coalesce(back_paise, 0) then
              ${divided(
                "(paid_here_paise - coalesce(back_paise, 0)) * sub_total_paise * rate.commission_hundredths",
                "total_paise * 10000",
              )}
            else 0
          end as earned_paise
        from invoice
        join franchise using (bucket, merchant_id, franchise_id)
        left join written_off using (bucket, merchant_id, invoice_id)
        left join commission_rate kept using (bucket, merchant_id, invoice_id, franchise_id)
        -- An invoice without payments has no terms yet, and earns nothing.
        cross join lateral (
          select
            coalesce(kept.commission_type, franchise.commission_type) as commission_type,
            coalesce(kept.commission_hundredths, franchise.commission_hundredths) as commission_hundredths
        ) as rate
        -- Payments of carried dues earn commission on the invoices that they come from.
        cross join lateral (
          select
            -- Sums, since products of these amounts are larger than a bigint.
            (select sum(part) from (values (amount_paise), (-previous_dues_paise)) as own (part)) as own_paise,
            (select sum(part) from (values (amount_paise), (-carried_paise)) as total (part)) as total_paise,
            paid_paise - least(paid_paise, carried_paise) - coalesce(written_off_paise, 0) as paid_here_paise
        ) as own
        left join earned using (bucket, merchant_id, invoice_id)
        left join given using (bucket, merchant_id, invoice_id)
        where invoice.franchise_id <> 0 and ${inScope("invoice")}
      )
      select
        merchant_id, invoice_id as subject_id,
        'commission that stands on an invoice of the franchise ' || franchise_id || ', ' || commission_type as what,
        ${rupees("earned_paise")} as expected, ${rupees("standing_paise")} as found
      from judged
      where standing_paise <> earned_paise`,
  },
];
