// SQL of invoice lists: finding a page among any number of invoices, and counting them.
// What belongs here: reads of many invoices with what their records show. Lists never skip over rows: the day counts say
// on which days a page lies, and only those days are read.
import { nameKey } from "../customers/index.ts";
import type { MerchantKey } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import type { CustomField, InvoiceKey, InvoiceStatus } from "./invoice.ts";
import { locatePage, type FilterDate, type Page, type PageFilter } from "./invoice-page-store.ts";

export type InvoiceFilter = {
  readonly filterBy: FilterDate;
  readonly from: Temporal.PlainDate | null;
  readonly to: Temporal.PlainDate | null;
  /** `Overdue` is derived: open, and due before `today`. */
  readonly status: InvoiceStatus | "Overdue" | null;
  readonly today: Temporal.PlainDate;
  /** `null` stands for any. */
  readonly franchiseId: bigint | null;
  readonly customerId: bigint | null;
  /** The name of a group that the customer is in; `null` stands for any. */
  readonly group: string | null;
};

/** What a list's record shows. Source: merchant-api.md 2.7. */
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
  readonly status: InvoiceStatus;
  readonly cycle_name: string;
  readonly franchise_id: bigint;
  readonly franchise_name: string | null;
};

export const RECORD_COLUMNS = `
  invoice.invoice_id, invoice.invoice_number, invoice.bill_date, invoice.due_date, invoice.sent_at,
  invoice.customer_id, customer.customer_code, customer.customer_name, customer.custom_fields, customer.email,
  customer.mobile, customer.address, customer.city, customer.state, customer.zipcode, invoice.amount_paise,
  invoice.paid_paise, invoice.credited_paise, invoice.previous_dues_paise, invoice.status, invoice.cycle_name,
  invoice.franchise_id, franchise.franchise_name,
  array(
    select customer_group.name
    from customer_group_member member
    join customer_group using (bucket, merchant_id, group_id)
    where member.bucket = invoice.bucket and member.merchant_id = invoice.merchant_id
      and member.customer_id = invoice.customer_id
    order by member.place
  ) as customer_groups`;

export const RECORD_JOINS = `
  join customer using (bucket, merchant_id, customer_id)
  left join franchise on franchise.bucket = invoice.bucket and franchise.merchant_id = invoice.merchant_id
    and franchise.franchise_id = invoice.franchise_id`;

/** One page of a merchant's invoices, newest first, and how many match in all. */
export async function listInvoices(
  db: Queryable,
  merchant: MerchantKey,
  filter: InvoiceFilter,
  page: Page,
): Promise<{ records: InvoiceRecord[]; total: bigint }> {
  const isOverdue = filter.status === "Overdue";
  if (filter.customerId !== null || filter.group !== null || (isOverdue && filter.filterBy !== "due_date"))
    return listByScan(db, merchant, filter, page);
  const counted = isOverdue ? openAndDue(filter) : { ...filter, statuses: filter.status && [filter.status] };
  const { total, range } = await locatePage(db, merchant, counted, page);
  if (!range) return { records: [], total };
  const { rows } = await db.query<InvoiceRecord>({
    name: `list-invoices-${filter.filterBy}`,
    text: `select ${RECORD_COLUMNS}
      from (
        select * from invoice
        where bucket = $1 and merchant_id = $2 and ${filter.filterBy} between $3 and $4
          and ($5::text[] is null or status = any ($5)) and ($6::bigint is null or franchise_id = $6)
        order by ${filter.filterBy} desc, invoice_id desc
        limit $7 offset $8
      ) as invoice
      ${RECORD_JOINS}
      order by invoice.${filter.filterBy} desc, invoice.invoice_id desc`,
    values: [
      merchant.bucket,
      merchant.merchantId,
      range.from.toString(),
      range.to.toString(),
      counted.statuses,
      filter.franchiseId,
      page.limit,
      range.skip,
    ],
  });
  return { records: rows, total };
}

