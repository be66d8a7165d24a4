// SQL of going through a merchant's invoices: a page after a key, in either direction, by any date; search; exports.
// What belongs here: which invoices come next. What they come to is in invoice-sums-store.ts.
import { findCustomerIds, nameKey } from "../customers/index.ts";
import type { MerchantKey } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { RECORD_COLUMNS, RECORD_JOINS, type InvoiceFilter, type InvoiceRecord } from "./invoice-list-store.ts";
import { locatePage, type DayRange, type FilterDate, type PageFilter } from "./invoice-page-store.ts";
import { parseInvoiceId } from "./invoice.ts";
import { financialYearOf, numberKey } from "./number-series.ts";

/** What a search found: the invoices, and the customers whose invoices they are. */
export type Found = {
  readonly invoiceIds: readonly bigint[];
  readonly customerIds: readonly bigint[];
  /** More customers match than are looked at. */
  readonly isCut: boolean;
};

export type BrowseFilter = InvoiceFilter & { readonly templateId: bigint | null; readonly found: Found | null };
/** The last invoice of the page before: its date and its id. */
export type BrowseKey = { readonly day: Temporal.PlainDate; readonly invoiceId: bigint };
export type BrowseOrder = { readonly by: FilterDate; readonly descending: boolean };
export type BrowsedRecord = InvoiceRecord & { readonly day: Temporal.PlainDate };

/** A search looks at the invoices of so many customers. */
const CUSTOMERS_FOUND = 100;
/** An invoice's number is looked up in so many financial years, this one and the ones before. */
const YEARS_SEARCHED = 20;

/** One page of a merchant's invoices, after a key or from the beginning, in an order that an index serves. */
export async function browseInvoices(
  db: Queryable,
  merchant: MerchantKey,
  filter: BrowseFilter,
  order: BrowseOrder,
  after: BrowseKey | null,
  limit: number,
): Promise<BrowsedRecord[]> {
  const counted = order.by === filter.filterBy ? countedFilter(filter) : null;
  const days = counted && (await daysOfPage(db, merchant, counted, order, after, limit));
  if (counted && !days) return [];
  const { condition, values } = conditionOf(merchant, filter);
  const add = (value: unknown): string => `$${values.push(value)}`;
  const direction = order.descending ? "desc" : "asc";
  const conditions = [condition];
  if (order.by === "sent_date" || order.by === "paid_date") conditions.push(`${order.by} is not null`);
  if (days)
    conditions.push(`${order.by} between ${add(days.from.toString())}::date and ${add(days.to.toString())}::date`);
  if (after) {
    const key = `(${add(after.day.toString())}::date, ${add(after.invoiceId)}::bigint)`;
    conditions.push(`(${order.by}, invoice_id) ${order.descending ? "<" : ">"} ${key}`);
  }
  const { rows } = await db.query<BrowsedRecord>(
    `select ${RECORD_COLUMNS}, invoice.${order.by} as day
     from (
       select bucket, merchant_id, invoice_id from invoice where ${conditions.join(" and ")}
       order by ${order.by} ${direction}, invoice_id ${direction}
       limit ${add(limit)}
     ) as page
     join invoice using (bucket, merchant_id, invoice_id)
     ${RECORD_JOINS}
     order by invoice.${order.by} ${direction}, invoice.invoice_id ${direction}`,
    values,
  );
  return rows;
}

/** The filter as one that days are counted by; `null` where they are not. */
export function countedFilter(filter: BrowseFilter): PageFilter | null {
  const { customerId, group, templateId, found } = filter;
  if (customerId !== null || group !== null || templateId !== null || found !== null) return null;
  if (filter.status !== "Overdue") return { ...filter, statuses: filter.status && [filter.status] };
  if (filter.filterBy !== "due_date") return null;
  const yesterday = filter.today.subtract({ days: 1 });
  return {
    filterBy: "due_date",
    from: filter.from,
    to: earlier(filter.to, yesterday),
    statuses: ["Unpaid", "Partially paid"],
    franchiseId: filter.franchiseId,
  };
}

