// SQL of a merchant's customers: lists whose records are the matching customers' invoices, newest first, and then the customers
// without any; and one customer's account. customers/ decides which customers match.
import {
  findCustomers,
  readGroupNames,
  searchCondition,
  type Customer,
  type CustomerSearch,
} from "../../customers/index.ts";
import type { MerchantKey } from "../../merchants/index.ts";
import type { Queryable } from "../../platform/database/pool.ts";
import { IS_OPEN, isOverdueSql } from "../invoice-store.ts";
import type { Page } from "./invoice-day-store.ts";
import { INVOICE_OF_PAGE, RECORD_COLUMNS, RECORD_JOINS, type InvoiceRecord } from "./invoice-list-store.ts";

/** A customer without invoices, with the names of its groups. */
export type CustomerRecord = { readonly customer: Customer; readonly groups: readonly string[] };

export type CustomerRecords = {
  readonly invoices: readonly InvoiceRecord[];
  /** They follow the invoices. */
  readonly customerRecords: readonly CustomerRecord[];
  /** In the whole list, not the page. */
  readonly total: number;
};

export type ListCustomerRecords = Page & { readonly search: CustomerSearch };

/** One page of the records of the customers that match. */
export async function listCustomerRecords(
  db: Queryable,
  merchant: MerchantKey,
  { search, offset, limit }: ListCustomerRecords,
): Promise<CustomerRecords> {
  const counted = await countCustomerRecords(db, merchant, search);
  const hasInvoices = offset < counted.invoices;
  const invoices = hasInvoices ? await listCustomerInvoices(db, merchant, search, { offset, limit }) : [];
  const bare = { offset: Math.max(0, offset - counted.invoices), limit: limit - invoices.length };
  const hasBare = bare.limit > 0 && bare.offset < counted.customers;
  const bareIds = hasBare ? await listCustomersWithoutInvoice(db, merchant, search, bare) : [];
  return {
    invoices,
    customerRecords: await describeBare(db, merchant, bareIds),
    total: counted.invoices + counted.customers,
  };
}

async function describeBare(
  db: Queryable,
  merchant: MerchantKey,
  customerIds: readonly bigint[],
): Promise<CustomerRecord[]> {
  if (customerIds.length === 0) return [];
  const customers = await findCustomers(db, merchant, customerIds);
  const groups = await readGroupNames(db, merchant, customerIds);
  return customerIds.flatMap((customerId) => {
    const customer = customers.get(customerId);
    return customer ? [{ customer, groups: groups.get(customerId) ?? [] }] : [];
  });
}

const HAS_NO_INVOICE = `not exists (
  select from invoice
  where invoice.bucket = $1 and invoice.merchant_id = $2 and invoice.customer_id = customer.customer_id)`;

