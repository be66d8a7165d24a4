// SQL that checks invoices, their payments and their credit notes against each other. Read-only. The franchises' checks cover
// posted commission.
import { inScope, rupees, type Check } from "../ledger/index.ts";
import { REFUND_REFERENCE } from "./credit-notes/credit-note-store.ts";
import { CARRIED_CHECKS } from "./dues/verify-carried-store.ts";
import { REGISTER_CHECKS } from "./register/verify-register-store.ts";
import { COMMISSION_CHECKS } from "./verify-commission-store.ts";

/** The sum of a member of the objects in an array of the content. Amounts are strings of digits in it. */
function contentSum(content: string, list: string): string {
  return `(
    select coalesce(sum((item ->> 'amountPaise')::bigint), 0)
    from jsonb_array_elements(${content} -> '${list}') as item)`;
}

const ROUND_OFF = "(amount_paise - sub_total_paise - tax_total_paise - previous_dues_paise)";
const ROUND_OFF_PRINTED = "coalesce((content ->> 'roundOffPaise')::bigint, 0)";

const AMOUNT_CHECKS: readonly Check[] = [
  {
    name: "invoice_amounts",
    sql: `
      select
        merchant_id, invoice_id as subject_id,
        'sub-total, taxes and round-off of an invoice, added up from what is printed' as what,
        ${rupees(contentSum("content", "rows"))} || ', ' || ${rupees(contentSum("content", "taxes"))} || ', '
          || ${rupees(ROUND_OFF_PRINTED)} as expected,
        ${rupees("sub_total_paise")} || ', ' || ${rupees("tax_total_paise")} || ', ' || ${rupees(ROUND_OFF)} as found
      from invoice
      where ${inScope("invoice")} and (
        sub_total_paise <> ${contentSum("content", "rows")} or tax_total_paise <> ${contentSum("content", "taxes")}
        or ${ROUND_OFF} <> ${ROUND_OFF_PRINTED})`,
  },
  {
    name: "invoice_paid",
    sql: `
      with settled as (
        select bucket, merchant_id, invoice_id, sum(amount_paise) as paid_paise, max(paid_date) as paid_date
        from settlement where reversed_at is null and ${inScope("settlement")}
        group by bucket, merchant_id, invoice_id
      )
      select
        merchant_id, invoice_id as subject_id, 'what is paid on an invoice, as the sum of its settlements' as what,
        ${rupees("coalesce(settled.paid_paise, 0)")} || coalesce(' on ' || settled.paid_date, '') as expected,
        coalesce(${rupees("invoice.paid_paise")} || coalesce(' on ' || invoice.paid_date, ''), 'no such invoice') as found
      from (select * from invoice where ${inScope("invoice")}) as invoice
      full join settled using (bucket, merchant_id, invoice_id)
      where invoice.paid_paise is distinct from coalesce(settled.paid_paise, 0)
        or invoice.paid_date is distinct from settled.paid_date`,
  },
  {
    name: "invoice_credited",
    sql: `
      with credited as (
        select
          bucket, merchant_id, invoice_id, sum(reduces_due_paise) as credited_paise, sum(amount_paise) as amount_paise
        from credit_note where cancelled_at is null and ${inScope("credit_note")}
        group by bucket, merchant_id, invoice_id
      )
      select
        merchant_id, invoice_id as subject_id,
        'what credit notes take off what is due on an invoice, which credit at most its own amount' as what,
        ${rupees("coalesce(credited.credited_paise, 0)")} || ', at most '
          || ${rupees("coalesce(invoice.amount_paise - previous_dues_paise, 0)")} as expected,
        coalesce(${rupees("invoice.credited_paise")}, 'no such invoice') || ', '
          || ${rupees("coalesce(credited.amount_paise, 0)")} as found
      from (select * from invoice where ${inScope("invoice")}) as invoice
      full join credited using (bucket, merchant_id, invoice_id)
      where invoice.credited_paise is distinct from coalesce(credited.credited_paise, 0)
        or credited.amount_paise > invoice.amount_paise - previous_dues_paise`,
  },
  {
    // Cancelled by hand, or by credit notes: neither has any paid amount.
    name: "invoice_status",
    sql: `
      with judged as (
        select *, case
            when paid_paise + credited_paise < amount_paise and carried_to is not null then array['Carried forward']
            when paid_paise + credited_paise < amount_paise and paid_paise = 0 then array['Unpaid', 'Cancelled']
            when paid_paise + credited_paise < amount_paise then array['Partially paid']
            when paid_paise = 0 and credited_paise > 0 then array['Cancelled']
            when amount_paise = 0 then array['Paid offline', 'Paid online', 'Cancelled']
            else array['Paid offline', 'Paid online']
          end as allowed
        from invoice where ${inScope("invoice")}
      )
      select
        merchant_id, invoice_id as subject_id,
        'status of an invoice of ' || ${rupees("amount_paise")} || ' with ' || ${rupees("paid_paise")} || ' paid and '
          || ${rupees("credited_paise")} || ' credited' as what,
        array_to_string(allowed, ' or ') as expected, status as found
      from judged
      where status <> all (allowed)`,
  },
];

