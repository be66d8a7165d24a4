// SQL of invoice lists: filters, finding a page among any number of matches, and the contents of records. Lists never skip over
// many rows: the counts of days show on which days a page lies, and only those days are read.
import type { MerchantKey } from "../../merchants/index.ts";
import type { Queryable } from "../../platform/database/pool.ts";
import { isOverdueSql } from "../invoice-store.ts";
import {
  OPEN_STATUSES,
  statusesOf,
  type CustomField,
  type InvoiceKey,
  type InvoiceStatus,
  type ListedStatus,
} from "../invoice.ts";
import { financialYearOf, numberKey } from "../numbers/number-series.ts";
import { locatePage, type CountFilter, type FilterDate, type Page } from "./invoice-day-store.ts";

/** A filter; `null` for any. */
export type InvoiceFilter = {
  readonly filterBy: FilterDate;
  readonly from: Temporal.PlainDate | null;
  readonly to: Temporal.PlainDate | null;
  readonly status: ListedStatus | null;
  /** The day for which the status is computed. */
  readonly today: Temporal.PlainDate;
  readonly franchiseId: bigint | null;
  /** Only opening balances. */
  readonly isOpeningBalance?: boolean;
  /** Only debit notes. */
  readonly isDebitNote?: boolean;
  readonly customerId: bigint | null;
  /** A group of the customer. */
  readonly group: GroupFilter | null;
  readonly templateId: bigint | null;
  readonly amountFromPaise: bigint | null;
  readonly amountToPaise: bigint | null;
  /** The result of a search. */
  readonly found: Found | null;
};

/** A group: its customers if they are few; `null` if they are many. */
export type GroupFilter = { readonly groupId: bigint; readonly memberIds: readonly bigint[] | null };

/** The result of a search: invoices, and customers whose invoices match. */
export type Found = {
  readonly invoiceIds: readonly bigint[];
  readonly customerIds: readonly bigint[];
  /** More customers match than were read. */
  readonly isCut: boolean;
  /** Conditions without an index, for which invoices are read one by one: a part of the number, in any case, and the amount. */
  readonly part: string | null;
  readonly amountPaise: bigint | null;
};

/** The content of a list's record: docs/rules/invoicing.md#invoice-records. */
export type InvoiceRecord = {
  readonly invoice_id: bigint;
  readonly invoice_number: string;
  readonly bill_date: Temporal.PlainDate;
  readonly due_date: Temporal.PlainDate;
  readonly sent_at: Temporal.Instant | null;
  readonly customer_id: bigint;
  readonly customer_code: string;
  readonly customer_name: string;
  readonly customer_groups: readonly string[];
  readonly custom_fields: readonly CustomField[];
  readonly email: string;
  readonly mobile: string;
  readonly address: string;
  readonly city: string;
  readonly state: string;
  readonly zipcode: string;
  readonly amount_paise: bigint;
  readonly paid_paise: bigint;
  readonly credited_paise: bigint;
  readonly previous_dues_paise: bigint;
  readonly is_opening_balance: boolean;
  readonly original_invoice_id: bigint | null;
  readonly status: InvoiceStatus;
  readonly cycle_name: string;
  readonly franchise_id: bigint;
  readonly franchise_name: string | null;
};

/** The columns of a record; $1 and $2 of the statement are the merchant's key, which Citus needs beside each table. */
export const RECORD_COLUMNS = `
  invoice.invoice_id, invoice.invoice_number, invoice.bill_date, invoice.due_date, invoice.sent_at,
  invoice.customer_id, customer.customer_code, customer.customer_name, customer.custom_fields, customer.email,
  customer.mobile, customer.address, customer.city, customer.state, customer.zipcode, invoice.amount_paise,
  invoice.paid_paise, invoice.credited_paise, invoice.previous_dues_paise, invoice.is_opening_balance, invoice.original_invoice_id, invoice.status, invoice.cycle_name,
  invoice.franchise_id, franchise.franchise_name,
  array(
    select customer_group.name
    from customer_group_member member
    join customer_group using (bucket, merchant_id, group_id)
    where member.bucket = $1 and member.merchant_id = $2
      and member.customer_id = invoice.customer_id
    order by member.place
  ) as customer_groups`;

