// SQL of the counts and sums per day and month that lists of invoices use: updating them from the old to the new state of invoices,
// and reading how many match, on which days a page lies, and their sums.
import type pg from "pg";
import type { MerchantKey } from "../../merchants/index.ts";
import type { Queryable } from "../../platform/database/pool.ts";
import { sumsOf, type InvoiceHead, type InvoiceStatus } from "../invoice.ts";

export const FILTER_DATES = ["bill_date", "due_date", "sent_date", "paid_date"] as const;
export type FilterDate = (typeof FILTER_DATES)[number];

export type Page = { readonly offset: number; readonly limit: number };

/** The dimensions of the counts. `null` for any. */
export type CountFilter = {
  readonly filterBy: FilterDate;
  readonly from: Temporal.PlainDate | null;
  readonly to: Temporal.PlainDate | null;
  readonly statuses: readonly InvoiceStatus[] | null;
  readonly franchiseId: bigint | null;
};

/** The days of a page, how many invoices of the last day come before it, and of the first day after it. */
export type DayRange = {
  readonly from: Temporal.PlainDate;
  readonly to: Temporal.PlainDate;
  readonly before: bigint;
  readonly behind: bigint;
};

/** The change of a day's or a month's counts for one status and franchise. */
type Move = {
  readonly bucket: number;
  readonly merchantId: bigint;
  readonly filterBy: string;
  /** The day, or the first day of the month. */
  readonly day: string;
  readonly status: string;
  readonly franchiseId: bigint;
  invoices: bigint;
  billedPaise: bigint;
  paidPaise: bigint;
  duePaise: bigint;
};

/**
 * The statements that update the counts and sums of days and months from the old to the new state of invoices, of one merchant or
 * of several. Rows are touched in key order, so that transactions that touch the same ones can't deadlock.
 */
export function dayStatements(before: readonly InvoiceHead[], after: readonly InvoiceHead[]): pg.QueryConfig[] {
  const days = movesOf(before, after, (day) => day);
  const months = movesOf(before, after, (day) => `${day.slice(0, -2)}01`);
  return [
    ...(days.length === 0 ? [] : [{ ...COUNT_DAYS, values: columnsOf(days) }]),
    ...(months.length === 0 ? [] : [{ ...COUNT_MONTHS, values: columnsOf(months) }]),
  ];
}

const COUNT_DAYS = { name: "count-invoice-days", text: countStatement("invoice_day", "day") };
const COUNT_MONTHS = { name: "count-invoice-months", text: countStatement("invoice_month", "month") };

function countStatement(table: string, day: string): string {
  return `insert into ${table} as counted (
      bucket, merchant_id, filter_by, ${day}, status, franchise_id, invoices, billed_paise, paid_paise, due_paise)
    select * from unnest(
      $1::smallint[], $2::bigint[], $3::text[], $4::date[], $5::text[], $6::bigint[], $7::bigint[], $8::bigint[],
      $9::bigint[], $10::bigint[])
    on conflict (bucket, merchant_id, filter_by, ${day}, status, franchise_id)
    do update set
      invoices = counted.invoices + excluded.invoices, billed_paise = counted.billed_paise + excluded.billed_paise,
      paid_paise = counted.paid_paise + excluded.paid_paise, due_paise = counted.due_paise + excluded.due_paise
    returning 1`;
}

function columnsOf(moves: readonly Move[]): unknown[][] {
  const column = (read: (move: Move) => unknown): unknown[] => moves.map(read);
  return [
    column((move) => move.bucket),
    column((move) => move.merchantId),
    column((move) => move.filterBy),
    column((move) => move.day),
    column((move) => move.status),
    column((move) => move.franchiseId),
    column((move) => move.invoices),
    column((move) => move.billedPaise),
    column((move) => move.paidPaise),
    column((move) => move.duePaise),
  ];
}

/** One move for each row that changes, in key order. */
function movesOf(
  before: readonly InvoiceHead[],
  after: readonly InvoiceHead[],
  placeOf: (day: string) => string,
): readonly Move[] {
  const moves = new Map<string, Move>();
  for (const invoice of before) addMoves(moves, invoice, -1n, placeOf);
  for (const invoice of after) addMoves(moves, invoice, 1n, placeOf);
  return [...moves]
    .filter(([, { invoices, billedPaise, paidPaise, duePaise }]) => invoices || billedPaise || paidPaise || duePaise)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, move]) => move);
}

/** Adds one invoice's change, with its sign, to the moves by their rows' keys. */
function addMoves(
  moves: Map<string, Move>,
  invoice: InvoiceHead,
  sign: bigint,
  placeOf: (day: string) => string,
): void {
  const { bucket, merchantId, status, franchiseId } = invoice;
  const sums = sumsOf(invoice);
  for (const [filterBy, date] of daysOf(invoice)) {
    if (date === null) continue;
    const day = placeOf(date);
    const key = `${bucket} ${merchantId} ${filterBy} ${day} ${status} ${franchiseId}`;
    const row = { bucket, merchantId, filterBy, day, status, franchiseId };
    const move = moves.get(key) ?? { ...row, invoices: 0n, billedPaise: 0n, paidPaise: 0n, duePaise: 0n };
    moves.set(key, move);
    move.invoices += sign;
    move.billedPaise += sign * sums.billedPaise;
    move.paidPaise += sign * sums.paidPaise;
    move.duePaise += sign * sums.duePaise;
  }
}

