// SQL of the home page's invoice figures: open, billed and collected. Sums may exceed the database's bigint.
import type { MerchantKey } from "../../merchants/index.ts";
import type { Queryable } from "../../platform/database/pool.ts";
import { IS_OPEN, isOverdueSql } from "../invoice-store.ts";
import { WRITE_OFF } from "../settlement-store.ts";

export type Sum = { readonly count: bigint; readonly amountPaise: bigint };

/** The due amounts of open invoices: those due from today on, and those overdue. */
export async function sumOpenInvoices(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  today: Temporal.PlainDate,
): Promise<{ readonly due: Sum; readonly overdue: Sum }> {
  const { rows } = await db.query<{ is_overdue: boolean; count: bigint; amount_paise: string }>(
    `select ${isOverdueSql("$3::date")} as is_overdue, count(*) as count,
       sum(amount_paise - paid_paise - credited_paise)::text as amount_paise
     from invoice
     where bucket = $1 and merchant_id = $2 and ${IS_OPEN}
     group by is_overdue`,
    [bucket, merchantId, today.toString()],
  );
  const sumOf = (isOverdue: boolean): Sum => {
    const row = rows.find((each) => each.is_overdue === isOverdue);
    return { count: row?.count ?? 0n, amountPaise: BigInt(row?.amount_paise ?? 0) };
  };
  return { due: sumOf(false), overdue: sumOf(true) };
}

/** The invoices' totals of each month, by bill date: without dues carried from earlier ones. */
export async function sumBilledMonths(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  from: Temporal.PlainDate,
): Promise<Map<string, bigint>> {
  const { rows } = await db.query<{ month: string; amount_paise: string }>(
    `select to_char(bill_date, 'YYYY-MM') as month, sum(amount_paise - previous_dues_paise)::text as amount_paise
     from invoice
     where bucket = $1 and merchant_id = $2 and bill_date >= $3 and status <> 'Cancelled'
     group by month`,
    [bucket, merchantId, from.toString()],
  );
  return new Map(rows.map((row) => [row.month, BigInt(row.amount_paise)]));
}

/** The money collected on each day from the given one on, by payment date, without write-offs; days without any are left out. */
export async function sumCollectedDays(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  from: Temporal.PlainDate,
): Promise<Map<string, Sum>> {
  const { rows } = await db.query<{ paid_date: Temporal.PlainDate; count: bigint; amount_paise: string }>(
    `select paid_date, count(*) as count, sum(amount_paise)::text as amount_paise
     from settlement
     where bucket = $1 and merchant_id = $2 and paid_date >= $3 and reversed_at is null and mode <> '${WRITE_OFF}'
     group by paid_date`,
    [bucket, merchantId, from.toString()],
  );
  return new Map(
    rows.map((row) => [row.paid_date.toString(), { count: row.count, amountPaise: BigInt(row.amount_paise) }]),
  );
}

/** Whether a merchant has ever made an invoice; an opening balance is none. */
export async function hasInvoices(db: Queryable, { bucket, merchantId }: MerchantKey): Promise<boolean> {
  const { rowCount } = await db.query(
    "select from invoice where bucket = $1 and merchant_id = $2 and not is_opening_balance limit 1",
    [bucket, merchantId],
  );
  return rowCount === 1;
}
