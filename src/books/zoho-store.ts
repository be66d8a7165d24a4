// SQL of the documents and payments of a period for Zoho Books: docs/zoho-books.md
import type { MerchantKey } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import type { ZohoDocument, ZohoLine, ZohoPayment, ZohoUse } from "./zoho.ts";

type Period = { readonly from: Temporal.PlainDate; readonly to: Temporal.PlainDate };
/** A page starts after this day and id. */
type Place = readonly [day: string | null, id: bigint | null];
const START: Place = [null, null];

const PAGE = 500;

/** The postings of each kind of document. A cancelled one sums to zero, and is left out. */
const EVENTS = {
  invoice: ["revision", "cancellation", "shift"],
  credit_note: ["credit_note", "credit_note_cancellation"],
} as const;
export type ZohoKind = keyof typeof EVENTS;

type StoredLine = {
  readonly description: string;
  readonly hsn: string;
  readonly rate: string;
  readonly treatment: string;
  readonly paise: string;
  readonly taxed: boolean;
};
type StoredDocument = {
  document_id: bigint;
  entry_date: Temporal.PlainDate;
  total_paise: bigint;
  revenue_paise: bigint;
  cess_paise: bigint;
  is_opening: boolean;
  customer_code: string;
  customer_name: string;
  gst_category: string;
  invoice_number: string;
  bill_date: Temporal.PlainDate;
  due_date: Temporal.PlainDate;
  note_number: string | null;
  reason: string | null;
  original_number: string | null;
  original_date: Temporal.PlainDate | null;
  party_gstin: string | null;
  place_of_supply: string | null;
  supply: string | null;
  supply_type: string | null;
  lines: readonly StoredLine[] | null;
};

/** The sum of each document's postings, by day; its lines come from the tax register. */
const DOCUMENTS_SQL = `with document as (
     select
       entry_date, invoice_id, customer_id, case when $5 then invoice_id else subject_id end as document_id,
       sum(receivable_paise + advances_paise + refunds_payable_paise)::bigint as total_paise,
       sum(revenue_paise)::bigint as revenue_paise, sum(output_cess_paise + output_other_paise)::bigint as cess_paise,
       sum(opening_balances_paise) <> 0 as is_opening
     from book_entry
     where bucket = $1 and merchant_id = $2 and entry_date between $3::date and $4::date and event = any ($6::text[])
       and ($7::date is null or entry_date >= $7::date)
     group by 1, 2, 3, 4
   )
   select
     document.document_id, entry_date, total_paise, document.revenue_paise, cess_paise, is_opening, customer_code, customer_name, gst_category,
     invoice.invoice_number, invoice.bill_date, invoice.due_date, credit_note_number as note_number, reason,
     original.invoice_number as original_number, original.bill_date as original_date, party_gstin, place_of_supply, supply, supply_type,
     case when gst.is_supply then (
       select jsonb_agg(jsonb_build_object(
         'description', description, 'hsn', hsn, 'rate', rate_thousandths::text, 'treatment', treatment,
         'paise', taxable_paise::text, 'taxed', igst_paise + cgst_paise + sgst_paise <> 0) order by line)
       from unnest(gst.lines) as line where line.line > 0
     ) end as lines
   from document
   join invoice on invoice.bucket = $1 and invoice.merchant_id = $2 and invoice.invoice_id = document.invoice_id
   join customer on customer.bucket = $1 and customer.merchant_id = $2 and customer.customer_id = document.customer_id
   left join invoice original on original.bucket = $1 and original.merchant_id = $2
     and original.invoice_id = invoice.original_invoice_id
   left join gst_document gst on gst.bucket = $1 and gst.merchant_id = $2 and gst.document_id = document.document_id
     and gst.is_current
   left join credit_note note on note.bucket = $1 and note.merchant_id = $2 and note.credit_note_id = document.document_id
   where total_paise <> 0
     and ($7::date is null or (entry_date, document.document_id) > ($7::date, $8::bigint))
   order by entry_date, document.document_id limit $9`;

/** The invoices, debit notes and opening balances, or the credit notes, of a period in the order of days. */
export async function* walkZohoDocuments(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  { from, to }: Period,
  kind: ZohoKind,
): AsyncGenerator<ZohoDocument> {
  let after = START;
  for (;;) {
    const { rows }: { rows: StoredDocument[] } = await db.query<StoredDocument>(DOCUMENTS_SQL, [
      bucket,
      merchantId,
      from.toString(),
      to.toString(),
      kind === "invoice",
      EVENTS[kind],
      ...after,
      PAGE,
    ]);
    for (const row of rows) yield documentOf(row);
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    after = [last.entry_date.toString(), last.document_id];
  }
}

function documentOf(row: StoredDocument): ZohoDocument {
  const absolute = (paise: bigint): bigint => (paise < 0n ? -paise : paise);
  const isNote = row.note_number !== null;
  const original = isNote ? row.invoice_number : row.original_number;
  const originalDate = isNote ? row.bill_date : row.original_date;
  return {
    number: row.note_number ?? row.invoice_number,
    date: row.entry_date,
    dueDate: row.due_date,
    customerCode: row.customer_code,
    customerName: row.customer_name,
    original: original === null || originalDate === null ? null : { number: original, date: originalDate },
    reason: row.reason ?? "",
    isOpening: row.is_opening,
    gstin: row.party_gstin ?? "",
    placeOfSupply: row.place_of_supply ?? "",
    isInterState: row.supply === "inter_state" || row.supply === "zero_rated",
    isSez: (row.supply_type ?? "").startsWith("sez"),
    isComposition: row.gst_category === "composition",
    hasCess: row.cess_paise !== 0n,
    revenuePaise: absolute(row.revenue_paise),
    totalPaise: absolute(row.total_paise),
    lines: (row.lines ?? []).map(({ description, hsn, rate, treatment, paise, taxed }): ZohoLine => ({
      description,
      hsn,
      treatment,
      rateThousandths: taxed ? BigInt(rate) : 0n,
      taxablePaise: BigInt(paise),
    })),
  };
}