/** The number of records in a search: of invoices, and of customers without any. */
async function countCustomerRecords(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  search: CustomerSearch,
): Promise<{ invoices: number; customers: number }> {
  const { condition, keyword } = await searchCondition(db, search);
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
async function listCustomerInvoices(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  search: CustomerSearch,
  page: Page,
): Promise<InvoiceRecord[]> {
  const { condition, keyword } = await searchCondition(db, search);
  const { rows } = await db.query<InvoiceRecord>(
    `select ${RECORD_COLUMNS}
     from (
       select invoice.invoice_id
       from invoice
       join customer using (bucket, merchant_id, customer_id)
       where invoice.bucket = $1 and invoice.merchant_id = $2 and ${condition}
       order by invoice.bill_date desc, invoice.invoice_id desc
       limit $4 offset $5
     ) as page
     ${INVOICE_OF_PAGE}
     ${RECORD_JOINS}
     order by invoice.bill_date desc, invoice.invoice_id desc`,
    [bucket, merchantId, keyword, page.limit, page.offset],
  );
  return rows;
}

/** The ids of the matching customers that have no invoice, newest first. */
async function listCustomersWithoutInvoice(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  search: CustomerSearch,
  page: Page,
): Promise<bigint[]> {
  const { condition, keyword } = await searchCondition(db, search);
  const { rows } = await db.query<{ customer_id: bigint }>(
    `select customer.customer_id from customer where ${condition} and ${HAS_NO_INVOICE}
     order by customer.customer_id desc limit $4 offset $5`,
    [bucket, merchantId, keyword, page.limit, page.offset],
  );
  return rows.map((row) => row.customer_id);
}

/** A customer's billed and due amounts, in paise. `franchiseId` leaves out the invoices of others. */
export type CustomerAccount = {
  readonly invoices: bigint;
  readonly billedPaise: bigint;
  readonly duePaise: bigint;
  readonly overduePaise: bigint;
  /** One that is not cancelled. */
  readonly hasOpeningBalance: boolean;
};

type Owner = MerchantKey & { readonly customerId: bigint; readonly franchiseId: bigint | null };

/** Adds up a customer's invoices. Cancelled ones are left out, and so are previous dues in the billed amount. */
export async function readCustomerAccount(
  db: Queryable,
  { bucket, merchantId, customerId, franchiseId }: Owner,
  today: Temporal.PlainDate,
): Promise<CustomerAccount> {
  const { rows } = await db.query<{
    invoices: bigint;
    billed: string;
    due: string;
    overdue: string;
    has_opening_balance: boolean;
  }>({
    name: "read-customer-account",
    text: `with own as (
        select
          status, is_opening_balance, due_date, amount_paise - previous_dues_paise as billed,
          case when ${IS_OPEN}
            then amount_paise - paid_paise - credited_paise else 0 end as due
        from invoice
        where bucket = $1 and merchant_id = $2 and customer_id = $3 and ($4::bigint is null or franchise_id = $4)
      )
      select
        count(*) filter (where not is_opening_balance) as invoices,
        coalesce(sum(billed) filter (where status <> 'Cancelled'), 0)::text as billed,
        coalesce(sum(due), 0)::text as due,
        coalesce(sum(due) filter (where ${isOverdueSql("$5::date")}), 0)::text as overdue,
        coalesce(bool_or(is_opening_balance and status <> 'Cancelled'), false) as has_opening_balance
      from own`,
    values: [bucket, merchantId, customerId, franchiseId, today.toString()],
  });
  const [found] = rows;
  const { invoices, billed, due, overdue } = found!;
  const sums = { billedPaise: BigInt(billed), duePaise: BigInt(due), overduePaise: BigInt(overdue) };
  return { invoices, ...sums, hasOpeningBalance: found!.has_opening_balance };
}

export type CustomerPayment = {
  readonly settlementId: bigint;
  readonly invoiceId: bigint;
  readonly invoiceNumber: string;
  readonly paidDate: Temporal.PlainDate;
  readonly mode: string;
  readonly amountPaise: bigint;
  readonly isReversed: boolean;
};

/** The last payments of a customer's invoices, latest first. A payment's amount includes what it passes on to earlier dues. */
export async function listCustomerPayments(
  db: Queryable,
  { bucket, merchantId, customerId, franchiseId }: Owner,
  limit: number,
): Promise<CustomerPayment[]> {
  const { rows } = await db.query<{
    settlement_id: bigint;
    invoice_id: bigint;
    invoice_number: string;
    paid_date: Temporal.PlainDate;
    mode: string;
    amount_paise: bigint;
    is_reversed: boolean;
  }>({
    name: "list-customer-payments",
    text: `select
        settlement_id, invoice_id, invoice_number, settlement.paid_date, mode, settlement.amount_paise,
        reversed_at is not null as is_reversed
      from invoice
      join settlement using (bucket, merchant_id, invoice_id)
      where bucket = $1 and merchant_id = $2 and customer_id = $3 and ($4::bigint is null or franchise_id = $4)
        and via_settlement_id is null
      order by settlement_id desc
      limit $5`,
    values: [bucket, merchantId, customerId, franchiseId, limit],
  });
  return rows.map((row) => ({
    settlementId: row.settlement_id,
    invoiceId: row.invoice_id,
    invoiceNumber: row.invoice_number,
    paidDate: row.paid_date,
    mode: row.mode,
    amountPaise: row.amount_paise,
    isReversed: row.is_reversed,
  }));
}
