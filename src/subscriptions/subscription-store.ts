// SQL of subscriptions and their occurrences: writing them, and finding one or many of a merchant.
// What belongs here: the tables subscription and subscription_occurrence. What is due is in due-store.ts.
import type { MerchantKey } from "../merchants/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import { table } from "../platform/database/table.ts";
import type { Occurrence, Subscription, SubscriptionState } from "./subscription.ts";

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
/** Where a subscription stands, apart from what was agreed. */
const STANDING = SUBSCRIPTIONS.without(
  ...(["customerId", "templateId", "franchiseId", "mode", "repeatEvery", "startDate", "dueDays", "endMode"] as const),
  ...(["occurrences", "endDate", "carryDues", "invoice", "createdAt"] as const),
);

/** Inserts a new subscription. */
export async function insertSubscription(connection: Connection, subscription: Subscription): Promise<void> {
  await SUBSCRIPTIONS.insertAll(connection, [subscription]);
}

/** Writes back where subscriptions stand. The caller has locked their rows. */
export async function updateSubscriptions(
  connection: Connection,
  subscriptions: readonly Subscription[],
): Promise<void> {
  await STANDING.updateAll(connection, subscriptions);
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

/** A merchant's subscriptions by their ids; what there is none of is left out. */
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

/**
 * What became of a subscription's occurrences, the latest first: those before the number `before`, or the last ones.
 */
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

/** The occurrences ahead of where subscriptions stand that a pause has skipped, by subscription. */
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

/** Which of the invoices that subscriptions have made are still open, by subscription, oldest first. */
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
