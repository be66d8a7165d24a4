// SQL of the totals of payouts by day: summed from the book, and stored for past days. payout-days.ts decides which days are
// summed and which are stored.
import type { MerchantKey } from "../../merchants/index.ts";
import type { Queryable } from "../../platform/database/pool.ts";

/** The totals of a merchant's payouts of a day. */
export type PayoutDay = {
  readonly day: Temporal.PlainDate;
  readonly acceptedCount: bigint;
  readonly acceptedPaise: bigint;
  /** Payouts that the bank paid that day. */
  readonly paidCount: bigint;
  readonly paidPaise: bigint;
  /** Payouts that came back that day: failed, rejected or reversed. */
  readonly returnedCount: bigint;
  readonly returnedPaise: bigint;
  /** The postings to and from the available balance, as in the statement. */
  readonly inPaise: bigint;
  readonly outPaise: bigint;
};

type PayoutDayRow = { readonly day: Temporal.PlainDate } & Readonly<
  Record<`${"accepted" | "paid" | "returned"}_${"count" | "paise"}` | "in_paise" | "out_paise", bigint>
>;

function toPayoutDay(row: PayoutDayRow): PayoutDay {
  return {
    day: row.day,
    acceptedCount: row.accepted_count,
    acceptedPaise: row.accepted_paise,
    paidCount: row.paid_count,
    paidPaise: row.paid_paise,
    returnedCount: row.returned_count,
    returnedPaise: row.returned_paise,
    inPaise: row.in_paise,
    outPaise: row.out_paise,
  };
}

/** The totals of the postings from a number on, by day in a time zone; days without postings are left out. */
export async function sumPayoutDays(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  firstPostingNo: bigint,
  timeZone: string,
): Promise<PayoutDay[]> {
  const { rows } = await db.query<PayoutDayRow>(
    `select
       (created_at at time zone $4)::date as day,
       count(*) filter (where kind = 'reserve') as accepted_count,
       coalesce(sum(amount_paise) filter (where kind = 'reserve'), 0)::bigint as accepted_paise,
       count(*) filter (where kind in ('success', 'late_success', 'late_success_unfunded')) as paid_count,
       coalesce(sum(amount_paise) filter (
         where kind in ('success', 'late_success', 'late_success_unfunded')), 0)::bigint as paid_paise,
       count(*) filter (where kind in ('failed', 'reversed')) as returned_count,
       coalesce(sum(amount_paise) filter (where kind in ('failed', 'reversed')), 0)::bigint as returned_paise,
       coalesce(sum(amount_paise) filter (where credit_kind = 'available'), 0)::bigint as in_paise,
       coalesce(sum(amount_paise) filter (where debit_kind = 'available'), 0)::bigint as out_paise
     from journal
     where bucket = $1 and merchant_id = $2 and entry_no >= $3 and kind is not null
     group by day
     order by day`,
    [bucket, merchantId, firstPostingNo, timeZone],
  );
  return rows.map(toPayoutDay);
}

/** The stored totals of the days from `since` on, in order. */
export async function listKeptDays(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  timeZone: string,
  since: Temporal.PlainDate,
): Promise<PayoutDay[]> {
  const { rows } = await db.query<PayoutDayRow>(
    `select day, accepted_count, accepted_paise, paid_count, paid_paise, returned_count, returned_paise, in_paise, out_paise
     from payout_day_sum
     where bucket = $1 and merchant_id = $2 and time_zone = $3 and day >= $4
     order by day`,
    [bucket, merchantId, timeZone, since.toString()],
  );
  return rows.map(toPayoutDay);
}

/** Stores the totals of past days. Removes those from before `since`, and of another time zone. */
export async function keepDays(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  timeZone: string,
  since: Temporal.PlainDate,
  days: readonly PayoutDay[],
): Promise<void> {
  const each = (value: (day: PayoutDay) => bigint): string[] => days.map((day) => String(value(day)));
  await db.query(
    `with unwanted as (
       delete from payout_day_sum
       where bucket = $1 and merchant_id = $2 and (time_zone <> $3 or day < $4)
     )
     insert into payout_day_sum
       (bucket, merchant_id, time_zone, day,
        accepted_count, accepted_paise, paid_count, paid_paise, returned_count, returned_paise, in_paise, out_paise)
     select $1, $2, $3, kept.*
     from unnest(
       $5::date[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[],
       $13::bigint[]) as kept
     on conflict do nothing
     returning 1`,
    [
      bucket,
      merchantId,
      timeZone,
      since.toString(),
      days.map(({ day }) => day.toString()),
      each(({ acceptedCount }) => acceptedCount),
      each(({ acceptedPaise }) => acceptedPaise),
      each(({ paidCount }) => paidCount),
      each(({ paidPaise }) => paidPaise),
      each(({ returnedCount }) => returnedCount),
      each(({ returnedPaise }) => returnedPaise),
      each(({ inPaise }) => inPaise),
      each(({ outPaise }) => outPaise),
    ],
  );
}
