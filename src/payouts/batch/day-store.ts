// SQL that counts payouts towards daily limits.
import type { Queryable } from "../../platform/database/pool.ts";
import type { DayChange } from "./batch-draft.ts";

/**
 * The statements that update the daily totals for accepted, returned and late payouts. Empty if nothing counts.
 */
export function countDays(db: Queryable, days: readonly DayChange[]): (() => Promise<unknown>)[] {
  const sums = new Map<string, DayChange>();
  for (const change of days) {
    const key = `${change.merchantId} ${change.day.toString()}`;
    sums.set(key, { ...change, paise: (sums.get(key)?.paise ?? 0n) + change.paise });
  }
  const changed = [...sums.values()];
  const counted = changed.filter(({ paise }) => paise > 0n);
  const uncounted = changed.filter(({ paise }) => paise < 0n);
  const send = (statement: { readonly name: string; readonly text: string }, some: readonly DayChange[]) => () =>
    db.query({
      ...statement,
      values: [
        some.map(({ bucket }) => bucket),
        some.map(({ merchantId }) => merchantId),
        some.map(({ day }) => day.toString()),
        some.map(({ paise }) => paise),
      ],
    });
  return [
    ...(counted.length > 0 ? [send(COUNT_DAYS, counted)] : []),
    ...(uncounted.length > 0 ? [send(UNCOUNT_DAYS, uncounted)] : []),
  ];
}

const COUNT_DAYS = {
  name: "count-payout-days",
  text: `insert into payout_day as counted (bucket, merchant_id, day, counted_paise)
    select * from unnest($1::smallint[], $2::bigint[], $3::date[], $4::bigint[])
    on conflict (bucket, merchant_id, day)
    do update set counted_paise = counted.counted_paise + excluded.counted_paise
    returning 1`,
};
/** An update: a returned amount was counted before, and a negative total can't be inserted. */
const UNCOUNT_DAYS = {
  name: "uncount-payout-days",
  text: `update payout_day
    set counted_paise = payout_day.counted_paise + change.paise
    from unnest($1::smallint[], $2::bigint[], $3::date[], $4::bigint[]) as change (bucket, merchant_id, day, paise)
    where payout_day.bucket = change.bucket and payout_day.merchant_id = change.merchant_id
      and payout_day.day = change.day`,
};
