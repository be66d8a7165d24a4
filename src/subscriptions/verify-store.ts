// SQL that checks subscriptions against their occurrences and invoices. Read-only. The database computes the calendar a second time
// here.
import { inScope, type Check } from "../ledger/index.ts";

/** The bill date of an occurrence: PostgreSQL clamps to the month's end as the rule in subscription.ts does. */
function dateOf(occurrence: string): string {
  return `(case mode
    when 'Daily' then start_date + ${occurrence} * repeat_every
    when 'Weekly' then start_date + 7 * ${occurrence} * repeat_every
    when 'Monthly' then (start_date + make_interval(months => ${occurrence} * repeat_every))::date
    else (start_date + make_interval(years => ${occurrence} * repeat_every))::date
  end)`;
}

export const SUBSCRIPTION_CHECKS: readonly Check[] = [
  {
    name: "subscription_occurrences",
    sql: `
      with counted as (
        select
          bucket, merchant_id, subscription_id,
          count(*) filter (where occurrence_no < next_occurrence) as behind,
          count(*) filter (where occurrence_no < 0 or (occurrence_no >= next_occurrence
            and occurrence.state <> 'Skipped')) as astray
        from subscription
        join subscription_occurrence occurrence using (bucket, merchant_id, subscription_id)
        where ${inScope("subscription")}
        group by bucket, merchant_id, subscription_id
      )
      select
        merchant_id, subscription_id as subject_id, 'occurrences of a subscription that are billed or skipped' as what,
        next_occurrence || ', none billed after them' as expected,
        coalesce(behind, 0) || ', ' || coalesce(astray, 0) || ' billed after them' as found
      from subscription
      left join counted using (bucket, merchant_id, subscription_id)
      where ${inScope("subscription")}
        and (next_occurrence <> coalesce(behind, 0) or coalesce(astray, 0) <> 0)`,
  },
  {
    // Content changed by a later update is compared as it was when the invoice was created.
    name: "subscription_invoices",
    sql: `
      with made as (
        select
          occurrence.*, subscription.customer_id as expected_customer_id, ${dateOf("occurrence_no")} as expected_date,
          coalesce((first.state ->> 'bill_date')::date, invoice.bill_date) as invoice_date,
          coalesce((first.state ->> 'customer_id')::bigint, invoice.customer_id) as invoice_customer_id
        from subscription_occurrence occurrence
        left join subscription using (bucket, merchant_id, subscription_id)
        left join invoice using (bucket, merchant_id, invoice_id)
        left join invoice_revision first
          on first.bucket = occurrence.bucket and first.merchant_id = occurrence.merchant_id
          and first.invoice_id = occurrence.invoice_id and first.revision = 1
        where ${inScope("occurrence")}
      )
      select
        merchant_id, subscription_id as subject_id,
        'the occurrence ' || occurrence_no || ' of a subscription' as what,
        'of ' || coalesce(expected_date::text, 'a subscription') || ', with an invoice of that date to the customer '
          || coalesce(expected_customer_id::text, 'of it') as expected,
        state || ' for ' || bill_date || ', invoice ' || coalesce(invoice_id::text, 'none') || ' of '
          || coalesce(invoice_date::text, 'no date') || ' to ' || coalesce(invoice_customer_id::text, 'nobody') as found
      from made
      where bill_date is distinct from expected_date
        or (state = 'Billed' and (
          invoice_date is distinct from coalesce(moved_to, bill_date) or invoice_customer_id is distinct from expected_customer_id))`,
  },
  {
    name: "subscription_invoice_once",
    sql: `
      select
        merchant_id, invoice_id as subject_id, 'occurrences that made this invoice' as what, '1' as expected,
        count(*)::text as found
      from subscription_occurrence
      where invoice_id is not null and ${inScope("subscription_occurrence")}
      group by bucket, merchant_id, invoice_id
      having count(*) > 1`,
  },
  {
    name: "subscription_next_date",
    sql: `
      with standing as (
        select
          *, case when next_occurrence < coalesce(occurrences, next_occurrence + 1) and next_date <= coalesce(end_date, next_date)
            then next_date end as expected_date
        from (select *, ${dateOf("next_occurrence")} as next_date from subscription where ${inScope("subscription")}) as dated
      )
      select
        merchant_id, subscription_id as subject_id, 'the next bill date of a subscription that is ' || state as what,
        coalesce(expected_date::text, 'none: it is completed') as expected,
        coalesce(next_bill_date::text, 'none') as found
      from standing
      where (state in ('Active', 'Paused') and next_bill_date is distinct from expected_date)
        or (state = 'Completed' and expected_date <= date '2199-12-31')`,
  },
];
