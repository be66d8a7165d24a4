import { inScope, rupees, type Check } from "../../ledger/index.ts";

/** Taxes of a content whose names match, added up. */
function taxesNamed(pattern: string): string {
  return `coalesce(sum((tax ->> 'amountPaise')::bigint) filter (where ${pattern}), 0)`;
}

const word = (names: string): string => `tax ->> 'name' ~* '(?<![A-Z])(${names})(?![A-Z])'`;
const ANY_HEAD = word("IGST|CGST|SGST|UTGST|CESS");

/** The expected register rows of every invoice and credit note. */
const DOCUMENTS = `
  select
    bucket, merchant_id, invoice_id as document_id, revision, invoice_number as number, bill_date as date, series_id,
    financial_year, amount_paise - previous_dues_paise as value_paise, original_invoice_id as original_id,
    status = 'Cancelled' and credited_paise = 0 as is_void, content
  from invoice where not is_opening_balance and ${inScope("invoice")}
  union all
  select
    bucket, merchant_id, credit_note_id, 1, credit_note_number, note_date, series_id, financial_year, amount_paise, invoice_id,
    cancelled_at is not null, content
  from credit_note where not is_financial and ${inScope("credit_note")}`;

/** The parts of a document that the register copies, as one text. */
const SAID = `concat_ws(' | ', number, date, series_id, financial_year, value_paise, original_id, is_void, is_supply,
  kind, party_name, party_gstin, place_of_supply, supply, supply_type, reverse_charge, ecommerce_gstin,
  shipping_bill_number, shipping_bill_date, port_code)`;

/** The tax of rows at their own rates, by the place of supply: what the recipient pays under reverse charge. */
function dueOfRows(supplies: string, rate: string, parts: number): string {
  const whole = 100_000 * parts;
  // Sums, since products of these amounts are larger than a bigint.
  return `case when content ->> 'supply' in (${supplies}) then (
    select coalesce(sum(div(2 * paise * rate + ${whole}, ${2 * whole})), 0)::bigint
    from (
      select sum((item ->> 'amountPaise')::bigint) as paise, coalesce((item ->> '${rate}')::bigint, 0) as rate
      from jsonb_array_elements(content -> 'rows') with ordinality as row (item, place)
      group by place, item
    ) as taxed_row) else 0 end`;
}

const WITHIN = "'intra_state', 'intra_union_territory'";
const BETWEEN = "'inter_state'";
const REVERSE = "coalesce((content ->> 'reverseCharge')::boolean, false)";
const orReverse = (due: string, charged: string): string => `case when ${REVERSE} then ${due} else ${charged} end`;

/** The rows and taxes of documents against the lines of the register. */
const LINES = `
  with document as (${DOCUMENTS}),
  billed as (
    select
      document.bucket, document.merchant_id, document_id, document.revision,
      ${orReverse(dueOfRows(BETWEEN, "gstThousandths", 1), "taxed.igst_paise")} as igst_paise,
      ${orReverse(dueOfRows(WITHIN, "gstThousandths", 2), "taxed.cgst_paise")} as cgst_paise,
      ${orReverse(dueOfRows(WITHIN, "gstThousandths", 2), "taxed.sgst_paise")} as sgst_paise,
      ${orReverse(dueOfRows(`${WITHIN}, ${BETWEEN}`, "cessThousandths", 1), "taxed.cess_paise")} as cess_paise,
      taxed.other_paise, (
        select coalesce(sum((item ->> 'amountPaise')::bigint), 0)
        from jsonb_array_elements(content -> 'rows') as item) as taxable_paise
    from document
    cross join lateral (
      select
        ${taxesNamed(word("IGST"))} as igst_paise, ${taxesNamed(word("CGST"))} as cgst_paise,
        ${taxesNamed(word("SGST|UTGST"))} as sgst_paise, ${taxesNamed(word("CESS"))} as cess_paise,
        ${taxesNamed(`not ${ANY_HEAD}`)} as other_paise
      from jsonb_array_elements(content -> 'taxes') as tax
    ) as taxed
    join gst_document register using (bucket, merchant_id, document_id)
    where register.revision = document.revision and is_supply
  ), registered as (
    select
      bucket, merchant_id, document_id, revision, sum(igst_paise) as igst_paise, sum(cgst_paise) as cgst_paise,
      sum(sgst_paise) as sgst_paise, sum(cess_paise) as cess_paise, sum(other_paise) as other_paise,
      sum(taxable_paise) as taxable_paise
    from gst_document cross join unnest(lines) as line
    where ${inScope("gst_document")}
    group by bucket, merchant_id, document_id, revision
  )`;

const HEADS = ["igst", "cgst", "sgst", "cess", "other"].map((head) => `${head}_paise`);
const sumsOf = (side: string): string =>
  ["taxable_paise", ...HEADS].map((name) => rupees(`coalesce(${side}.${name}, 0)`)).join(" || ', ' || ");