/** The days on which the page lies, so that a filter that matches few invoices does not go through all of them. */
async function daysOfPage(
  db: Queryable,
  merchant: MerchantKey,
  filter: PageFilter,
  { descending }: BrowseOrder,
  after: BrowseKey | null,
  limit: number,
): Promise<Pick<DayRange, "from" | "to"> | null> {
  // The rest of the key's own day comes besides.
  const rest = after && { from: after.day, to: after.day };
  if (descending) {
    const earlierDays = after ? { ...filter, to: earlier(filter.to, after.day.subtract({ days: 1 })) } : filter;
    const { range } = await locatePage(db, merchant, earlierDays, { offset: 0, limit });
    return range && rest ? { from: range.from, to: rest.to } : (range ?? rest);
  }
  const laterDays = after ? { ...filter, from: later(filter.from, after.day.add({ days: 1 })) } : filter;
  const { total } = await locatePage(db, merchant, laterDays, { offset: 0, limit: 1 });
  const offset = total > BigInt(limit) ? Number(total) - limit : 0;
  const { range } = await locatePage(db, merchant, laterDays, { offset, limit });
  return range && rest ? { from: rest.from, to: range.to } : (range ?? rest);
}

/** The filter as a condition on the table `invoice`, whose $1 and $2 are the merchant's key. */
export function conditionOf(
  { bucket, merchantId }: MerchantKey,
  filter: BrowseFilter,
): { readonly condition: string; readonly values: unknown[] } {
  const values: unknown[] = [bucket, merchantId];
  const add = (value: unknown): string => `$${values.push(value)}`;
  const conditions = ["bucket = $1 and merchant_id = $2"];
  const { filterBy, from, to, status, franchiseId, customerId, templateId, group, found } = filter;
  if (from) conditions.push(`${filterBy} >= ${add(from.toString())}::date`);
  if (to) conditions.push(`${filterBy} <= ${add(to.toString())}::date`);
  if (filterBy === "sent_date" || filterBy === "paid_date") conditions.push(`${filterBy} is not null`);
  if (status === "Overdue") {
    conditions.push(`status in ('Unpaid', 'Partially paid') and due_date < ${add(filter.today.toString())}::date`);
  } else if (status) conditions.push(`status = ${add(status)}`);
  if (franchiseId !== null) conditions.push(`franchise_id = ${add(franchiseId)}`);
  if (customerId !== null) conditions.push(`customer_id = ${add(customerId)}`);
  if (templateId !== null) conditions.push(`template_id = ${add(templateId)}`);
  if (group !== null) {
    conditions.push(`customer_id in (
      select member.customer_id from customer_group
      join customer_group_member member using (bucket, merchant_id, group_id)
      where customer_group.bucket = $1 and customer_group.merchant_id = $2
        and customer_group.name_key = ${add(nameKey(group))})`);
  }
  if (found) {
    const byId = `invoice_id = any (${add(found.invoiceIds)}::bigint[])`;
    conditions.push(`(${byId} or customer_id = any (${add(found.customerIds)}::bigint[]))`);
  }
  return { condition: conditions.join(" and "), values };
}

/** Finds by an invoice's id or whole number, a customer's whole code, or a part of a customer's name. */
export async function findMatches(
  db: Queryable,
  merchant: MerchantKey,
  text: string,
  today: Temporal.PlainDate,
): Promise<Found> {
  const { bucket, merchantId } = merchant;
  const lastYear = financialYearOf(today) + 1;
  const years = Array.from({ length: YEARS_SEARCHED }, (_, index) => lastYear - index);
  const byNumber = await db.query<{ invoice_id: bigint }>({
    name: "find-invoices-by-number",
    text: `select invoice_id from invoice
      where bucket = $1 and merchant_id = $2 and financial_year = any ($3::smallint[]) 
        and upper(invoice_number collate "C") = any ($4)`,
    values: [bucket, merchantId, years, [numberKey(text)]],
  });
  const customerIds = await findCustomerIds(db, merchant, text, CUSTOMERS_FOUND + 1);
  const invoiceId = parseInvoiceId(text.toUpperCase());
  return {
    invoiceIds: [...byNumber.rows.map((row) => row.invoice_id), ...(invoiceId === null ? [] : [invoiceId])],
    customerIds: customerIds.slice(0, CUSTOMERS_FOUND),
    isCut: customerIds.length > CUSTOMERS_FOUND,
  };
}

function earlier(a: Temporal.PlainDate | null, b: Temporal.PlainDate): Temporal.PlainDate {
  return a !== null && Temporal.PlainDate.compare(a, b) < 0 ? a : b;
}

function later(a: Temporal.PlainDate | null, b: Temporal.PlainDate): Temporal.PlainDate {
  return a !== null && Temporal.PlainDate.compare(a, b) > 0 ? a : b;
}
