// SQL of browsing invoices: a page after a key, in the order of an index, with any data; and the sums of all matches, from the sums
// of days and months if possible, else from the invoices. Filters without an index (amounts, parts of numbers, customers of a large
// group) read a limited number of invoices per request.
import type { MerchantKey } from "../../merchants/index.ts";
import type { Queryable } from "../../platform/database/pool.ts";
import type { InvoiceSums } from "../invoice.ts";
import {
  locatePage,
  sumDays,
  type CountFilter,
  type DayRange,
  type FilterDate,
  type TotalsRow,
} from "./invoice-day-store.ts";
import {
  allOverdue,
  conditionOf,
  countedFilter,
  earlier,
  isWalked,
  needsWalk,
  orderOf,
  selectPage,
  type InvoiceFilter,
  type InvoiceRecord,
} from "./invoice-list-store.ts";

/** The last invoice of the previous page: its date and its id. */
export type BrowseKey = { readonly day: Temporal.PlainDate; readonly invoiceId: bigint };
export type BrowseOrder = { readonly by: FilterDate; readonly descending: boolean };

export type BrowsedRecord = InvoiceRecord & { readonly day: Temporal.PlainDate };

/** A page of a list. */
export type BrowsedPage = {
  readonly records: readonly BrowsedRecord[];
  /** Where the next page begins; `null` after the last one. */
  readonly next: BrowseKey | null;
  /** How far an incomplete search came, if it found less than a page and more invoices remain. */
  readonly searchedTo: Temporal.PlainDate | null;
};

/** The sums of a list: they may exceed the database's bigint. */
export type InvoiceTotals = InvoiceSums & { readonly invoices: bigint };

/**
 * How many invoices one request reads for filters without an index: usually the first few contain a page of matches. Further ones
 * are for the next page.
 */
const WALKS = [1000, 9000] as const;
/** The most invoices that are added up one by one. */
const SUMMED_ONE_BY_ONE = 10_000;
/** The most invoices that are read for a filter without an index. */
const LONGEST_SUM = 50_000n;

/** One page of a merchant's invoices, after a key or from the beginning, in the order of an index. */
export async function browseInvoices(
  db: Queryable,
  merchant: MerchantKey,
  filter: InvoiceFilter,
  order: BrowseOrder,
  after: BrowseKey | null,
  limit: number,
): Promise<BrowsedPage> {
  const counted = order.by === filter.filterBy ? countedFilter(filter) : null;
  const days = counted && (await daysOfPage(db, merchant, counted, order, after, limit + 1));
  if (counted && !days) return { records: [], next: null, searchedTo: null };
  const records: BrowsedRecord[] = [];
  let place = after;
  for (const steps of isWalked(filter) ? WALKS : [null]) {
    const stop = steps === null ? null : await findStop(db, merchant, filter, order, place, steps);
    const between = { days, after: place, stop, limit: limit + 1 - records.length };
    records.push(...(await readBetween(db, merchant, filter, order, between)));
    if (records.length > limit) {
      const { day, invoice_id: invoiceId } = records[limit - 1]!;
      return { records: records.slice(0, limit), next: { day, invoiceId }, searchedTo: null };
    }
    if (stop === null) return { records, next: null, searchedTo: null };
    place = stop;
  }
  return { records, next: place, searchedTo: place && place.day };
}

/** The range in which a page is read: on some days, after a key, up to another. */
type Between = {
  readonly days: Pick<DayRange, "from" | "to"> | null;
  readonly after: BrowseKey | null;
  readonly stop: BrowseKey | null;
  readonly limit: number;
};

async function readBetween(
  db: Queryable,
  merchant: MerchantKey,
  filter: InvoiceFilter,
  order: BrowseOrder,
  { days, after, stop, limit }: Between,
): Promise<BrowsedRecord[]> {
  const { condition, values } = conditionOf(merchant, filter, isWalked(filter));
  const add = (value: unknown): string => `$${values.push(value)}`;
  const direction = order.descending ? "desc" : "asc";
  const conditions = [condition, ...placeConditions(order, after, add)];
  if (days)
    conditions.push(`${order.by} between ${add(days.from.toString())}::date and ${add(days.to.toString())}::date`);
  if (stop) conditions.push(`(${order.by}, invoice_id) ${order.descending ? ">=" : "<="} ${keyOf(stop, add)}`);
  const placed = orderOf(order.by, direction);
  const page = selectPage(conditions.join(" and "), `order by ${placed} limit ${add(limit)}`, placed, order.by);
  return (await db.query<BrowsedRecord>(page, values)).rows;
}

