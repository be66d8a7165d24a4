// SQL of the messages that are owed to customers: on invoices, on payments, and as reminders of what is due.
// What belongs here: owing them. Sending them is the notifications' business.
import type { MerchantKey } from "../merchants/index.ts";
import type { IdSource } from "../platform/database/ids.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";

/** What a message is about: an invoice, or the settlement that a receipt is for. */
export type Owed = { readonly subjectId: bigint; readonly customerId: bigint };

/** Invoices that are due on one of these days, and how many days after that (below 0: before) a reminder belongs. */
export type ReminderSpan = {
  readonly days: number;
  readonly firstDue: Temporal.PlainDate;
  readonly lastDue: Temporal.PlainDate;
};

/** A reminder that is owed. */
export type OwedReminder = {
  readonly invoiceId: bigint;
  readonly customerId: bigint;
  readonly days: number;
  readonly channel: string;
};

/** How a merchant's customers are written to where it has not said. */
export const DEFAULT_CHANNELS: readonly string[] = ["mail"];

/**
 * Owes customers a message each, on every channel that the merchant chose. It is sent only if the caller's transaction
 * commits.
 */
export async function queueNotifications(
  connection: Connection,
  ids: IdSource,
  merchant: MerchantKey,
  kind: "invoice" | "receipt",
  owed: readonly Owed[],
): Promise<void> {
  if (owed.length === 0) return;
  const channels = await readChannels(connection, merchant);
  const messages = owed.flatMap((item) => channels.map((channel) => ({ ...item, channel })));
  const notificationIds: bigint[] = [];
  for (const _message of messages) notificationIds.push(await ids.next());
  await connection.query({
    name: "queue-notifications",
    text: `insert into notification (
        bucket, merchant_id, notification_id, kind, subject_id, customer_id, channel, created_at)
      select $1, $2, notification_id, $3, subject_id, customer_id, channel, $8
      from unnest($4::bigint[], $5::bigint[], $6::bigint[], $7::text[])
        as owed (notification_id, subject_id, customer_id, channel)`,
    values: [
      merchant.bucket,
      merchant.merchantId,
      kind,
      notificationIds,
      messages.map((message) => message.subjectId),
      messages.map((message) => message.customerId),
      messages.map((message) => message.channel),
      Temporal.Now.instant().toString(),
    ],
  });
}

async function readChannels(db: Queryable, { bucket, merchantId }: MerchantKey): Promise<readonly string[]> {
  const { rows } = await db.query<{ channels: string[] }>({
    name: "read-channels",
    text: "select channels from notification_setting where bucket = $1 and merchant_id = $2",
    values: [bucket, merchantId],
  });
  return rows[0]?.channels ?? DEFAULT_CHANNELS;
}

/**
 * The first `limit` reminders that a merchant's open invoices are owed and that are not queued yet. A reminder whose day
 * was over before the invoice was billed is owed to nobody.
 */
export async function findOwedReminders(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  channels: readonly string[],
  spans: readonly ReminderSpan[],
  limit: number,
): Promise<OwedReminder[]> {
  const { rows } = await db.query<{ invoice_id: bigint; customer_id: bigint; days: number; channel: string }>({
    name: "find-owed-reminders",
    text: `select invoice.invoice_id, invoice.customer_id, span.days, wanted.channel
      from unnest($3::smallint[], $4::date[], $5::date[]) as span (days, first_due, last_due)
      cross join unnest($6::text[]) as wanted (channel)
      join invoice on invoice.bucket = $1 and invoice.merchant_id = $2
        and invoice.due_date between span.first_due and span.last_due
        and invoice.status in ('Unpaid', 'Partially paid')
      where invoice.due_date + span.days > invoice.bill_date and not exists (
        select from notification
        where notification.bucket = $1 and notification.merchant_id = $2 and notification.kind = 'reminder'
          and notification.subject_id = invoice.invoice_id and notification.reminder_days = span.days
          and notification.channel = wanted.channel)
      limit $7`,
    values: [
      bucket,
      merchantId,
      spans.map((span) => span.days),
      spans.map((span) => span.firstDue.toString()),
      spans.map((span) => span.lastDue.toString()),
      channels,
      limit,
    ],
  });
  return rows.map((row) => ({
    invoiceId: row.invoice_id,
    customerId: row.customer_id,
    days: row.days,
    channel: row.channel,
  }));
}

/** Queues reminders to be sent from `dueAt` on, and answers how many: one that is queued already stays as it is. */
export async function queueReminders(
  db: Queryable,
  ids: IdSource,
  { bucket, merchantId }: MerchantKey,
  reminders: readonly OwedReminder[],
  dueAt: Temporal.Instant,
): Promise<number> {
  const notificationIds: bigint[] = [];
  for (const _reminder of reminders) notificationIds.push(await ids.next());
  const { rowCount } = await db.query({
    name: "queue-reminders",
    text: `insert into notification (
        bucket, merchant_id, notification_id, kind, subject_id, customer_id, channel, reminder_days, due_at, created_at)
      select $1, $2, notification_id, 'reminder', invoice_id, customer_id, channel, days, $8, $9
      from unnest($3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::smallint[])
        as owed (notification_id, invoice_id, customer_id, channel, days)
      on conflict (subject_id, reminder_days, channel, bucket, merchant_id) where kind = 'reminder' do nothing`,
    values: [
      bucket,
      merchantId,
      notificationIds,
      reminders.map((reminder) => reminder.invoiceId),
      reminders.map((reminder) => reminder.customerId),
      reminders.map((reminder) => reminder.channel),
      reminders.map((reminder) => reminder.days),
      dueAt.toString(),
      Temporal.Now.instant().toString(),
    ],
  });
  return rowCount ?? 0;
}
