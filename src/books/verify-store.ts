// SQL that checks the postings of billing against their documents and payments. Read-only.
import { inScope, rupees, type Check } from "../ledger/index.ts";
import { BOOK_ACCOUNTS, columnOf } from "./chart.ts";
import { ADVANCE_CHECKS } from "./verify-advances-store.ts";
import { RECEIPT_CHECKS } from "./verify-receipts-store.ts";

const COLUMNS = BOOK_ACCOUNTS.map(columnOf);
const summed = (columns: readonly string[]): string =>
  columns.map((column) => `sum(${column})::bigint as ${column}`).join(", ");
const TAXES = ["output_cgst", "output_sgst", "output_utgst", "output_igst", "output_cess", "output_other"] as const;
const TAX_SUM = TAXES.map(columnOf).join(" + ");

/** The expected account balances of each invoice, from its content, payments and credit notes. */
const EXPECTED = `
  with note as (
    select
      bucket, merchant_id, invoice_id, sum(taxable_paise) as taxable_paise, sum(tax_paise) as tax_paise,
      sum(amount_paise) as amount_paise
    from credit_note where cancelled_at is null and ${inScope("credit_note")}
    group by bucket, merchant_id, invoice_id
  ), payment as (
    select bucket, merchant_id, invoice_id, sum(amount_paise) as amount_paise
    from settlement
    where via_settlement_id is null and receipt_id is null and reversed_at is null and ${inScope("settlement")}
    group by bucket, merchant_id, invoice_id
  ), expected as (
    select
      bucket, merchant_id, invoice_id,
      case when is_void then 0
        else invoice.amount_paise - carried_paise - own_paid_paise - credited_paise end as receivable_paise,
      coalesce(payment.amount_paise, 0) as money_paise,
      case when is_void then 0 else own_paid_paise end - coalesce(payment.amount_paise, 0) as advances_paise,
      case when is_void then 0 else credited_paise end - coalesce(note.amount_paise, 0) as refunds_payable_paise,
      coalesce(note.taxable_paise, 0) - case when is_void then 0 else sub_total_paise end as revenue_paise,
      coalesce(note.tax_paise, 0) - case when is_void then 0 else tax_total_paise end as tax_paise,
      case when is_void then 0 else carried_paise - previous_dues_paise end as opening_balances_paise
    from invoice
    cross join lateral (
      select
        status = 'Cancelled' and credited_paise = 0 as is_void,
        paid_paise - least(paid_paise, carried_paise) as own_paid_paise
    ) as own
    left join note using (bucket, merchant_id, invoice_id)
    left join payment using (bucket, merchant_id, invoice_id)
    where ${inScope("invoice")}
  ), posted as (
    select
      bucket, merchant_id, invoice_id, sum(receivable_paise) as receivable_paise,
      sum(bank_paise + cash_paise + tds_receivable_paise + written_off_paise) as money_paise, sum(advances_paise) as advances_paise,
      sum(refunds_payable_paise) as refunds_payable_paise, sum(revenue_paise) as revenue_paise,
      sum(${TAX_SUM}) as tax_paise, sum(opening_balances_paise) as opening_balances_paise
    from book_entry where invoice_id <> 0 and ${inScope("book_entry")}
    group by bucket, merchant_id, invoice_id
  )`;

const COMPARED = [
  "receivable_paise",
  "money_paise",
  "advances_paise",
  "refunds_payable_paise",
  "revenue_paise",
  "tax_paise",
  "opening_balances_paise",
];

function inWords(side: string, columns: readonly string[]): string {
  return columns.map((column) => rupees(`coalesce(${side}.${column}, 0)`)).join(" || ', ' || ");
}

function differs(one: string, other: string, columns: readonly string[]): string {
  const sums = (side: string): string => columns.map((column) => `coalesce(${side}.${column}, 0)`).join(", ");
  return `(${sums(one)}) is distinct from (${sums(other)})`;
}

const PAYMENT_COLUMNS = ["money_paise", "cash_paise", "tds_paise", "written_off_paise"];

/** The GST heads of the register: SGST includes UTGST. */
const HEADS = ["igst_paise", "cgst_paise", "sgst_paise", "cess_paise"];

