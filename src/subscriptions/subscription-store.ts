// SQL of subscriptions and their occurrences: writing them, and finding one or many of a merchant.
// What belongs here: the tables subscription and subscription_occurrence. What is due is in due-store.ts.
import type { MerchantKey } from "../merchants/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import type { EndMode, Mode, Occurrence, Subscription, SubscriptionState } from "./subscription.ts";

export type SubscriptionRow = {
  bucket: number;
  merchant_id: bigint;
  subscription_id: bigint;
  customer_id: bigint;
  template_id: bigint | null;
  franchise_id: bigint;
  mode: Mode;
  repeat_every: number;
  start_date: Temporal.PlainDate;
  due_days: number;
  end_mode: EndMode;
  occurrences: number | null;
  end_date: Temporal.PlainDate | null;
  carry_dues: boolean;
  invoice: Record<string, unknown>;
  state: SubscriptionState;
  next_occurrence: number;
  next_bill_date: Temporal.PlainDate | null;
  paused_date: Temporal.PlainDate | null;
  parked_code: string | null;
  parked_reason: string | null;
  parked_since: Temporal.Instant | null;
  parked_attempts: number;
  retry_at: Temporal.Instant | null;
  created_at: Temporal.Instant;
  updated_at: Temporal.Instant;
};

