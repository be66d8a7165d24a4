// Counts of days and months for invoices that a test writes with SQL: lists use them, and `verify` adds them up. An independent
// implementation, so that it does not share the mistakes of the original.
import { bookStatements, type BookEntry } from "../../src/books/index.ts";
import type { Queryable } from "../../src/platform/database/pool.ts";

/** Counts an invoice, as it now stands, `change` times more on each of the dates that it has. */
export async function countInvoice(db: Queryable, invoiceId: bigint, change: bigint): Promise<void> {
  for (const [table, column, unit] of [
    ["invoice_day", "day", "day"],
    ["invoice_month", "month", "month"],
  ]) {
    await db.query(
      `insert into ${table} as counted (
         bucket, merchant_id, filter_by, ${column}, status, franchise_id, invoices, billed_paise, paid_paise, due_paise)
       select
         bucket, merchant_id, dated.filter_by, date_trunc('${unit}', dated.on_day::timestamp)::date, status, franchise_id,
         $2::bigint, $2 * sums.billed_paise, $2 * sums.paid_paise, $2 * sums.due_paise
       from invoice
       cross join lateral invoice_sums(
         status, amount_paise, previous_dues_paise, carried_paise, invoice.paid_paise, credited_paise,
         is_opening_balance) as sums
       cross join lateral (
         values ('bill_date', bill_date), ('due_date', due_date), ('sent_date', sent_date), ('paid_date', paid_date)
       ) as dated (filter_by, on_day)
       where invoice_id = $1 and dated.on_day is not null
       on conflict (bucket, merchant_id, filter_by, ${column}, status, franchise_id)
       do update set
         invoices = counted.invoices + excluded.invoices, billed_paise = counted.billed_paise + excluded.billed_paise,
         paid_paise = counted.paid_paise + excluded.paid_paise, due_paise = counted.due_paise + excluded.due_paise`,
      [invoiceId, change],
    );
  }
}

/** Writes into the tax register an invoice that was written straight into the database, by a supplier without a GSTIN. */
export async function registerInvoice(db: Queryable, invoiceId: bigint): Promise<void> {
  await db.query(
    `insert into gst_document (
       bucket, merchant_id, document_id, revision, is_current, kind, is_supply, series_id, financial_year, document_number,
       document_date, party_name, party_gstin, place_of_supply, supply, supply_type, reverse_charge, value_paise,
       lines)
     select
       bucket, merchant_id, invoice_id, revision, true, content ->> 'kind', false, series_id, financial_year, invoice_number,
       bill_date, content -> 'recipient' ->> 'name', content -> 'recipient' ->> 'gstin', '', content ->> 'supply', 'regular',
       false, sub_total_paise + tax_total_paise, array[]::gst_line[]
     from invoice where invoice_id = $1`,
    [invoiceId],
  );
}

/** Posts in the merchant's books an invoice of a supplier without a GSTIN that was written straight into the database, and its payments. */
export async function postInvoice(db: Queryable, invoiceId: bigint): Promise<void> {
  const { rows } = await db.query<{
    bucket: number;
    merchant_id: bigint;
    customer_id: bigint;
    bill_date: Temporal.PlainDate;
    amount_paise: bigint;
    sub_total_paise: bigint;
    tax_total_paise: bigint;
    previous_dues_paise: bigint;
  }>("select * from invoice where invoice_id = $1", [invoiceId]);
  const invoice = rows[0]!;
  await post(db, invoice, {
    invoiceId,
    event: "revision",
    subjectId: invoiceId,
    entryDate: invoice.bill_date,
    amounts: new Map([
      ["receivable", invoice.amount_paise],
      ["revenue", -invoice.sub_total_paise],
      ["output_other", -invoice.tax_total_paise],
      ["opening_balances", -invoice.previous_dues_paise],
    ]),
  });
  for (const { settlement_id: id } of await paymentsOf(db, invoiceId)) await postPayment(db, id, "settlement");
}

/** Posts a payment, or its reversal, that was written straight into the database. */
export async function postPayment(
  db: Queryable,
  settlementId: bigint,
  event: "settlement" | "reversal",
): Promise<void> {
  const { rows } = await db.query<{
    bucket: number;
    merchant_id: bigint;
    customer_id: bigint;
    invoice_id: bigint;
    paid_date: Temporal.PlainDate;
    amount_paise: bigint;
    mode: string;
  }>(
    `select settlement.*, customer_id from settlement join invoice using (bucket, merchant_id, invoice_id)
     where settlement_id = $1`,
    [settlementId],
  );
  const payment = rows[0]!;
  const paise = event === "settlement" ? payment.amount_paise : -payment.amount_paise;
  await post(db, payment, {
    invoiceId: payment.invoice_id,
    event,
    subjectId: settlementId,
    entryDate: payment.paid_date,
    amounts: new Map([
      [payment.mode === "Cash" ? "cash" : "bank", paise],
      ["receivable", -paise],
    ]),
  });
}

async function paymentsOf(db: Queryable, invoiceId: bigint): Promise<readonly { settlement_id: bigint }[]> {
  const { rows } = await db.query<{ settlement_id: bigint }>(
    "select settlement_id from settlement where invoice_id = $1",
    [invoiceId],
  );
  return rows;
}

type Of = { readonly bucket: number; readonly merchant_id: bigint; readonly customer_id: bigint };
type Entry = Pick<BookEntry, "invoiceId" | "event" | "subjectId" | "entryDate" | "amounts">;

async function post(db: Queryable, of: Of, entry: Entry): Promise<void> {
  const key = { bucket: of.bucket, merchantId: of.merchant_id, customerId: of.customer_id };
  for (const statement of bookStatements([{ ...key, ...entry, no: 1, part: 1, dateField: null }]))
    await db.query(statement);
}
