// SQL that checks the vouchers of advances and their tax against receipts and postings. Read-only.
import { inScope, rupees, type Check } from "../ledger/index.ts";

const HEADS = ["igst_paise", "cgst_paise", "sgst_paise"];
const inWords = (side: string, columns: readonly string[]): string =>
  columns.map((column) => rupees(`coalesce(${side}.${column}, 0)`)).join(" || ', ' || ");
const sums = (side: string, columns: readonly string[]): string =>
  columns.map((column) => `coalesce(${side}.${column}, 0)`).join(", ");
const differs = (one: string, other: string, columns: readonly string[]): string =>
  `(${sums(one, columns)}) is distinct from (${sums(other, columns)})`;

/** The tax in an amount that contains it, split over this many heads: rounded half up, as `taxWithin` does. */
const within = (amount: string, heads: number): string => {
  const whole = `(${heads} * (100000 + rate_thousandths))`;
  return `(2 * ${amount} * rate_thousandths + ${whole}) / (2 * ${whole})`;
};
const byHead = (amount: string): string => `
  case when supply = 'inter_state' then ${within(amount, 1)} else 0 end as igst_paise,
  case when supply = 'inter_state' then 0 else ${within(amount, 2)} end as cgst_paise,
  case when supply = 'inter_state' then 0 else ${within(amount, 2)} end as sgst_paise`;

const TAXED = ["amount_paise", ...HEADS];
const POSTED = ["advance_tax_paise", ...HEADS];

export const ADVANCE_CHECKS: readonly Check[] = [
  {
    name: "advance_tax",
    sql: `
      with rest as (
        select
          bucket, merchant_id, receipt_id, rate_thousandths, supply,
          case when reversed_at is not null then 0
            else least(voucher.amount_paise, receipt.amount_paise - used_paise - refunded_paise) end as amount_paise
        from advance_voucher voucher
        join receipt using (bucket, merchant_id, receipt_id)
        where kind = 'receipt_voucher' and ${inScope("voucher")}
      ), expected as (
        select bucket, merchant_id, receipt_id, amount_paise, ${byHead("amount_paise")} from rest
      ), recorded as (
        select
          bucket, merchant_id, receipt_id,
          ${TAXED.map((column) => `sum(${column})::bigint as ${column}`).join(", ")}
        from advance_tax where ${inScope("advance_tax")}
        group by bucket, merchant_id, receipt_id
      )
      select
        merchant_id, receipt_id as subject_id, 'what is left of a taxed advance, and its IGST, CGST and SGST' as what,
        ${inWords("expected", TAXED)} as expected, ${inWords("recorded", TAXED)} as found
      from expected
      full join recorded using (bucket, merchant_id, receipt_id)
      where ${differs("expected", "recorded", TAXED)}`,
  },
  {
    name: "advance_vouchers",
    sql: `
      with issued as (
        select
          bucket, merchant_id, voucher_id as entry_id, voucher_date, kind, ${byHead("amount_paise")}, amount_paise,
          igst_paise as said_igst_paise, cgst_paise as said_cgst_paise, sgst_paise as said_sgst_paise
        from advance_voucher where ${inScope("advance_voucher")}
      ), expected as (
        select
          bucket, merchant_id, entry_id, kind, voucher_date,
          concat_ws(' | ', voucher_date, kind, amount_paise, said_igst_paise, said_cgst_paise, said_sgst_paise) as said,
          kind = 'refund_voucher' or (igst_paise, cgst_paise, sgst_paise) = (said_igst_paise, said_cgst_paise, said_sgst_paise)
            as is_taxed
        from issued
      ), recorded as (
        select
          bucket, merchant_id, entry_id,
          case cause
            when 'received' then concat_ws(' | ', entry_date, 'receipt_voucher', amount_paise, igst_paise, cgst_paise, sgst_paise)
            else concat_ws(' | ', entry_date, 'refund_voucher', -amount_paise, -igst_paise, -cgst_paise, -sgst_paise)
          end as said
        from advance_tax where cause in ('received', 'refunded') and ${inScope("advance_tax")}
      )
      select
        merchant_id, entry_id as subject_id, 'date, kind, amount and taxes of a voucher of an advance' as what,
        coalesce(recorded.said, 'no tax recorded') as expected,
        coalesce(expected.said, 'no such voucher') || case when is_taxed then '' else ', not at its rate' end as found
      from expected
      full join recorded using (bucket, merchant_id, entry_id)
      where expected.said is distinct from recorded.said or not is_taxed`,
  },
  {
    name: "book_advance_tax",
    sql: `
      with expected as (
        select
          bucket, merchant_id, entry_id, customer_id, entry_date, igst_paise + cgst_paise + tax.sgst_paise as advance_tax_paise,
          igst_paise, cgst_paise, sgst_paise
        from advance_tax tax
        join receipt using (bucket, merchant_id, receipt_id)
        where ${inScope("tax")}
      ), posted as (
        select
          bucket, merchant_id, subject_id as entry_id, customer_id, entry_date, sum(advance_tax_paise)::bigint as advance_tax_paise,
          -sum(output_igst_paise)::bigint as igst_paise, -sum(output_cgst_paise)::bigint as cgst_paise,
          -sum(output_sgst_paise + output_utgst_paise)::bigint as sgst_paise
        from book_entry
        where invoice_id = 0 and ${inScope("book_entry")}
        group by bucket, merchant_id, subject_id, customer_id, entry_date
      )
      select
        merchant_id, entry_id as subject_id, 'GST on advances, IGST, CGST and SGST of an advance, as posted on ' || entry_date as what,
        ${inWords("expected", POSTED)} as expected, ${inWords("posted", POSTED)} as found
      from expected
      full join posted using (bucket, merchant_id, entry_id, customer_id, entry_date)
      where ${differs("expected", "posted", POSTED)}`,
  },
];
