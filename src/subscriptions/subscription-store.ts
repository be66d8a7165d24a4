// All SQL of subscriptions and their occurrences: writing them, finding one or many of a merchant, and finding and locking due
// ones. SQL finds those that may be due; `todayOf` decides by the merchant's day. subscription-browse-store.ts has their list.
import { todayOf, type MerchantKey } from "../merchants/index.ts";
import { findOnNodes } from "../platform/database/citus/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import { table, type Row } from "../platform/database/table.ts";
import type { QueueState } from "../platform/jobs/worker.ts";
import { isDue, type Occurrence, type Subscription, type SubscriptionState } from "./subscription.ts";

type SubscriptionKey = Pick<Subscription, "bucket" | "merchantId" | "subscriptionId">;

export const SUBSCRIPTIONS = table<Subscription, SubscriptionKey>(
  "subscription",
  ["bucket", "merchantId", "subscriptionId"],
  {
    bucket: "smallint",
    merchantId: "bigint",
    subscriptionId: "bigint",
    customerId: "bigint",
    templateId: "bigint",
    franchiseId: "bigint",
    mode: "text",
    repeatEvery: "integer",
    startDate: "date",
    dueDays: "integer",
    endMode: "text",
    occurrences: "integer",
    endDate: "date",
    carryDues: "boolean",
    invoice: "jsonb",
    state: "text",
    nextOccurrence: "integer",
    nextBillDate: "date",
    pausedDate: "date",
    parking: {
      code: "parked_code text",
      reason: "parked_reason text",
      since: "parked_since timestamptz",
      attempts: "parked_attempts integer",
      retryAt: "timestamptz",
    },
    createdAt: "timestamptz",
    updatedAt: "timestamptz",
  },
);
/** The progress of a subscription, apart from its terms. */
const STATE_COLUMNS = SUBSCRIPTIONS.without(
  ...(["customerId", "templateId", "franchiseId", "mode", "repeatEvery", "startDate", "dueDays", "endMode"] as const),
  ...(["occurrences", "endDate", "carryDues", "invoice", "createdAt"] as const),
);

/** Inserts a new subscription. */
export async function insertSubscription(connection: Connection, subscription: Subscription): Promise<void> {
  await SUBSCRIPTIONS.insertAll(connection, [subscription]);
}

/** Saves the progress of subscriptions. The caller has locked their rows. */
export async function updateSubscriptions(
  connection: Connection,
  subscriptions: readonly Subscription[],
): Promise<void> {
  await STATE_COLUMNS.updateAll(connection, subscriptions);
}

/** Finds a merchant's subscription; `lock` keeps it locked until the transaction ends. */
export function findSubscription(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  subscriptionId: bigint,
  lock = false,
): Promise<Subscription | null> {
  return SUBSCRIPTIONS.find(db, { bucket, merchantId, subscriptionId }, lock);
}

/** A merchant's subscriptions by their ids; missing ones are left out. */
export async function findSubscriptions(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  subscriptionIds: readonly bigint[],
): Promise<Subscription[]> {
  return SUBSCRIPTIONS.select(db, {
    name: "find-subscriptions",
    text: `select * from subscription where bucket = $1 and merchant_id = $2 and subscription_id = any($3)
      order by subscription_id`,
    values: [bucket, merchantId, subscriptionIds],
  });
}

/** The first `limit` subscriptions of a merchant after the given id, in the order of their ids. */
export async function listSubscriptions(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  { after, limit, state }: { readonly after: bigint; readonly limit: number; readonly state: SubscriptionState | null },
): Promise<Subscription[]> {
  return SUBSCRIPTIONS.select(
    db,
    `select * from subscription
     where bucket = $1 and merchant_id = $2 and subscription_id > $3 and ($5::text is null or state = $5)
     order by subscription_id limit $4`,
    [bucket, merchantId, after, limit, state],
  );
}

export type SubscriptionOccurrence = Occurrence & { readonly subscriptionId: bigint };

type OccurrenceKey = SubscriptionKey & Pick<Occurrence, "occurrenceNo">;