/**
 * Joins the invoice of each row of `page`, and below the rest of its record: one look-up for each row, whatever statistics the
 * planner has. The planner assumes one row for a merchant that is not in its statistics: a plain join would scan all of its
 * customers and invoices for each row of a page.
 */
export const INVOICE_OF_PAGE = `cross join lateral (
    select * from invoice
    where invoice.bucket = $1 and invoice.merchant_id = $2 and invoice.invoice_id = page.invoice_id
    limit 1
  ) as invoice`;
/** The customer and the franchise of each invoice. */
export const RECORD_JOINS = `cross join lateral (
    select * from customer
    where customer.bucket = $1 and customer.merchant_id = $2 and customer.customer_id = invoice.customer_id
    limit 1
  ) as customer
  left join lateral (
    select * from franchise
    where franchise.bucket = $1 and franchise.merchant_id = $2 and franchise.franchise_id = invoice.franchise_id
    limit 1
  ) as franchise on true`;

/** How many financial years an invoice's number is looked up in: this one and the ones before. */
const YEARS_SEARCHED = 20;

/** One page of a merchant's invoices, newest first, and the number of all matches. */
export async function listInvoices(
  db: Queryable,
  merchant: MerchantKey,
  filter: InvoiceFilter,
  page: Page,
): Promise<{ records: InvoiceRecord[]; total: bigint }> {
  const counted = countedFilter(filter);
  if (!counted) return listByScan(db, merchant, filter, page);
  const { total, range } = await locatePage(db, merchant, counted, page);
  if (!range) return { records: [], total };
  const onDays = { ...filter, from: range.from, to: range.to };
  // Skips as little as possible of a large day: from its end, if that is nearer.
  const fromEnd = range.behind < range.before;
  const left = total - BigInt(page.offset);
  const bounds = fromEnd
    ? { offset: range.behind, limit: left < BigInt(page.limit) ? left : BigInt(page.limit) }
    : { offset: range.before, limit: BigInt(page.limit) };
  const by = [
    filter.status && statusName(filter.status),
    filter.franchiseId !== null && "franchise",
    fromEnd && "from-end",
  ];
  const name = ["list-invoices", filter.filterBy, ...by.filter(Boolean)].join("-");
  return { records: await readPage(db, merchant, onDays, { ...bounds, fromEnd }, name), total };
}

/** The name of a prepared statement, for a filter by status. */
function statusName(status: ListedStatus): string {
  return status === "Overdue" || status === "Open" || status === "Paid" ? status.toLowerCase() : "status";
}

/** How many invoices a page has, and skips before: of the newest, or from the end of the oldest. */
type Bounds = { readonly offset: bigint; readonly limit: bigint; readonly fromEnd: boolean };

/** The records of a page, newest first. `name` is that of a prepared statement, for the few texts that have one. */
async function readPage(
  db: Queryable,
  merchant: MerchantKey,
  filter: InvoiceFilter,
  { offset, limit, fromEnd }: Bounds,
  name?: string,
): Promise<InvoiceRecord[]> {
  const { condition, values } = conditionOf(merchant, filter);
  const read = `order by ${orderOf(filter.filterBy, fromEnd ? "asc" : "desc")}
    limit $${values.length + 1} offset $${values.length + 2}`;
  const text = selectPage(condition, read, orderOf(filter.filterBy, "desc"));
  const { rows } = await db.query<InvoiceRecord>({ name, text, values: [...values, limit, offset] });
  return rows;
}

/** Lists by customers, or of overdue invoices: both have their own index, so that only matches are skipped. */
async function listByScan(
  db: Queryable,
  merchant: MerchantKey,
  filter: InvoiceFilter,
  page: Page,
): Promise<{ records: InvoiceRecord[]; total: bigint }> {
  const { condition, values } = conditionOf(merchant, filter);
  const overdue = allOverdue(filter);
  const total = overdue
    ? (await locatePage(db, merchant, overdue, page)).total
    : await countByScan(db, condition, values);
  const bounds = { offset: BigInt(page.offset), limit: BigInt(page.limit), fromEnd: false };
  return { records: await readPage(db, merchant, filter, bounds), total };
}

export function orderOf(by: FilterDate, direction: "asc" | "desc"): string {
  return `invoice.${by} ${direction}, invoice.invoice_id ${direction}`;
}

