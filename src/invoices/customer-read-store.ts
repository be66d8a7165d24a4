// SQL of customer lists, whose records are the matching customers' invoices, and the customers without any.
// What belongs here: counting and paging both as one list. Which customers match is said in customers/.
import { searchCondition, type CustomerSearch } from "../customers/index.ts";
import type { MerchantKey } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { RECORD_COLUMNS, RECORD_JOINS, type InvoiceRecord } from "./invoice-list-store.ts";
import type { Page } from "./invoice-page-store.ts";

const HAS_NO_INVOICE = `not exists (
  select from invoice
  where invoice.bucket = $1 and invoice.merchant_id = $2 and invoice.customer_id = customer.customer_id)`;

/** How many records a search has: of invoices, and of customers without any. */
export async function countCustomerRecords(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  search: CustomerSearch,
): Promise<{ invoices: number; customers: number }> {
  const { condition, keyword } = searchCondition(search);
  const { rows } = await db.query<{ invoices: bigint; customers: bigint }>(
    `with customer as materialized (select customer.customer_id from customer where ${condition})
     select
       (select count(*) from invoice join customer using (customer_id)
        where invoice.bucket = $1 and invoice.merchant_id = $2) as invoices,
       (select count(*) from customer where ${HAS_NO_INVOICE}) as customers`,
    [bucket, merchantId, keyword],
  );
  return { invoices: Number(rows[0]!.invoices), customers: Number(rows[0]!.customers) };
}

/** The invoices of the matching customers, newest first. */
export async function listCustomerInvoices(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  search: CustomerSearch,
  page: Page,
): Promise<InvoiceRecord[]> {
  const { condition, keyword } = searchCondition(search);
  const { rows } = await db.query<InvoiceRecord>(
    `select ${RECORD_COLUMNS}
     from (
       select invoice.bucket, invoice.merchant_id, invoice.invoice_id
       from invoice
       join customer using (bucket, merchant_id, customer_id)
       where ${condition}
       order by invoice.bill_date desc, invoice.invoice_id desc
       limit $4 offset $5
     ) as page
     join invoice using (bucket, merchant_id, invoice_id)
     ${RECORD_JOINS}
     order by invoice.bill_date desc, invoice.invoice_id desc`,
    [bucket, merchantId, keyword, page.limit, page.offset],
  );
  return rows;
}

/** The ids of the matching customers that have no invoice, newest first. */
export async function listCustomersWithoutInvoice(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  search: CustomerSearch,
  page: Page,
): Promise<bigint[]> {
  const { condition, keyword } = searchCondition(search);
  const { rows } = await db.query<{ customer_id: bigint }>(
    `select customer.customer_id from customer where ${condition} and ${HAS_NO_INVOICE}
     order by customer.customer_id desc limit $4 offset $5`,
    [bucket, merchantId, keyword, page.limit, page.offset],
  );
  return rows.map((row) => row.customer_id);
}