const COUNTS_SOMETHING = "(invoices, billed_paise, paid_paise, due_paise) <> (0, 0, 0, 0)";

/** The counts and sums of one side of the comparison below. */
function inWords(side: string): string {
  const sums = ["billed_paise", "paid_paise", "due_paise"].map((name) => rupees(`coalesce(${side}.${name}, 0)`));
  return [`coalesce(${side}.invoices, 0)::text`, ...sums].join(" || ', ' || ");
}

const COUNTING_CHECKS: readonly Check[] = [
  {
    name: "invoice_days",
    sql: `
      with fallen_on_day as (
        select
          bucket, merchant_id, filter_by, day, status, franchise_id, count(*) as invoices,
          sum(sums.billed_paise)::bigint as billed_paise, sum(sums.paid_paise)::bigint as paid_paise,
          sum(sums.due_paise)::bigint as due_paise
        from invoice
        cross join lateral invoice_sums(
          status, amount_paise, previous_dues_paise, carried_paise, invoice.paid_paise, credited_paise, is_opening_balance) as sums
        cross join lateral (values
          ('bill_date', bill_date), ('due_date', due_date), ('sent_date', sent_date), ('paid_date', paid_date)
        ) as date (filter_by, day)
        where day is not null and ${inScope("invoice")}
        group by bucket, merchant_id, filter_by, day, status, franchise_id
      ), fallen as (
        select 'day' as span, * from fallen_on_day
        union all
        select
          'month', bucket, merchant_id, filter_by, date_trunc('month', day::timestamp)::date as month, status,
          franchise_id, sum(invoices)::bigint, sum(billed_paise)::bigint, sum(paid_paise)::bigint, sum(due_paise)::bigint
        from fallen_on_day
        group by bucket, merchant_id, filter_by, month, status, franchise_id
      ), counted as (
        select 'day' as span, * from invoice_day where ${COUNTS_SOMETHING} and ${inScope("invoice_day")}
        union all
        select 'month', * from invoice_month where ${COUNTS_SOMETHING} and ${inScope("invoice_month")}
      )
      select
        merchant_id, null::bigint as subject_id,
        'invoices with the ' || filter_by || ' in the ' || span || ' ' || day || ', the status ' || status || ' and the franchise '
          || franchise_id || ', with what is billed, paid and due' as what,
        ${inWords("fallen")} as expected, ${inWords("counted")} as found
      from fallen
      full join counted using (span, bucket, merchant_id, filter_by, day, status, franchise_id)
      where fallen.invoices is distinct from counted.invoices
        or fallen.billed_paise is distinct from counted.billed_paise
        or fallen.paid_paise is distinct from counted.paid_paise
        or fallen.due_paise is distinct from counted.due_paise`,
  },
  {
    name: "series_numbers",
    sql: `
      with numbered as (
        select bucket, merchant_id, series_id, financial_year, invoice_number as number
        from invoice where series_id is not null and ${inScope("invoice")}
        union all
        select bucket, merchant_id, series_id, financial_year, credit_note_number
        from credit_note where ${inScope("credit_note")}
        union all
        select bucket, merchant_id, series_id, financial_year, estimate_number
        from estimate where ${inScope("estimate")}
        union all
        select bucket, merchant_id, series_id, financial_year, receipt_number
        from receipt where ${inScope("receipt")}
        union all
        select bucket, merchant_id, series_id, financial_year, voucher_number
        from advance_voucher where ${inScope("advance_voucher")}
      ), spelt as (
        select
          numbered.bucket, numbered.merchant_id, series_id,
          case when yearly then numbered.financial_year else 0 end as financial_year,
          substr(numbered.number, length(filled.prefix) + 1) as digits,
          starts_with(numbered.number, filled.prefix) as is_of_series
        from numbered
        join number_series using (bucket, merchant_id, series_id)
        cross join lateral (
          select replace(
            prefix, '{FY}',
            lpad((financial_year % 100)::text, 2, '0') || lpad(((financial_year + 1) % 100)::text, 2, '0')) as prefix
        ) as filled
      ), used as (
        select
          bucket, merchant_id, series_id, financial_year, count(*) as count,
          count(distinct value) as different, min(value) as first, max(value) as last
        from spelt
        cross join lateral (
          select case when is_of_series and digits ~ '^[0-9]{1,16}$' then digits::bigint end as value
        ) as read
        group by bucket, merchant_id, series_id, financial_year
      )
      select
        merchant_id, series_id as subject_id,
        'numbers of a series' || case when financial_year = 0 then '' else ' in ' || financial_year end as what,
        '1 to ' || coalesce(counter.last_number, 0) as expected,
        coalesce(used.different, 0) || ' of ' || coalesce(used.count, 0) || ' documents from '
          || coalesce(used.first, 0) || ' to ' || coalesce(used.last, 0) as found
      from (select * from number_counter where ${inScope("number_counter")}) as counter
      full join used using (bucket, merchant_id, series_id, financial_year)
      where counter.last_number is distinct from used.count or used.different <> used.count
        or used.first is distinct from 1 or used.last is distinct from used.count`,
  },
];