/** What is overdue, as due dates and statuses: it can be counted by them, if by nothing else. */
function openAndDue(filter: InvoiceFilter): PageFilter {
  const yesterday = filter.today.subtract({ days: 1 });
  const isEarlier = filter.to !== null && Temporal.PlainDate.compare(filter.to, yesterday) < 0;
  return {
    filterBy: "due_date",
    from: filter.from,
    to: isEarlier ? filter.to : yesterday,
    statuses: ["Unpaid", "Partially paid"],
    franchiseId: filter.franchiseId,
  };
}

/**
 * Lists by customers, or by being overdue: both are found by an index of their own, so that what is passed over is at
 * most what matches them.
 */
async function listByScan(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  filter: InvoiceFilter,
  page: Page,
): Promise<{ records: InvoiceRecord[]; total: bigint }> {
  const condition = `bucket = $1 and merchant_id = $2
    and ($3::date is null or ${filter.filterBy} >= $3) and ($4::date is null or ${filter.filterBy} <= $4)
    and ($5::bigint is null or franchise_id = $5)
    ${filter.filterBy === "bill_date" || filter.filterBy === "due_date" ? "" : `and ${filter.filterBy} is not null`}
    and ($6::bigint is null or customer_id = $6)
    ${
      filter.group === null
        ? "and $8::text is null"
        : `and customer_id in (
            select member.customer_id from customer_group
            join customer_group_member member using (bucket, merchant_id, group_id)
            where customer_group.bucket = $1 and customer_group.merchant_id = $2 and customer_group.name_key = $8)`
    }
    ${
      filter.status === "Overdue"
        ? "and status in ('Unpaid', 'Partially paid') and due_date < $7::date"
        : "and ($7::text is null or status = $7::text)"
    }`;
  const values = [
    bucket,
    merchantId,
    filter.from?.toString() ?? null,
    filter.to?.toString() ?? null,
    filter.franchiseId,
    filter.customerId,
    filter.status === "Overdue" ? filter.today.toString() : filter.status,
    filter.group === null ? null : nameKey(filter.group),
  ];
  const total = isAllOverdue(filter)
    ? (await locatePage(db, { bucket, merchantId }, openAndDue(filter), page)).total
    : await countByScan(db, condition, values);
  const { rows } = await db.query<InvoiceRecord>(
    `select ${RECORD_COLUMNS}
     from (
       select bucket, merchant_id, invoice_id from invoice where ${condition}
       order by ${filter.filterBy} desc, invoice_id desc
       limit $9 offset $10
     ) as page
     join invoice using (bucket, merchant_id, invoice_id)
     ${RECORD_JOINS}
     order by invoice.${filter.filterBy} desc, invoice.invoice_id desc`,
    [...values, page.limit, page.offset],
  );
  return { records: rows, total };
}

/** Whether a list is of all that is overdue, perhaps of one franchise: that can be counted without going through it. */
function isAllOverdue({ status, filterBy, from, to, customerId, group }: InvoiceFilter): boolean {
  const isNarrowed = from !== null || to !== null || customerId !== null || group !== null;
  return status === "Overdue" && filterBy === "bill_date" && !isNarrowed;
}

async function countByScan(db: Queryable, condition: string, values: readonly unknown[]): Promise<bigint> {
  const text = `select count(*) as total from invoice where ${condition}`;
  const { rows } = await db.query<{ total: bigint }>(text, [...values]);
  return rows[0]!.total;
}

/** The record of one invoice, which exists. */
export async function readRecord(db: Queryable, { bucket, merchantId, invoiceId }: InvoiceKey): Promise<InvoiceRecord> {
  const { rows } = await db.query<InvoiceRecord>({
    name: "read-invoice-record",
    text: `select ${RECORD_COLUMNS} from invoice ${RECORD_JOINS}
      where invoice.bucket = $1 and invoice.merchant_id = $2 and invoice.invoice_id = $3`,
    values: [bucket, merchantId, invoiceId],
  });
  return rows[0]!;
}

/** The records of a merchant's invoices by their ids, with what their public addresses are made of. */
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