type StoredPayment = {
  payment_id: bigint;
  entry_date: Temporal.PlainDate;
  money_paise: bigint;
  tds_paise: bigint;
  receipt_number: string | null;
  mode: string;
  bank_ref_no: string;
  cheque_no: string;
  customer_code: string;
  customer_name: string;
};

/** Incoming money that was not reversed: receipts, and payments of one invoice. Write-offs bring none. */
const PAYMENTS_SQL = `with money as (
     select entry_date, subject_id as payment_id, customer_id, event,
       sum(bank_paise + cash_paise)::bigint as money_paise, sum(tds_receivable_paise)::bigint as tds_paise
     from book_entry
     where bucket = $1 and merchant_id = $2 and entry_date between $3::date and $4::date
       and event in ('settlement', 'receipt') and ($5::date is null or entry_date >= $5::date)
       and (bank_paise <> 0 or cash_paise <> 0 or tds_receivable_paise <> 0)
     group by 1, 2, 3, 4
   )
   select payment_id, entry_date, money_paise, money.tds_paise, receipt_number, coalesce(receipt.mode, settlement.mode) as mode,
     coalesce(receipt.bank_ref_no, settlement.bank_ref_no) as bank_ref_no,
     coalesce(receipt.cheque_no, settlement.cheque_no) as cheque_no, customer_code, customer_name
   from money
   join customer on customer.bucket = $1 and customer.merchant_id = $2 and customer.customer_id = money.customer_id
   left join receipt on receipt.bucket = $1 and receipt.merchant_id = $2 and receipt.receipt_id = payment_id
     and money.event = 'receipt'
   left join settlement on settlement.bucket = $1 and settlement.merchant_id = $2 and settlement.settlement_id = payment_id
     and money.event = 'settlement'
   where receipt.reversed_at is null and settlement.reversed_at is null
     and ($5::date is null or (entry_date, payment_id) > ($5::date, $6::bigint))
   order by entry_date, payment_id limit $7`;

/** The amount that each invoice uses of a payment. A part of a payment can go to the invoice whose dues were carried forward. */
const USES_SQL = `with root as (
     select settlement_id, invoice_id, amount_paise, settlement_id as payment_id from settlement
     where bucket = $1 and merchant_id = $2 and settlement_id = any ($3::bigint[]) and reversed_at is null
     union all
     select settlement_id, invoice_id, amount_paise, receipt_id from settlement
     where bucket = $1 and merchant_id = $2 and receipt_id = any ($3::bigint[]) and reversed_at is null
   ), part as (
     select via.settlement_id, via.invoice_id, via.amount_paise, root.payment_id, root.settlement_id as root_id
     from root join settlement via on via.bucket = $1 and via.merchant_id = $2 and via.via_settlement_id = root.settlement_id
     where via.reversed_at is null
   ), used as (
     select root.settlement_id, root.payment_id, root.invoice_id,
       (root.amount_paise - coalesce((select sum(part.amount_paise) from part where part.root_id = root.settlement_id), 0))::bigint
         as paise
     from root
     union all
     select settlement_id, payment_id, invoice_id, amount_paise from part
   )
   select payment_id, invoice_number, paise
   from used join invoice on invoice.bucket = $1 and invoice.merchant_id = $2 and invoice.invoice_id = used.invoice_id
   where paise <> 0
   order by settlement_id`;

/** The payments of a period in the order of days, with the amounts that invoices have used so far. */
export async function* walkZohoPayments(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  { from, to }: Period,
): AsyncGenerator<ZohoPayment> {
  let after = START;
  for (;;) {
    const { rows }: { rows: StoredPayment[] } = await db.query<StoredPayment>(PAYMENTS_SQL, [
      bucket,
      merchantId,
      from.toString(),
      to.toString(),
      ...after,
      PAGE,
    ]);
    const ids = rows.map((row) => row.payment_id);
    const { rows: used } = await db.query<{ payment_id: bigint; invoice_number: string; paise: bigint }>(USES_SQL, [
      bucket,
      merchantId,
      ids,
    ]);
    const uses = Map.groupBy(used, (row) => row.payment_id);
    for (const row of rows) yield paymentOf(row, uses.get(row.payment_id) ?? []);
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    after = [last.entry_date.toString(), last.payment_id];
  }
}

function paymentOf(
  row: StoredPayment,
  used: readonly { readonly invoice_number: string; readonly paise: bigint }[],
): ZohoPayment {
  return {
    number: row.receipt_number ?? `PAY-${row.payment_id}`,
    date: row.entry_date,
    customerCode: row.customer_code,
    customerName: row.customer_name,
    mode: row.mode,
    reference: row.bank_ref_no || row.cheque_no,
    moneyPaise: row.money_paise,
    tdsPaise: row.tds_paise,
    uses: used.map(({ invoice_number, paise }): ZohoUse => ({ invoiceNumber: invoice_number, paise })),
  };
}