export const REGISTER_CHECKS: readonly Check[] = [
  {
    name: "gst_document",
    sql: `
      with document as (${DOCUMENTS}),
      expected as (
        select bucket, merchant_id, document_id, revision, ${SAID} as said
        from document
        cross join lateral (
          select
            content -> 'supplier' ->> 'gstin' <> '' and
              (jsonb_array_length(content -> 'rows') > 0 or jsonb_array_length(content -> 'taxes') > 0) as is_supply,
            content ->> 'kind' as kind, content -> 'recipient' ->> 'name' as party_name,
            content -> 'recipient' ->> 'gstin' as party_gstin,
            coalesce(content -> 'placeOfSupply' ->> 'code', '') as place_of_supply, content ->> 'supply' as supply,
            coalesce(content ->> 'supplyType', 'regular') as supply_type,
            coalesce((content ->> 'reverseCharge')::boolean, false) as reverse_charge,
            coalesce(content ->> 'ecommerceGstin', '') as ecommerce_gstin,
            coalesce(content -> 'shipping' ->> 'billNo', '') as shipping_bill_number,
            coalesce(content -> 'shipping' ->> 'billDate', '') as shipping_bill_date,
            coalesce(content -> 'shipping' ->> 'portCode', '') as port_code
        ) as content_says
      ), found as (
        select bucket, merchant_id, document_id, revision, ${SAID} as said
        from gst_document
        cross join lateral (
          select
            document_number as number, document_date as date, original_document_id as original_id,
            cancelled_at is not null as is_void
        ) as named
        where is_current and ${inScope("gst_document")}
      )
      select
        merchant_id, document_id as subject_id, 'revision ' || revision || ' of a document in the tax register' as what,
        coalesce(expected.said, 'no such document') as expected, coalesce(found.said, 'not registered') as found
      from expected
      full join found using (bucket, merchant_id, document_id, revision)
      where expected.said is distinct from found.said`,
  },
  {
    name: "gst_lines",
    sql: `
      ${LINES}
      select
        merchant_id, document_id as subject_id,
        'taxable value, IGST, CGST, SGST, cess and other taxes of a document, as the sum of its lines in the tax register' as what,
        ${sumsOf("billed")} as expected, ${sumsOf("registered")} as found
      from billed
      left join registered using (bucket, merchant_id, document_id, revision)
      where (${["taxable_paise", ...HEADS].map((name) => `billed.${name}`).join(", ")})
        is distinct from (${["taxable_paise", ...HEADS].map((name) => `coalesce(registered.${name}, 0)`).join(", ")})`,
  },
  {
    // Each row of an invoice is one line. Lines of a note are checked by their sums, and its rows by credit_note_lines.
    name: "gst_line_rows",
    sql: `
      with billed as (
        select
          invoice.bucket, invoice.merchant_id, invoice_id as document_id, invoice.revision, place::smallint as line,
          concat_ws(
            ' | ', item ->> 'sacCode', coalesce(nullif(item ->> 'item', ''), item ->> 'description'),
            item ->> 'amountPaise',
            case when item ->> 'sacCode' like '99%' then 'NA' else coalesce(nullif(item ->> 'unit', ''), 'OTH') end,
            case when item ->> 'sacCode' like '99%' then '0' else coalesce(
              item ->> 'quantityThousandths', case when original_invoice_id is null then '1000' else '0' end) end,
            coalesce(item ->> 'taxTreatment', 'taxable'),
            -- The rate of taxes that were sent is theirs.
            case
              when content ->> 'supply' = 'zero_rated' then '0'
              when not (content ->> 'ownTaxes')::boolean then item ->> 'gstThousandths'
            end) as said
        from invoice
        cross join lateral jsonb_array_elements(content -> 'rows') with ordinality as row (item, place)
        where content -> 'supplier' ->> 'gstin' <> '' and ${inScope("invoice")}
      ), registered as (
        select
          register.bucket, register.merchant_id, document_id, register.revision, line.line,
          concat_ws(
            ' | ', hsn, description, taxable_paise, uqc, quantity_thousandths, treatment,
            case when not (content ->> 'ownTaxes')::boolean then rate_thousandths end) as said
        from gst_document register
        join invoice on invoice.bucket = register.bucket and invoice.merchant_id = register.merchant_id
          and invoice.invoice_id = register.document_id and invoice.revision = register.revision
        cross join unnest(register.lines) as line
        where line.line > 0 and ${inScope("register")}
      )
      select
        merchant_id, document_id as subject_id, 'line ' || line || ' of an invoice in the tax register' as what,
        coalesce(billed.said, 'no such row') as expected, coalesce(registered.said, 'not registered') as found
      from billed
      full join registered using (bucket, merchant_id, document_id, revision, line)
      where billed.said is distinct from registered.said`,
  },
];