/**
 * The records of a page: `read` finds, orders and limits the keys of its invoices first. `day` is an additional date of each
 * record.
 */
export function selectPage(condition: string, read: string, order: string, day: FilterDate | null = null): string {
  return `select ${RECORD_COLUMNS}${day === null ? "" : `, invoice.${day} as day`}
    from (
      select invoice_id from invoice where ${condition} ${read}
    ) as page
    ${INVOICE_OF_PAGE}
    ${RECORD_JOINS}
    order by ${order}`;
}

async function countByScan(db: Queryable, condition: string, values: readonly unknown[]): Promise<bigint> {
  const text = `select count(*) as total from invoice where ${condition}`;
  const { rows } = await db.query<{ total: bigint }>(text, [...values]);
  return rows[0]!.total;
}

/** Whether the filter is on amounts, which have no index and no count. */
function hasAmounts({ amountFromPaise, amountToPaise }: InvoiceFilter): boolean {
  return amountFromPaise !== null || amountToPaise !== null;
}

/** Whether invoices must be read one by one, since no index fits the filter. Those of one customer are few. */
export function needsWalk(filter: InvoiceFilter): boolean {
  const { customerId, found } = filter;
  const isSearched = found !== null && (found.part !== null || found.amountPaise !== null);
  return customerId === null && (hasAmounts(filter) || isSearched);
}

/** Whether reading invoices in order finds a page sooner than an index: a large group has many. */
export function isWalked(filter: InvoiceFilter): boolean {
  const { customerId, group } = filter;
  return needsWalk(filter) || (customerId === null && group !== null && group.memberIds === null);
}

/** The filter in terms of the counts of days; `null` if they can't express it. */
export function countedFilter(filter: InvoiceFilter): CountFilter | null {
  const { customerId, group, templateId, found } = filter;
  if (filter.isOpeningBalance || filter.isDebitNote) return null;
  if (customerId !== null || group !== null || templateId !== null || found !== null) return null;
  if (hasAmounts(filter)) return null;
  if (filter.status !== "Overdue") return { ...filter, statuses: filter.status && statusesOf(filter.status) };
  if (filter.filterBy !== "due_date") return null;
  const yesterday = filter.today.subtract({ days: 1 });
  return {
    filterBy: "due_date",
    from: filter.from,
    to: earlier(filter.to, yesterday),
    statuses: OPEN_STATUSES,
    franchiseId: filter.franchiseId,
  };
}

/** The filter for overdue invoices in terms of counts by due date, if the list is in another order; else `null`. */
export function allOverdue(filter: InvoiceFilter): CountFilter | null {
  if (filter.status !== "Overdue" || filter.filterBy !== "bill_date" || filter.from || filter.to) return null;
  return countedFilter({ ...filter, filterBy: "due_date" });
}

/**
 * The filter as a condition on the table `invoice`, whose $1 and $2 are the merchant's key. `isWalk`: invoices are read in order,
 * and each is tested for a large group.
 */