const OCCURRENCES = table<MerchantKey & SubscriptionOccurrence, OccurrenceKey>(
  "subscription_occurrence",
  ["bucket", "merchantId", "subscriptionId", "occurrenceNo"],
  {
    bucket: "smallint",
    merchantId: "bigint",
    subscriptionId: "bigint",
    occurrenceNo: "integer",
    billDate: "date",
    dueDate: "date",
    state: "text",
    invoiceId: "bigint",
    movedTo: "date",
  },
);

/** Inserts occurrences of a merchant's subscriptions. */
export async function insertOccurrences(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  occurrences: readonly SubscriptionOccurrence[],
): Promise<void> {
  const rows = occurrences.map((occurrence) => ({ ...occurrence, bucket, merchantId }));
  await OCCURRENCES.insertAll(connection, rows);
}

/** A subscription's past occurrences, the latest first: those before the number `before`, or the last ones. */
export async function listOccurrences(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  subscriptionId: bigint,
  before: number | null,
  limit: number,
): Promise<SubscriptionOccurrence[]> {
  return OCCURRENCES.select(
    db,
    `select * from subscription_occurrence
     where bucket = $1 and merchant_id = $2 and subscription_id = $3 and ($4::integer is null or occurrence_no < $4)
     order by occurrence_no desc limit $5`,
    [bucket, merchantId, subscriptionId, before, limit],
  );
}

/** The future occurrences that a pause has skipped, by subscription. */
export async function findSkippedAhead(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  subscriptions: readonly Pick<Subscription, "subscriptionId" | "nextOccurrence">[],
): Promise<Map<bigint, Set<number>>> {
  const { rows } = await db.query<{ subscription_id: bigint; occurrence_no: number }>({
    name: "find-skipped-ahead",
    text: `select ahead.subscription_id, ahead.occurrence_no
      from unnest($3::bigint[], $4::integer[]) as standing (subscription_id, next_occurrence)
      join subscription_occurrence ahead
        on ahead.bucket = $1 and ahead.merchant_id = $2 and ahead.subscription_id = standing.subscription_id
        and ahead.occurrence_no >= standing.next_occurrence`,
    values: [
      bucket,
      merchantId,
      subscriptions.map((subscription) => subscription.subscriptionId),
      subscriptions.map((subscription) => subscription.nextOccurrence),
    ],
  });
  const skipped = new Map<bigint, Set<number>>();
  for (const row of rows) {
    const numbers = skipped.get(row.subscription_id) ?? new Set();
    skipped.set(row.subscription_id, numbers.add(row.occurrence_no));
  }
  return skipped;
}

/** The open invoices that subscriptions have created, by subscription, oldest first. */
export async function findOpenInvoices(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  subscriptionIds: readonly bigint[],
): Promise<Map<bigint, bigint[]>> {
  const { rows } = await connection.query<{ subscription_id: bigint; invoice_ids: bigint[] }>({
    name: "find-open-invoices",
    text: `select subscription_id, array_agg(invoice_id order by occurrence_no) as invoice_ids
      from subscription_occurrence occurrence
      join invoice using (bucket, merchant_id, invoice_id)
      where bucket = $1 and merchant_id = $2 and subscription_id = any($3)
        and invoice.status in ('Unpaid', 'Partially paid')
      group by subscription_id`,
    values: [bucket, merchantId, subscriptionIds],
  });
  return new Map(rows.map((row) => [row.subscription_id, row.invoice_ids]));
}

/** How many invoices the subscriptions of a merchant have made. */
export async function countBilled(db: Queryable, { bucket, merchantId }: MerchantKey): Promise<bigint> {
  const { rows } = await db.query<{ count: bigint }>(
    `select count(*) as count from subscription_occurrence
     where bucket = $1 and merchant_id = $2 and state = 'Billed'`,
    [bucket, merchantId],
  );
  return rows[0]!.count;
}

/** How many active subscriptions of a merchant are parked. */
export async function countParked(db: Queryable, { bucket, merchantId }: MerchantKey): Promise<bigint> {
  const { rows } = await db.query<{ count: bigint }>(
    `select count(*) as count from subscription
     where bucket = $1 and merchant_id = $2 and state = 'Active' and parked_code is not null`,
    [bucket, merchantId],
  );
  return rows[0]!.count;
}

