// SQL of what is due: which merchants have subscriptions to bill, which subscriptions those are, and how many wait.
// What belongs here: finding and holding. SQL finds what may be due; whose day it is, `todayOf` decides.
import { todayOf, type MerchantKey } from "../merchants/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import type { Row } from "../platform/database/table.ts";
import type { QueueState } from "../platform/jobs/worker.ts";
import { isDue, type Subscription } from "./subscription.ts";
import { SUBSCRIPTIONS } from "./subscription-store.ts";

/** Nowhere is it later: a date that has not come here has come nowhere. */
const EARLIEST_ZONE = "Pacific/Kiritimati";

type ClockRow = { time_zone: string; live: boolean; clock_date: Temporal.PlainDate | null };
type DueRow = { next_bill_date: Temporal.PlainDate };

/** The date of the first place on Earth. */
function latestDate(now: Temporal.Instant): string {
  return now.toZonedDateTimeISO(EARLIEST_ZONE).toPlainDate().toString();
}

/** Whether what SQL found by the latest date is due by the merchant's own. */
function isDueThere(row: ClockRow & DueRow): boolean {
  const today = todayOf({ timeZone: row.time_zone, live: row.live, clockDate: row.clock_date });
  return Temporal.PlainDate.compare(row.next_bill_date, today) <= 0;
}

/** The active merchants that have subscriptions to bill now, those that wait for the longest first. */
export async function findDueMerchants(db: Queryable, now: Temporal.Instant): Promise<MerchantKey[]> {
  const { rows } = await db.query<MerchantKeyRow & ClockRow & DueRow>({
    name: "find-due-merchants",
    text: `with candidate as (
        select bucket, merchant_id, min(next_bill_date) as next_bill_date
        from subscription
        where state = 'Active' and next_bill_date <= $1 and (retry_at is null or retry_at <= $2)
        group by bucket, merchant_id
        union all
        select moved.bucket, moved.merchant_id, due.next_bill_date
        from merchant moved
        cross join lateral (
          select next_bill_date from subscription
          where bucket = moved.bucket and merchant_id = moved.merchant_id and state = 'Active'
            and next_bill_date > $1 and next_bill_date <= moved.clock_date
            and (retry_at is null or retry_at <= $2)
          order by next_bill_date limit 1
        ) as due
        where moved.clock_date is not null and not moved.live
      )
      select bucket, merchant_id, min(next_bill_date) as next_bill_date, time_zone, live, clock_date
      from candidate
      join merchant using (bucket, merchant_id)
      where status = 'active'
      group by bucket, merchant_id, time_zone, live, clock_date
      order by 3, merchant_id`,
    values: [latestDate(now), now.toString()],
  });
  return rows.filter(isDueThere).map((row) => ({ bucket: row.bucket, merchantId: row.merchant_id }));
}

type MerchantKeyRow = { bucket: number; merchant_id: bigint };

/** Which of a merchant's subscriptions to look for. */
export type DueFilter = {
  readonly today: Temporal.PlainDate;
  readonly now: Temporal.Instant;
  /** One subscription, or all where it is `null`. */
  readonly subscriptionId: bigint | null;
  /** Whether those that are parked are tried before their time. */
  readonly retryParked: boolean;
  /** Those that were tried already. */
  readonly except: readonly bigint[];
};

/** A merchant's subscriptions that are due, oldest bill date first. */
export async function findDue(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  { today, now, subscriptionId, retryParked, except }: DueFilter,
  limit: number,
): Promise<Pick<Subscription, "subscriptionId" | "templateId">[]> {
  const { rows } = await db.query<{ subscription_id: bigint; template_id: bigint | null }>({
    name: "find-due-subscriptions",
    text: `select subscription_id, template_id from subscription
      where bucket = $1 and merchant_id = $2 and state = 'Active' and next_bill_date <= $3
        and ($4::bigint is null or subscription_id = $4)
        and ($5 or retry_at is null or retry_at <= $6) and subscription_id <> all ($7::bigint[])
      order by next_bill_date, subscription_id limit $8`,
    values: [bucket, merchantId, today.toString(), subscriptionId, retryParked, now.toString(), except, limit],
  });
  return rows.map((row) => ({ subscriptionId: row.subscription_id, templateId: row.template_id }));
}

/**
 * Holds those of these subscriptions that are still due, in the order of their ids, so that two processes never wait
 * for each other in a circle. Returns them oldest bill date first.
 */
export async function lockDue(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  subscriptionIds: readonly bigint[],
  today: Temporal.PlainDate,
): Promise<Subscription[]> {
  const { rows } = await connection.query<Row>({
    name: "lock-due-subscriptions",
    text: `select * from subscription
      where bucket = $1 and merchant_id = $2 and subscription_id = any($3)
      order by subscription_id for update`,
    values: [bucket, merchantId, subscriptionIds],
  });
  return rows
    .map((row) => SUBSCRIPTIONS.read(row))
    .filter((subscription) => isDue(subscription, today))
    .sort((a, b) => Temporal.PlainDate.compare(a.nextBillDate!, b.nextBillDate!));
}

/** How many subscriptions are due, how many are parked instead, and since when the oldest of the former is. */
export async function countSubscriptionQueue(db: Queryable): Promise<QueueState> {
  const now = Temporal.Now.instant();
  const { rows } = await db.query<ClockRow & DueRow & { due: bigint; parked: bigint }>(
    `with candidate as (
       select bucket, merchant_id, next_bill_date, parked_code from subscription
       where state = 'Active' and next_bill_date <= $1
       union all
       select due.bucket, due.merchant_id, due.next_bill_date, due.parked_code
       from merchant moved
       join subscription due using (bucket, merchant_id)
       where moved.clock_date is not null and not moved.live
         and due.state = 'Active' and due.next_bill_date > $1 and due.next_bill_date <= moved.clock_date
     )
     select time_zone, live, clock_date, next_bill_date, count(*) as due, count(parked_code) as parked
     from candidate
     join merchant using (bucket, merchant_id)
     group by time_zone, live, clock_date, next_bill_date`,
    [latestDate(now)],
  );
  const found = rows.filter(isDueThere);
  const parked = found.reduce((sum, row) => sum + row.parked, 0n);
  const waiting = found.reduce((sum, row) => sum + row.due, 0n) - parked;
  const dueAt = found
    .filter((row) => row.due > row.parked)
    .map((row) => row.next_bill_date.toZonedDateTime(row.time_zone).toInstant());
  const oldest = dueAt.toSorted((a, b) => Temporal.Instant.compare(a, b))[0] ?? null;
  return {
    name: "subscriptions",
    waiting,
    // What was tried without success is parked.
    retrying: 0n,
    failed: parked,
    // By a clock that was moved ahead, something may be due that is not due yet.
    oldestDueAt: oldest !== null && Temporal.Instant.compare(oldest, now) > 0 ? now : oldest,
  };
}
