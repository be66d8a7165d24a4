// SQL of finding a page among any number of invoices: how many match, and on which days the page lies.
// What belongs here: reading the counts of months and days. They are written in invoice-store.ts.
import type { MerchantKey } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import type { InvoiceStatus } from "./invoice.ts";

export const FILTER_DATES = ["bill_date", "due_date", "sent_date", "paid_date"] as const;
export type FilterDate = (typeof FILTER_DATES)[number];

export type Page = { readonly offset: number; readonly limit: number };

/** What invoices are counted by. `null` stands for any. */
export type PageFilter = {
  readonly filterBy: FilterDate;
  readonly from: Temporal.PlainDate | null;
  readonly to: Temporal.PlainDate | null;
  readonly statuses: readonly InvoiceStatus[] | null;
  readonly franchiseId: bigint | null;
};

/** The days on which a page lies, and how many of the last one come before it. */
export type DayRange = { readonly from: Temporal.PlainDate; readonly to: Temporal.PlainDate; readonly skip: bigint };

const MATCHES = `bucket = $1 and merchant_id = $2 and filter_by = $3
  and ($6::text[] is null or status = any ($6)) and ($7::bigint is null or franchise_id = $7)`;

/**
 * $4 and $5 are the first and the last day, $8 and $9 offset and limit, $10 the first of the whole months of the range and
 * $11 the first month after them. The months tell in which of them the page lies, their days where exactly.
 */
const LOCATE = `
  with counted as (
    select month, invoices from invoice_month where ${MATCHES} and month >= $10::date and month < $11::date
    union all
    select date_trunc('month', day::timestamp)::date, invoices from invoice_day
    where ${MATCHES} and day >= $4::date and day <= $5::date and day < $10::date
    union all
    select date_trunc('month', day::timestamp)::date, invoices from invoice_day
    where ${MATCHES} and day >= greatest($10::date, $11::date) and day <= $5::date
  ), monthly as (
    select month, sum(invoices)::bigint as invoices from counted group by month having sum(invoices) > 0
  ), running as (
    select month, invoices, sum(invoices) over (order by month desc)::bigint - invoices as before from monthly
  ), located as (
    select
      sum(invoices)::bigint as total,
      min(month) filter (where before < $8::bigint + $9::bigint) as first_month,
      max(month) filter (where before + invoices > $8::bigint) as last_month,
      min(before) filter (where before + invoices > $8::bigint) as before
    from running
  ), daily as (
    select day, located.before, sum(invoices)::bigint as invoices
    from located
    join invoice_day on ${MATCHES} and day >= greatest($4::date, first_month)
      and day <= least($5::date, (last_month + interval '1 month - 1 day')::date)
    group by day, located.before
    having sum(invoices) > 0
  ), running_day as (
    select day, invoices, before + sum(invoices) over (order by day desc)::bigint - invoices as before from daily
  )
  select
    total,
    (select min(day) from running_day where before < $8::bigint + $9::bigint) as first_day,
    (select max(day) from running_day where before + invoices > $8::bigint) as last_day,
    (select min(before) from running_day where before + invoices > $8::bigint) as before_last_day
  from located`;

/** The whole months of a period, whose counts and sums stand in one row each: the first, and the one after the last. */
export function wholeMonths(from: PageFilter["from"], to: PageFilter["to"]): [string, string] {
  const first = from?.day === 1 ? from : from?.with({ day: 1 }).add({ months: 1 });
  return [first?.toString() ?? "-infinity", to?.add({ days: 1 }).with({ day: 1 }).toString() ?? "infinity"];
}

/** Counts what matches, and finds the days on which the page lies, from the counts alone. */
export async function locatePage(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  { filterBy, from, to, statuses, franchiseId }: PageFilter,
  { offset, limit }: Page,
): Promise<{ total: bigint; range: DayRange | null }> {
  const { rows } = await db.query<{
    total: bigint | null;
    first_day: Temporal.PlainDate | null;
    last_day: Temporal.PlainDate | null;
    before_last_day: bigint | null;
  }>({
    name: "locate-invoice-page",
    text: LOCATE,
    values: [
      bucket,
      merchantId,
      filterBy,
      from?.toString() ?? "-infinity",
      to?.toString() ?? "infinity",
      statuses,
      franchiseId,
      offset,
      limit,
      ...wholeMonths(from, to),
    ],
  });
  const { total, first_day: first, last_day: last, before_last_day: before } = rows[0]!;
  if (first === null || last === null || before === null) return { total: total ?? 0n, range: null };
  return { total: total ?? 0n, range: { from: first, to: last, skip: BigInt(offset) - before } };
}