function daysOf(invoice: InvoiceHead): [string, string | null][] {
  return [
    ["bill_date", invoice.billDate.toString()],
    ["due_date", invoice.dueDate.toString()],
    ["sent_date", invoice.sentDate?.toString() ?? null],
    ["paid_date", invoice.paidDate?.toString() ?? null],
  ];
}

const MATCHES = `bucket = $1 and merchant_id = $2 and filter_by = $3
  and ($6::text[] is null or status = any ($6)) and ($7::bigint is null or franchise_id = $7)`;

/**
 * $4 and $5 are the first and the last day, $8 and $9 offset and limit, $10 the first of the whole months of the range and
 * $11 the first month after them. The months tell in which of them the page lies, their days where exactly: the month's last day is
 * computed before, since behind row-level security no index is asked for what a cast to a date makes, which may fail.
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
      (max(month) filter (where before + invoices > $8::bigint) + interval '1 month - 1 day')::date as last_day,
      min(before) filter (where before + invoices > $8::bigint) as before
    from running
  ), daily as (
    select day, located.before, sum(invoices)::bigint as invoices
    from located
    join invoice_day on ${MATCHES} and day >= greatest($4::date, first_month) and day <= least($5::date, last_day)
    group by day, located.before
    having sum(invoices) > 0
  ), running_day as (
    select day, invoices, before + sum(invoices) over (order by day desc)::bigint - invoices as before from daily
  )
  select
    total,
    (select min(day) from running_day where before < $8::bigint + $9::bigint) as first_day,
    (select max(day) from running_day where before + invoices > $8::bigint) as last_day,
    (select min(before) from running_day where before + invoices > $8::bigint) as before_last_day,
    (select max(before + invoices) from running_day where before < $8::bigint + $9::bigint) as through_first_day
  from located`;

/** $1 to $7 of what reads the counts. */
function countedValues(
  { bucket, merchantId }: MerchantKey,
  { filterBy, from, to, statuses, franchiseId }: CountFilter,
): unknown[] {
  const [first, last] = [from?.toString() ?? "-infinity", to?.toString() ?? "infinity"];
  return [bucket, merchantId, filterBy, first, last, statuses, franchiseId];
}

/** The whole months of a period, whose counts and sums are in one row each: the first, and the one after the last. */
function wholeMonths(from: CountFilter["from"], to: CountFilter["to"]): [string, string] {
  const first = from?.day === 1 ? from : from?.with({ day: 1 }).add({ months: 1 });
  return [first?.toString() ?? "-infinity", to?.add({ days: 1 }).with({ day: 1 }).toString() ?? "infinity"];
}

/** Counts the matches, and finds the days on which the page lies, from the counts alone. */
export async function locatePage(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  filter: CountFilter,
  { offset, limit }: Page,
): Promise<{ total: bigint; range: DayRange | null }> {
  const { rows } = await db.query<{
    total: bigint | null;
    first_day: Temporal.PlainDate | null;
    last_day: Temporal.PlainDate | null;
    before_last_day: bigint | null;
    through_first_day: bigint | null;
  }>({
    name: "locate-invoice-page",
    text: LOCATE,
    values: [...countedValues({ bucket, merchantId }, filter), offset, limit, ...wholeMonths(filter.from, filter.to)],
  });
  const { first_day: from, last_day: to, before_last_day: before, through_first_day: through, ...counted } = rows[0]!;
  const total = counted.total ?? 0n;
  if (from === null || to === null || before === null || through === null) return { total, range: null };
  const end = BigInt(offset) + BigInt(limit);
  return { total, range: { from, to, before: BigInt(offset) - before, behind: through - (end < total ? end : total) } };
}

export type TotalsRow = { invoices: bigint; billed: string; paid: string; due: string };

/** The number and sums of invoices. */
export async function sumDays(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  filter: CountFilter,
): Promise<TotalsRow> {
  const { rows } = await db.query<TotalsRow>({
    name: "sum-invoice-days",
    text: `select
        coalesce(sum(invoices), 0)::bigint as invoices, coalesce(sum(billed_paise), 0)::text as billed,
        coalesce(sum(paid_paise), 0)::text as paid, coalesce(sum(due_paise), 0)::text as due
      from (
        select invoices, billed_paise, paid_paise, due_paise from invoice_month
        where ${MATCHES} and month >= $8::date and month < $9::date
        union all
        select invoices, billed_paise, paid_paise, due_paise from invoice_day
        where ${MATCHES} and day >= $4::date and day <= $5::date and day < $8::date
        union all
        select invoices, billed_paise, paid_paise, due_paise from invoice_day
        where ${MATCHES} and day >= greatest($8::date, $9::date) and day <= $5::date
      ) as counted`,
    values: [...countedValues({ bucket, merchantId }, filter), ...wholeMonths(filter.from, filter.to)],
  });
  return rows[0]!;
}