type Add = (value: unknown) => string;

function keyOf({ day, invoiceId }: BrowseKey, add: Add): string {
  return `(${add(day.toString())}::date, ${add(invoiceId)}::bigint)`;
}

/** The rows after the key, in the order. */
function placeConditions({ by, descending }: BrowseOrder, after: BrowseKey | null, add: Add): string[] {
  const conditions = by === "sent_date" || by === "paid_date" ? [`${by} is not null`] : [];
  if (after) conditions.push(`(${by}, invoice_id) ${descending ? "<" : ">"} ${keyOf(after, add)}`);
  return conditions;
}

/** The last of the next `steps` invoices; `null` if there are no more. */
async function findStop(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  { filterBy, from, to }: InvoiceFilter,
  order: BrowseOrder,
  after: BrowseKey | null,
  steps: number,
): Promise<BrowseKey | null> {
  const values: unknown[] = [bucket, merchantId];
  const add = (value: unknown): string => `$${values.push(value)}`;
  const conditions = ["bucket = $1 and merchant_id = $2", ...placeConditions(order, after, add)];
  if (order.by === filterBy && from) conditions.push(`${filterBy} >= ${add(from.toString())}::date`);
  if (order.by === filterBy && to) conditions.push(`${filterBy} <= ${add(to.toString())}::date`);
  const { rows } = await db.query<{ day: Temporal.PlainDate; invoice_id: bigint }>(
    `select ${order.by} as day, invoice_id from invoice where ${conditions.join(" and ")}
     order by ${orderOf(order.by, order.descending ? "desc" : "asc")} offset ${steps - 1} limit 1`,
    values,
  );
  const [stop] = rows;
  return stop ? { day: stop.day, invoiceId: stop.invoice_id } : null;
}

/** The days on which the page lies, so that a filter with few matches doesn't read all invoices. */
async function daysOfPage(
  db: Queryable,
  merchant: MerchantKey,
  filter: CountFilter,
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

function later(a: Temporal.PlainDate | null, b: Temporal.PlainDate): Temporal.PlainDate {
  return a !== null && Temporal.PlainDate.compare(a, b) > 0 ? a : b;
}

/**
 * The number and sums of matching invoices, without previous dues (`sumsOf`). `null` if there are too many to add up for a filter
 * without precomputed sums: a customer, a group, a search, amounts.
 */
export async function sumInvoices(
  db: Queryable,
  merchant: MerchantKey,
  filter: InvoiceFilter,
): Promise<InvoiceTotals | null> {
  if (needsWalk(filter) && (await countPassed(db, merchant, filter)) > LONGEST_SUM) return null;
  const counted = countedFilter(filter) ?? allOverdue(filter);
  const row = counted ? await sumDays(db, merchant, counted) : await sumOneByOne(db, merchant, filter);
  if (row.invoices > BigInt(SUMMED_ONE_BY_ONE) && !counted) return null;
  return {
    invoices: row.invoices,
    billedPaise: BigInt(row.billed),
    paidPaise: BigInt(row.paid),
    duePaise: BigInt(row.due),
  };
}

/** The number of invoices on the days of a filter, ignoring its other conditions. */
async function countPassed(
  db: Queryable,
  merchant: MerchantKey,
  { filterBy, from, to }: InvoiceFilter,
): Promise<bigint> {
  const all = { filterBy, from, to, statuses: null, franchiseId: null };
  return (await locatePage(db, merchant, all, { offset: 0, limit: 1 })).total;
}

async function sumOneByOne(db: Queryable, merchant: MerchantKey, filter: InvoiceFilter): Promise<TotalsRow> {
  const { condition, values } = conditionOf(merchant, filter);
  const { rows } = await db.query<TotalsRow>(
    `select
       count(*) as invoices, coalesce(sum(sums.billed_paise), 0)::text as billed,
       coalesce(sum(sums.paid_paise), 0)::text as paid, coalesce(sum(sums.due_paise), 0)::text as due
     from (select * from invoice where ${condition} limit ${SUMMED_ONE_BY_ONE + 1}) as matching
     cross join lateral invoice_sums(
       status, amount_paise, previous_dues_paise, carried_paise, matching.paid_paise, credited_paise,
       is_opening_balance) as sums`,
    values,
  );
  return rows[0]!;
}