export const BOOK_CHECKS: readonly Check[] = [
  {
    name: "book_invoices",
    sql: `
      ${EXPECTED}
      select
        merchant_id, invoice_id as subject_id,
        'due, payments, advances, refunds, revenue, taxes and opening balance of an invoice, as the sums of its postings' as what,
        ${inWords("expected", COMPARED)} as expected, ${inWords("posted", COMPARED)} as found
      from expected
      full join posted using (bucket, merchant_id, invoice_id)
      where ${differs("expected", "posted", COMPARED)}`,
  },
  {
    name: "book_payments",
    sql: `
      with expected as (
        select
          bucket, merchant_id, settlement_id as subject_id, invoice_id, event,
          case event when 'settlement' then amount_paise else -amount_paise end as money_paise,
          case when mode <> 'Cash' then 0 when event = 'settlement' then amount_paise - tds_paise else tds_paise - amount_paise end
            as cash_paise,
          case when write_off_reason is null then 0 when event = 'settlement' then amount_paise else -amount_paise end
            as written_off_paise,
          case event when 'settlement' then tds_paise else -tds_paise end as tds_paise
        from settlement
        cross join lateral (
          values ('settlement', true), ('reversal', reversed_at is not null)
        ) as happened (event, has_happened)
        where via_settlement_id is null and receipt_id is null and has_happened and ${inScope("settlement")}
      ), posted as (
        select
          bucket, merchant_id, subject_id, invoice_id, event, sum(bank_paise + cash_paise + tds_receivable_paise + written_off_paise) as money_paise,
          sum(cash_paise) as cash_paise, sum(written_off_paise) as written_off_paise, sum(tds_receivable_paise) as tds_paise
        from book_entry
        where invoice_id <> 0 and (bank_paise <> 0 or cash_paise <> 0 or tds_receivable_paise <> 0 or written_off_paise <> 0) and ${inScope("book_entry")}
        group by bucket, merchant_id, subject_id, invoice_id, event
      )
      select
        merchant_id, subject_id, 'money with TDS, cash, TDS and write-off of a payment or its reversal, as posted' as what,
        ${inWords("expected", PAYMENT_COLUMNS)} as expected,
        ${inWords("posted", PAYMENT_COLUMNS)} as found
      from expected
      full join posted using (bucket, merchant_id, subject_id, invoice_id, event)
      where ${differs("expected", "posted", PAYMENT_COLUMNS)}`,
  },
  ...RECEIPT_CHECKS,
  ...ADVANCE_CHECKS,
  {
    name: "book_customers",
    sql: `
      with posted as (
        select
          bucket, merchant_id, invoice_id, customer_id, sum(receivable_paise) as receivable_paise,
          sum(advances_paise) as advances_paise
        from book_entry where ${inScope("book_entry")}
        group by bucket, merchant_id, invoice_id, customer_id
      )
      select
        posted.merchant_id, posted.invoice_id as subject_id, 'what customer ' || posted.customer_id || ' owes on an invoice' as what,
        'nothing: it is of customer ' || invoice.customer_id as expected, ${rupees("receivable_paise")} as found
      from posted
      join invoice using (bucket, merchant_id, invoice_id)
      where posted.customer_id <> invoice.customer_id and (receivable_paise <> 0 or advances_paise <> 0)`,
  },
  {
    // By invoice with its notes, and by month, to find postings in the wrong month. Under reverse charge no tax is charged.
    name: "book_taxes",
    sql: `
      with document as (
        select
          bucket, merchant_id, coalesce(case when kind = 'credit_note' then original_document_id end, document_id) as invoice_id,
          date_trunc('month', document_date::timestamp)::date as month, case kind when 'credit_note' then -1 else 1 end as sign,
          lines, reverse_charge or cancelled_at is not null as is_uncharged
        from gst_document where is_current and is_supply and ${inScope("gst_document")}
      ), registered as (
        select
          bucket, merchant_id, invoice_id, month, sum(sign * igst_paise) as igst_paise, sum(sign * cgst_paise) as cgst_paise,
          sum(sign * sgst_paise) as sgst_paise, sum(sign * cess_paise) as cess_paise
        from document cross join unnest(lines) as line
        where not is_uncharged
        group by bucket, merchant_id, invoice_id, month
      ), supply as (
        select distinct bucket, merchant_id, invoice_id from document
      ), posted as (
        select
          bucket, merchant_id, invoice_id, date_trunc('month', entry_date::timestamp)::date as month,
          -sum(output_igst_paise) as igst_paise, -sum(output_cgst_paise) as cgst_paise,
          -sum(output_sgst_paise + output_utgst_paise) as sgst_paise, -sum(output_cess_paise) as cess_paise
        from book_entry
        join supply using (bucket, merchant_id, invoice_id)
        where ${inScope("book_entry")}
        group by bucket, merchant_id, invoice_id, month
      )
      select
        merchant_id, invoice_id as subject_id,
        'IGST, CGST, SGST and cess of an invoice and its notes in the month of ' || month || ', as posted' as what,
        ${inWords("registered", HEADS)} as expected, ${inWords("posted", HEADS)} as found
      from registered
      full join posted using (bucket, merchant_id, invoice_id, month)
      where ${differs("registered", "posted", HEADS)}`,
  },
  {
    name: "book_days",
    sql: `
      with posted as (
        select bucket, merchant_id, entry_date as day, ${summed(COLUMNS)}
        from book_entry where ${inScope("book_entry")}
        group by bucket, merchant_id, entry_date
      ), kept as (select * from book_day where ${inScope("book_day")})
      select
        merchant_id, null::bigint as subject_id, 'what is posted on ' || day || ', by account' as what,
        ${inWords("posted", COLUMNS)} as expected, ${inWords("kept", COLUMNS)} as found
      from posted
      full join kept using (bucket, merchant_id, day)
      where ${differs("posted", "kept", COLUMNS)}`,
  },
];