/** The subscription of a row. */
export function fromRow(row: SubscriptionRow): Subscription {
  return {
    bucket: row.bucket,
    merchantId: row.merchant_id,
    subscriptionId: row.subscription_id,
    customerId: row.customer_id,
    templateId: row.template_id,
    franchiseId: row.franchise_id,
    mode: row.mode,
    repeatEvery: row.repeat_every,
    startDate: row.start_date,
    dueDays: row.due_days,
    endMode: row.end_mode,
    occurrences: row.occurrences,
    endDate: row.end_date,
    carryDues: row.carry_dues,
    invoice: row.invoice,
    state: row.state,
    nextOccurrence: row.next_occurrence,
    nextBillDate: row.next_bill_date,
    pausedDate: row.paused_date,
    parking:
      row.parked_code === null
        ? null
        : {
            code: row.parked_code,
            reason: row.parked_reason!,
            since: row.parked_since!,
            attempts: row.parked_attempts,
            retryAt: row.retry_at!,
          },
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** Inserts a new subscription. Where it stands is written by `updateSubscriptions`. */
export async function insertSubscription(connection: Connection, subscription: Subscription): Promise<void> {
  await connection.query({
    name: "insert-subscription",
    text: `insert into subscription (
        bucket, merchant_id, subscription_id, customer_id, template_id, mode, repeat_every, start_date, due_days,
        end_mode, occurrences, end_date, carry_dues, invoice, state, next_bill_date, created_at, updated_at, franchise_id)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $17, $18)`,
    values: [
      subscription.bucket,
      subscription.merchantId,
      subscription.subscriptionId,
      subscription.customerId,
      subscription.templateId,
      subscription.mode,
      subscription.repeatEvery,
      subscription.startDate.toString(),
      subscription.dueDays,
      subscription.endMode,
      subscription.occurrences,
      subscription.endDate?.toString() ?? null,
      subscription.carryDues,
      JSON.stringify(subscription.invoice),
      subscription.state,
      subscription.nextBillDate?.toString() ?? null,
      subscription.createdAt.toString(),
      subscription.franchiseId,
    ],
  });
}

/** Writes back where subscriptions of one merchant stand. The caller holds their rows. */
export async function updateSubscriptions(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  subscriptions: readonly Subscription[],
): Promise<void> {
  const column = <T>(read: (subscription: Subscription) => T): T[] => subscriptions.map(read);
  await connection.query({
    name: "update-subscriptions",
    text: `update subscription set
        state = changed.state, next_occurrence = changed.next_occurrence, next_bill_date = changed.next_bill_date,
        paused_date = changed.paused_date, parked_code = changed.parked_code, parked_reason = changed.parked_reason,
        parked_since = changed.parked_since, parked_attempts = changed.parked_attempts, retry_at = changed.retry_at,
        updated_at = changed.updated_at
      from unnest(
          $3::bigint[], $4::text[], $5::integer[], $6::date[], $7::date[], $8::text[], $9::text[], $10::timestamptz[],
          $11::integer[], $12::timestamptz[], $13::timestamptz[])
        as changed (
          subscription_id, state, next_occurrence, next_bill_date, paused_date, parked_code, parked_reason,
          parked_since, parked_attempts, retry_at, updated_at)
      where bucket = $1 and merchant_id = $2 and subscription.subscription_id = changed.subscription_id`,
    values: [
      bucket,
      merchantId,
      column((subscription) => subscription.subscriptionId),
      column((subscription) => subscription.state),
      column((subscription) => subscription.nextOccurrence),
      column((subscription) => subscription.nextBillDate?.toString() ?? null),
      column((subscription) => subscription.pausedDate?.toString() ?? null),
      column((subscription) => subscription.parking?.code ?? null),
      column((subscription) => subscription.parking?.reason ?? null),
      column((subscription) => subscription.parking?.since.toString() ?? null),
      column((subscription) => subscription.parking?.attempts ?? 0),
      column((subscription) => subscription.parking?.retryAt.toString() ?? null),
      column((subscription) => subscription.updatedAt.toString()),
    ],
  });
}

/** Finds a merchant's subscription; `lock` holds it until the transaction ends. */
export async function findSubscription(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  subscriptionId: bigint,
  lock = false,
): Promise<Subscription | null> {
  const { rows } = await db.query<SubscriptionRow>({
    name: lock ? "lock-subscription" : "find-subscription",
    text: `select * from subscription
      where bucket = $1 and merchant_id = $2 and subscription_id = $3${lock ? " for update" : ""}`,
    values: [bucket, merchantId, subscriptionId],
  });
  return rows[0] ? fromRow(rows[0]) : null;
}

/** A merchant's subscriptions by their ids; what there is none of is left out. */
export async function findSubscriptions(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  subscriptionIds: readonly bigint[],
): Promise<Subscription[]> {
  const { rows } = await db.query<SubscriptionRow>({
    name: "find-subscriptions",
    text: `select * from subscription where bucket = $1 and merchant_id = $2 and subscription_id = any($3)
      order by subscription_id`,
    values: [bucket, merchantId, subscriptionIds],
  });
  return rows.map(fromRow);
}

/** The first `limit` subscriptions of a merchant after the given id, in the order of their ids. */
export async function listSubscriptions(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  { after, limit, state }: { readonly after: bigint; readonly limit: number; readonly state: SubscriptionState | null },
): Promise<Subscription[]> {
  const { rows } = await db.query<SubscriptionRow>(
    `select * from subscription
     where bucket = $1 and merchant_id = $2 and subscription_id > $3 and ($5::text is null or state = $5)
     order by subscription_id limit $4`,
    [bucket, merchantId, after, limit, state],
  );
  return rows.map(fromRow);
}

export type SubscriptionOccurrence = Occurrence & { readonly subscriptionId: bigint };

/** Inserts occurrences of a merchant's subscriptions. */
export async function insertOccurrences(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  occurrences: readonly SubscriptionOccurrence[],
): Promise<void> {
  const column = <T>(read: (occurrence: SubscriptionOccurrence) => T): T[] => occurrences.map(read);
  await connection.query({
    name: "insert-occurrences",
    text: `insert into subscription_occurrence (
        bucket, merchant_id, subscription_id, occurrence_no, bill_date, due_date, state, invoice_id)
      select $1, $2, * from unnest($3::bigint[], $4::integer[], $5::date[], $6::date[], $7::text[], $8::bigint[])`,
    values: [
      bucket,
      merchantId,
      column((occurrence) => occurrence.subscriptionId),
      column((occurrence) => occurrence.occurrenceNo),
      column((occurrence) => occurrence.billDate.toString()),
      column((occurrence) => occurrence.dueDate.toString()),
      column((occurrence) => occurrence.state),
      column((occurrence) => occurrence.invoiceId),
    ],
  });
}

/** What became of a subscription's occurrences, the latest first: those before the number `before`, or the last ones. */
export async function listOccurrences(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  subscriptionId: bigint,
  before: number | null,
  limit: number,
): Promise<Occurrence[]> {
  const { rows } = await db.query<{
    occurrence_no: number;
    bill_date: Temporal.PlainDate;
    due_date: Temporal.PlainDate;
    state: Occurrence["state"];
    invoice_id: bigint | null;
  }>(
    `select occurrence_no, bill_date, due_date, state, invoice_id from subscription_occurrence
     where bucket = $1 and merchant_id = $2 and subscription_id = $3 and ($4::integer is null or occurrence_no < $4)
     order by occurrence_no desc limit $5`,
    [bucket, merchantId, subscriptionId, before, limit],
  );
  return rows.map((row) => ({
    occurrenceNo: row.occurrence_no,
    billDate: row.bill_date,
    dueDate: row.due_date,
    state: row.state,
    invoiceId: row.invoice_id,
  }));
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

type OccurrenceRow = {
  subscription_id: bigint;
  occurrence_no: number;
  bill_date: Temporal.PlainDate;
  due_date: Temporal.PlainDate;
  state: Occurrence["state"];
  invoice_id: bigint | null;
};

/** The last `limit` occurrences of each of these subscriptions, newest first. */
export async function listRecentOccurrences(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  subscriptionIds: readonly bigint[],
  limit: number,
): Promise<SubscriptionOccurrence[]> {
  const { rows } = await db.query<OccurrenceRow>({
    name: "list-recent-occurrences",
    text: `select recent.*
      from unnest($3::bigint[]) as wanted (subscription_id)
      cross join lateral (
        select subscription_id, occurrence_no, bill_date, due_date, state, invoice_id
        from subscription_occurrence occurrence
        where bucket = $1 and merchant_id = $2 and occurrence.subscription_id = wanted.subscription_id
        order by occurrence_no desc limit $4
      ) as recent
      order by subscription_id, occurrence_no desc`,
    values: [bucket, merchantId, subscriptionIds, limit],
  });
  return rows.map((row) => ({
    subscriptionId: row.subscription_id,
    occurrenceNo: row.occurrence_no,
    billDate: row.bill_date,
    dueDate: row.due_date,
    state: row.state,
    invoiceId: row.invoice_id,
  }));
}
