// SQL that checks dues that were carried forward, and the payments that are passed on to them. Reads only.
import { inScope, rupees, type Check } from "../../ledger/index.ts";

export const CARRIED_CHECKS: readonly Check[] = [
  {
    name: "carried_dues",
    sql: `
      with moved as (
        select bucket, merchant_id, carried_to as invoice_id, sum(carried_due_paise) as moved_paise
        from invoice where carried_to is not null and ${inScope("invoice")}
        group by bucket, merchant_id, carried_to
      )
      select
        merchant_id, invoice_id as subject_id, 'dues that an invoice carries, as they moved from earlier ones' as what,
        ${rupees("coalesce(moved_paise, 0)")} as expected,
        coalesce(${rupees("later.carried_paise")}, 'no such invoice') as found
      from (select * from invoice where status <> 'Cancelled' and ${inScope("invoice")}) as later
      full join moved using (bucket, merchant_id, invoice_id)
      where later.carried_paise is distinct from coalesce(moved_paise, 0)`,
  },
  {
    // The carried amount is what was due, and only payments that are passed on have changed it since.
    name: "passed_on_payments",
    sql: `
      with part as (
        select part.bucket, part.merchant_id, part.invoice_id, part.amount_paise, payment.invoice_id as paid_on
        from settlement part
        left join settlement payment
          on payment.bucket = part.bucket and payment.merchant_id = part.merchant_id
          and payment.settlement_id = part.via_settlement_id and payment.reversed_at is null
        where part.via_settlement_id is not null and part.reversed_at is null and ${inScope("part")}
      ), passed as (
        select bucket, merchant_id, invoice_id, sum(amount_paise) as passed_paise, min(paid_on) as paid_on
        from part
        group by bucket, merchant_id, invoice_id
        having count(distinct paid_on) = 1 and count(paid_on) = count(*)
      )
      select
        earlier.merchant_id, earlier.invoice_id as subject_id,
        'what moved on from an invoice: what is unpaid of it, and payments passed on to it' as what,
        ${rupees("earlier.carried_due_paise")} as expected,
        ${rupees(
          "earlier.amount_paise - earlier.paid_paise - earlier.credited_paise + coalesce(passed.passed_paise, 0)",
        )} as found
      from invoice earlier
      left join passed
        on passed.bucket = earlier.bucket and passed.merchant_id = earlier.merchant_id
        and passed.invoice_id = earlier.invoice_id and passed.paid_on = earlier.carried_to
      where earlier.carried_to is not null and ${inScope("earlier")}
        and earlier.carried_due_paise
          <> earlier.amount_paise - earlier.paid_paise - earlier.credited_paise + coalesce(passed.passed_paise, 0)`,
  },
  {
    // The earlier dues come before an invoice's own, and the oldest of them first.
    name: "passed_on_order",
    sql: `
      with part as (
        select bucket, merchant_id, invoice_id, sum(amount_paise) as passed_paise
        from settlement
        where via_settlement_id is not null and reversed_at is null and ${inScope("settlement")}
        group by bucket, merchant_id, invoice_id
      ), queued as (
        select
          earlier.bucket, earlier.merchant_id, earlier.invoice_id, earlier.carried_due_paise,
          coalesce(part.passed_paise, 0) as passed_paise,
          least(later.paid_paise, later.carried_paise) - coalesce(
            sum(earlier.carried_due_paise) over (
              partition by earlier.bucket, earlier.merchant_id, earlier.carried_to order by earlier.bill_date, earlier.invoice_id
              rows between unbounded preceding and 1 preceding), 0) as left_paise
        from invoice earlier
        join invoice later
          on later.bucket = earlier.bucket and later.merchant_id = earlier.merchant_id
          and later.invoice_id = earlier.carried_to
        left join part
          on part.bucket = earlier.bucket and part.merchant_id = earlier.merchant_id
          and part.invoice_id = earlier.invoice_id
        where ${inScope("earlier")}
      )
      select
        merchant_id, invoice_id as subject_id,
        'what payments of the invoice that carries its dues have settled of an invoice' as what,
        ${rupees("greatest(0, least(left_paise, carried_due_paise))")} as expected, ${rupees("passed_paise")} as found
      from queued
      where passed_paise <> greatest(0, least(left_paise, carried_due_paise))`,
  },
];