export function conditionOf(
  { bucket, merchantId }: MerchantKey,
  filter: InvoiceFilter,
  isWalk = false,
): { readonly condition: string; readonly values: unknown[] } {
  const values: unknown[] = [bucket, merchantId];
  const add = (value: unknown): string => `$${values.push(value)}`;
  const conditions = ["bucket = $1 and merchant_id = $2"];
  const { filterBy, from, to, status, franchiseId, customerId, templateId, group, found } = filter;
  if (filter.isOpeningBalance) conditions.push("is_opening_balance");
  if (filter.isDebitNote) conditions.push("original_invoice_id is not null");
  if (from) conditions.push(`${filterBy} >= ${add(from.toString())}::date`);
  if (to) conditions.push(`${filterBy} <= ${add(to.toString())}::date`);
  if (filterBy === "sent_date" || filterBy === "paid_date") conditions.push(`${filterBy} is not null`);
  if (status === "Overdue") {
    conditions.push(isOverdueSql(`${add(filter.today.toString())}::date`));
  } else if (status === "Open" || status === "Paid") {
    // Spelled out, to match the indexes of open invoices.
    conditions.push(
      `status in (${statusesOf(status)
        .map((each) => `'${each}'`)
        .join(", ")})`,
    );
  } else if (status) conditions.push(`status = ${add(status)}`);
  if (franchiseId !== null) conditions.push(`franchise_id = ${add(franchiseId)}`);
  if (customerId !== null) conditions.push(`customer_id = ${add(customerId)}`);
  if (templateId !== null) conditions.push(`template_id = ${add(templateId)}`);
  if (group?.memberIds) conditions.push(`customer_id = any (${add(group.memberIds)}::bigint[])`);
  else if (group) {
    const members = `from customer_group_member member
      where member.bucket = $1 and member.merchant_id = $2 and member.group_id = ${add(group.groupId)}`;
    conditions.push(
      isWalk
        ? `exists (select ${members} and member.customer_id = invoice.customer_id offset 0)`
        : `customer_id in (select member.customer_id ${members})`,
    );
  }
  if (filter.amountFromPaise !== null) conditions.push(`amount_paise >= ${add(filter.amountFromPaise)}`);
  if (filter.amountToPaise !== null) conditions.push(`amount_paise <= ${add(filter.amountToPaise)}`);
  if (found) {
    // Empty results are left out: PostgreSQL estimates the matches of one condition better than of several.
    const { invoiceIds, customerIds } = found;
    const alternatives: string[] = [];
    if (invoiceIds.length > 0) alternatives.push(`invoice_id = any (${add(invoiceIds)}::bigint[])`);
    if (customerIds.length > 0) alternatives.push(`customer_id = any (${add(customerIds)}::bigint[])`);
    if (found.part !== null) alternatives.push(`strpos(number_key, ${add(numberKey(found.part))}) > 0`);
    if (found.amountPaise !== null) alternatives.push(`amount_paise = ${add(found.amountPaise)}`);
    conditions.push(alternatives.length === 0 ? "false" : `(${alternatives.join(" or ")})`);
  }
  return { condition: conditions.join(" and "), values };
}

/** The years in which numbers are looked up, the newest first: they are the first column of the number indexes. */
export function yearsSearched(today: Temporal.PlainDate): number[] {
  const lastYear = financialYearOf(today) + 1;
  return Array.from({ length: YEARS_SEARCHED }, (_, index) => lastYear - index);
}

/** The ids of the invoices with any of these whole numbers, in any case, the newest first. */
export async function findIdsByNumbers(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  numbers: readonly string[],
  today: Temporal.PlainDate,
): Promise<bigint[]> {
  const { rows } = await db.query<{ invoice_id: bigint }>({
    name: "find-invoices-by-number",
    text: `select invoice_id from invoice
      where bucket = $1 and merchant_id = $2 and financial_year = any ($3::smallint[])
        and number_key = any ($4)
      order by financial_year desc, invoice_id desc`,
    values: [bucket, merchantId, yearsSearched(today), numbers.map(numberKey)],
  });
  return rows.map((row) => row.invoice_id);
}

export function earlier(a: Temporal.PlainDate | null, b: Temporal.PlainDate): Temporal.PlainDate {
  return a !== null && Temporal.PlainDate.compare(a, b) < 0 ? a : b;
}

/** The record of an existing invoice. */
export async function readRecord(db: Queryable, { bucket, merchantId, invoiceId }: InvoiceKey): Promise<InvoiceRecord> {
  const { rows } = await db.query<InvoiceRecord>({
    name: "read-invoice-record",
    text: `select ${RECORD_COLUMNS} from invoice ${RECORD_JOINS}
      where invoice.bucket = $1 and invoice.merchant_id = $2 and invoice.invoice_id = $3`,
    values: [bucket, merchantId, invoiceId],
  });
  return rows[0]!;
}

/** The records of a merchant's invoices by their ids, with the data for their public addresses. */
export async function readRecords(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  invoiceIds: readonly bigint[],
): Promise<(InvoiceRecord & { readonly public_token: string })[]> {
  const { rows } = await db.query<InvoiceRecord & { public_token: string }>({
    name: "read-invoice-records",
    text: `select ${RECORD_COLUMNS}, invoice.public_token from invoice ${RECORD_JOINS}
      where invoice.bucket = $1 and invoice.merchant_id = $2 and invoice.invoice_id = any ($3)`,
    values: [bucket, merchantId, invoiceIds],
  });
  return rows;
}
