// SQL that checks receipts against their postings, their settlements and the advances of their customers. Reads only.
import { inScope, rupees, type Check } from "../ledger/index.ts";

const COLUMNS = ["money_paise", "cash_paise", "tds_paise", "advances_paise"];
const inWords = (side: string): string =>
  COLUMNS.map((column) => rupees(`coalesce(${side}.${column}, 0)`)).join(" || ', ' || ");
const sums = (side: string): string => COLUMNS.map((column) => `coalesce(${side}.${column}, 0)`).join(", ");
/** The accounts' amount of a row's money; `sign` is -1 for outgoing money. */
const moved = (row: string, sign: 1 | -1, tds: string): string => `
  ${sign} * ${row}.amount_paise as money_paise,
  case when ${row}.mode = 'Cash' then ${sign} * (${row}.amount_paise - ${tds}) else 0 end as cash_paise,
  ${sign} * ${tds} as tds_paise, ${-sign} * ${row}.amount_paise as advances_paise`;

export const RECEIPT_CHECKS: readonly Check[] = [
  {
    name: "book_receipts",
    sql: `
      with expected as (
        select bucket, merchant_id, receipt_id as subject_id, 'receipt' as event, customer_id, ${moved("receipt", 1, "tds_paise")}
        from receipt where ${inScope("receipt")}
        union all
        select bucket, merchant_id, receipt_id, 'receipt_reversal', customer_id, ${moved("receipt", -1, "tds_paise")}
        from receipt where reversed_at is not null and ${inScope("receipt")}
        union all
        select bucket, merchant_id, refund_id, 'receipt_refund', receipt.customer_id, ${moved("refund", -1, "0")}
        from receipt_refund refund
        join receipt using (bucket, merchant_id, receipt_id)
        where ${inScope("refund")}
      ), posted as (
        select
          bucket, merchant_id, subject_id, event, customer_id,
          sum(bank_paise + cash_paise + tds_receivable_paise) as money_paise, sum(cash_paise) as cash_paise,
          sum(tds_receivable_paise) as tds_paise, sum(advances_paise) as advances_paise
        from book_entry where invoice_id = 0 and ${inScope("book_entry")}
        group by bucket, merchant_id, subject_id, event, customer_id
      )
      select
        merchant_id, subject_id, 'money with TDS, cash, TDS and advance of a receipt, its reversal or a refund of it, as posted' as what,
        ${inWords("expected")} as expected, ${inWords("posted")} as found
      from expected
      full join posted using (bucket, merchant_id, subject_id, event, customer_id)
      where (${sums("expected")}) is distinct from (${sums("posted")})`,
  },
  {
    name: "receipt_use",
    sql: `
      with used as (
        select bucket, merchant_id, receipt_id, sum(amount_paise) as used_paise, sum(tds_paise) as used_tds_paise
        from settlement where receipt_id is not null and reversed_at is null and ${inScope("settlement")}
        group by bucket, merchant_id, receipt_id
      ), refunded as (
        select bucket, merchant_id, receipt_id, sum(amount_paise) as refunded_paise
        from receipt_refund where ${inScope("receipt_refund")}
        group by bucket, merchant_id, receipt_id
      ), kept as (select * from receipt where ${inScope("receipt")})
      select
        merchant_id, receipt_id as subject_id,
        'what is used of a receipt and of its TDS, and given back, as its settlements and refunds' as what,
        ${rupees("coalesce(used.used_paise, 0)")} || ', ' || ${rupees("coalesce(used.used_tds_paise, 0)")} || ', '
          || ${rupees("coalesce(refunded.refunded_paise, 0)")} as expected,
        coalesce(${rupees("kept.used_paise")} || ', ' || ${rupees("kept.used_tds_paise")} || ', ' || ${rupees("kept.refunded_paise")},
          'no such receipt') as found
      from kept
      full join used using (bucket, merchant_id, receipt_id)
      full join refunded using (bucket, merchant_id, receipt_id)
      where (kept.used_paise, kept.used_tds_paise, kept.refunded_paise) is distinct from
        (coalesce(used.used_paise, 0), coalesce(used.used_tds_paise, 0), coalesce(refunded.refunded_paise, 0))`,
  },
  {
    name: "customer_advances",
    sql: `
      with rest as (
        select bucket, merchant_id, customer_id, sum(amount_paise - used_paise - refunded_paise) as advances_paise
        from receipt where reversed_at is null and ${inScope("receipt")}
        group by bucket, merchant_id, customer_id
      ), posted as (
        select bucket, merchant_id, customer_id, -sum(advances_paise) as advances_paise
        from book_entry where ${inScope("book_entry")}
        group by bucket, merchant_id, customer_id
      )
      select
        merchant_id, customer_id as subject_id, 'what a customer has in advance, by receipts and as posted' as what,
        ${rupees("coalesce(rest.advances_paise, 0)")} as expected, ${rupees("coalesce(posted.advances_paise, 0)")} as found
      from rest
      full join posted using (bucket, merchant_id, customer_id)
      where coalesce(rest.advances_paise, 0) <> coalesce(posted.advances_paise, 0)`,
  },
];