/** The last `limit` occurrences of each of these subscriptions, newest first. */
export async function listRecentOccurrences(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  subscriptionIds: readonly bigint[],
  limit: number,
): Promise<SubscriptionOccurrence[]> {
  return OCCURRENCES.select(db, {
    name: "list-recent-occurrences",
    text: `select recent.*
      from unnest($3::bigint[]) as wanted (subscription_id)
      cross join lateral (
        select ${OCCURRENCES.columns}
        from subscription_occurrence occurrence
        where bucket = $1 and merchant_id = $2 and occurrence.subscription_id = wanted.subscription_id
        order by occurrence_no desc limit $4
      ) as recent
      order by subscription_id, occurrence_no desc`,
    values: [bucket, merchantId, subscriptionIds, limit],
  });
}

/** The latest time zone on Earth: a date that has not begun here has not begun anywhere. */
const EARLIEST_ZONE = "Pacific/Kiritimati";

type ClockRow = { time_zone: string; live: boolean; clock_date: Temporal.PlainDate | null };
type DueRow = { next_bill_date: Temporal.PlainDate };

/** The current date in that zone. */
function latestDate(now: Temporal.Instant): string {
  return now.toZonedDateTimeISO(EARLIEST_ZONE).toPlainDate().toString();
}

/** Whether a candidate from SQL, by the latest date, is due by the merchant's own. */
function isDueThere(row: ClockRow & DueRow): boolean {
  const today = todayOf({ timeZone: row.time_zone, live: row.live, clockDate: row.clock_date });
  return Temporal.PlainDate.compare(row.next_bill_date, today) <= 0;
}

/** The active merchants with subscriptions to bill now, the longest waiting first. */
export async function findDueMerchants(db: Queryable, now: Temporal.Instant): Promise<MerchantKey[]> {
  const active = { table: "subscription", condition: "state = 'Active'", limit: null };
  const rows = await findOnNodes(db, active, async (part) => {
    const found = await part.query<MerchantKeyRow & ClockRow & DueRow>({
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
    return found.rows;
  });
  return rows.filter(isDueThere).map((row) => ({ bucket: row.bucket, merchantId: row.merchant_id }));
}

type MerchantKeyRow = { bucket: number; merchant_id: bigint };

/** Which of a merchant's subscriptions to find. */
export type DueFilter = {
  readonly today: Temporal.PlainDate;
  readonly now: Temporal.Instant;
  /** One subscription; all if `null`. */
  readonly subscriptionId: bigint | null;
  /** Whether parked ones are tried before their time. */
  readonly retryParked: boolean;
  /** Those already tried. */
  readonly except: readonly bigint[];
};

export type DueSubscription = Pick<Subscription, "subscriptionId" | "templateId"> & {
  readonly billDate: Temporal.PlainDate;
};

/** A merchant's subscriptions that are due, oldest bill date first. */
export async function findDue(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  { today, now, subscriptionId, retryParked, except }: DueFilter,
  limit: number,
): Promise<DueSubscription[]> {
  const { rows } = await db.query<{
    subscription_id: bigint;
    template_id: bigint | null;
    next_bill_date: Temporal.PlainDate;
  }>({
    name: "find-due-subscriptions",
    text: `select subscription_id, template_id, next_bill_date from subscription
      where bucket = $1 and merchant_id = $2 and state = 'Active' and next_bill_date <= $3
        and ($4::bigint is null or subscription_id = $4)
        and ($5 or retry_at is null or retry_at <= $6) and subscription_id <> all ($7::bigint[])
      order by next_bill_date, subscription_id limit $8`,
    values: [bucket, merchantId, today.toString(), subscriptionId, retryParked, now.toString(), except, limit],
  });
  return rows.map((row) => ({
    subscriptionId: row.subscription_id,
    templateId: row.template_id,
    billDate: row.next_bill_date,
  }));
}

/**
 * Locks those of these subscriptions that are still due, in the order of their ids, so that two processes can't deadlock. Returns
 * them oldest bill date first.
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

/** The number of due subscriptions, of parked ones, and the oldest date of the former. */
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
    // Failed ones are parked.
    retrying: 0n,
    failed: parked,
    // A clock that was moved ahead may make one due early.
    oldestDueAt: oldest !== null && Temporal.Instant.compare(oldest, now) > 0 ? now : oldest,
  };
}