const CREDIT_NOTE_CHECKS: readonly Check[] = [
  {
    name: "credit_note_amounts",
    sql: `
      select
        merchant_id, credit_note_id as subject_id, 'taxes of a credit note, added up from what is printed' as what,
        ${rupees(contentSum("content", "taxes"))} as expected, ${rupees("tax_paise")} as found
      from credit_note
      where tax_paise <> ${contentSum("content", "taxes")} and ${inScope("credit_note")}
      union all
      select
        merchant_id, credit_note_id, 'taxable value of a credit note, added up from what is printed',
        ${rupees(contentSum("content", "rows"))}, ${rupees("taxable_paise")}
      from credit_note
      where taxable_paise <> ${contentSum("content", "rows")} and jsonb_array_length(content -> 'rows') > 0
        and ${inScope("credit_note")}`,
  },
  {
    // If the taxes of a note can be tied to rows, its lines have all of its tax; otherwise none.
    name: "credit_note_lines",
    sql: `
      with line as (
        select
          bucket, merchant_id, credit_note_id, invoice_id, by_rows, cancelled_at, (item ->> 'line')::integer as line,
          (item ->> 'taxablePaise')::bigint as taxable_paise, item -> 'taxesPaise' as taxes,
          (item ->> 'quantityThousandths')::bigint as pieces,
          (select coalesce(sum(tax::bigint), 0) from jsonb_array_elements_text(item -> 'taxesPaise') as tax) as tax_paise
        from credit_note
        cross join lateral jsonb_array_elements(lines) as item
        where ${inScope("credit_note")}
      ), summed as (
        select
          bucket, merchant_id, credit_note_id, sum(taxable_paise) as taxable_paise, sum(tax_paise) as tax_paise,
          bool_or(jsonb_array_length(taxes) > 0) as tells_taxes
        from line group by bucket, merchant_id, credit_note_id
      ), credited as (
        select
          bucket, merchant_id, invoice_id, line, sum(taxable_paise) as taxable_paise, coalesce(sum(pieces), 0) as pieces
        from line where cancelled_at is null
        group by bucket, merchant_id, invoice_id, line
      )
      select
        merchant_id, credit_note_id as subject_id, 'taxable value and tax of a credit note, as the sum of its rows' as what,
        ${rupees("summed.taxable_paise")} || ' and ' || ${rupees("summed.tax_paise")} as expected,
        ${rupees("note.taxable_paise")} || ' and ' || ${rupees("note.tax_paise")} as found
      from (select * from credit_note where ${inScope("credit_note")}) as note
      join summed using (bucket, merchant_id, credit_note_id)
      where note.taxable_paise <> summed.taxable_paise
        or (tells_taxes and note.tax_paise <> summed.tax_paise) or (note.by_rows and not tells_taxes and note.tax_paise <> 0)
      union all
      select
        merchant_id, invoice_id, 'what credit notes take off row ' || credited.line || ' of an invoice',
        'at most ' || coalesce(${rupees("billed.paise")}, 'nothing') || coalesce(', and ' || billed.pieces || ' thousandths', ''),
        ${rupees("credited.taxable_paise")}
          || case when credited.pieces > 0 then ', and ' || credited.pieces || ' thousandths' else '' end
      from (select * from invoice where ${inScope("invoice")}) as invoice
      join credited using (bucket, merchant_id, invoice_id)
      cross join lateral (
        select
          (invoice.content -> 'rows' -> (credited.line - 1) ->> 'amountPaise')::bigint as paise,
          (invoice.content -> 'rows' -> (credited.line - 1) ->> 'quantityThousandths')::bigint as pieces
      ) as billed
      where credited.taxable_paise > coalesce(billed.paise, 0) or credited.pieces > coalesce(billed.pieces, 0)`,
  },
  {
    // A transfer that the bank paid after it had failed is not counted: its replacement was owed at the time.
    name: "credit_note_refund",
    sql: `
      with carried as (
        select
          bucket, merchant_id, credit_note_id, count(*) as refunds, count(transfer.transfer_id) as transfers,
          coalesce(
            sum(transfer.amount_paise) filter (
              where state in (
                'AWAITING_APPROVAL', 'RESERVED', 'SUBMITTING', 'UNKNOWN', 'PENDING', 'SUCCESS') and not exists (
                select from journal posting
                where posting.bucket = refund.bucket and posting.merchant_id = refund.merchant_id
                  and posting.subject_id = refund.transfer_id and posting.kind = 'failed')), 0) as amount_paise
        from credit_note_refund refund
        left join transfer using (bucket, merchant_id, transfer_id)
        where ${inScope("refund")}
        group by bucket, merchant_id, credit_note_id
      )
      select
        merchant_id, credit_note_id as subject_id, 'transfers that carry the refund of a credit note' as what,
        'at most ' || coalesce(case when note.cancelled_at is null then ${rupees("note.refund_paise")} end, '0.00') || ', in ' || carried.refunds || ' transfers'
          as expected,
        ${rupees("carried.amount_paise")} || ', in ' || carried.transfers || ' transfers' as found
      from carried
      left join credit_note note using (bucket, merchant_id, credit_note_id)
      where carried.amount_paise > coalesce(case when note.cancelled_at is null then note.refund_paise end, 0) or carried.transfers <> carried.refunds
      union all
      select
        merchant_id, credit_note_id, 'the reference of transfer ' || transfer_id || ', which carries a refund',
        ${REFUND_REFERENCE}, transfer.reference_id
      from credit_note_refund refund
      join transfer using (bucket, merchant_id, transfer_id)
      where ${inScope("refund")} and transfer.reference_id <> ${REFUND_REFERENCE}`,
  },
];

export const INVOICE_CHECKS: readonly Check[] = [
  ...AMOUNT_CHECKS,
  ...COUNTING_CHECKS,
  ...CREDIT_NOTE_CHECKS,
  ...COMMISSION_CHECKS,
  ...CARRIED_CHECKS,
  ...REGISTER_CHECKS,
];
