// SQL of the messages that are owed to customers: on invoices, on payments, and as reminders of what is due.
// What belongs here: owing them. Sending them is the notifications' business.
import type { MerchantKey } from "../merchants/index.ts";
import type { IdSource } from "../platform/database/ids.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";

/** What a message is about: an invoice, or the settlement that a receipt is for. */
export type Owed = { readonly subjectId: bigint; readonly customerId: bigint };

/** A reminder's days after the due date (below 0: before it), and the due dates of the invoices that it is owed on. */
export type ReminderSpan = {
  readonly days: number;
  readonly firstDue: Temporal.PlainDate;
  readonly lastDue: Temporal.PlainDate;
};

/** An invoice whose customer is to be reminded. */
export type OpenInvoice = {
  readonly invoiceId: bigint;
  readonly customerId: bigint;
  readonly dueDate: Temporal.PlainDate;
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

/** Owes one mail about an invoice, to the given address in place of the customer's. */
export async function queueInvoiceMail(
  connection: Connection,
  ids: IdSource,
  { bucket, merchantId }: MerchantKey,
  { subjectId, customerId }: Owed,
  sendTo: string,
): Promise<bigint> {
  const notificationId = await ids.next();
  await connection.query({
    name: "queue-invoice-mail",
    text: `insert into notification (
        bucket, merchant_id, notification_id, kind, subject_id, customer_id, channel, send_to, created_at)
      values ($1, $2, $3, 'invoice', $4, $5, 'mail', $6, $7)`,
    values: [bucket, merchantId, notificationId, subjectId, customerId, sendTo, Temporal.Now.instant().toString()],
  });
  return notificationId;
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
 * A merchant's invoices that are owed a reminder, whether it is queued already or not: the first `limit` after `after`, in
 * order of due date. On a day before the invoice was billed, or on that day itself, nobody is reminded.
 */
export async function findOwingReminder(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  { days, firstDue, lastDue }: ReminderSpan,
  after: OpenInvoice | null,
  limit: number,
): Promise<OpenInvoice[]> {
  const { rows } = await db.query<{ invoice_id: bigint; customer_id: bigint; due_date: Temporal.PlainDate }>({
    name: "find-owing-reminder",
    text: `select invoice_id, customer_id, due_date from invoice
      where bucket = $1 and merchant_id = $2 and status in ('Unpaid', 'Partially paid')
        and due_date <= $4 and (due_date, invoice_id) > ($5, $6) and due_date + $3::integer > bill_date
      order by due_date, invoice_id limit $7`,
    values: [
      bucket,
      merchantId,
      days,
      lastDue.toString(),
      (after?.dueDate ?? firstDue).toString(),
      after?.invoiceId ?? 0n,
      limit,
    ],
  });
  return rows.map((row) => ({ invoiceId: row.invoice_id, customerId: row.customer_id, dueDate: row.due_date }));
}

/**
 * Queues a reminder on each of the channels for each of the invoices, to be sent from `dueAt` on, and answers how many:
 * what is queued already, or was sent, is left alone.
 */
export async function queueReminders(
  db: Queryable,
  ids: IdSource,
  { bucket, merchantId }: MerchantKey,
  invoices: readonly OpenInvoice[],
  reminder: { readonly days: number; readonly channels: readonly string[]; readonly dueAt: Temporal.Instant },
): Promise<number> {
  const owed = invoices.flatMap((invoice) => reminder.channels.map((channel) => ({ ...invoice, channel })));
  const notificationIds: bigint[] = [];
  for (const _reminder of owed) notificationIds.push(await ids.next());
  const { rowCount } = await db.query({
    name: "queue-reminders",
    text: `insert into notification (
        bucket, merchant_id, notification_id, kind, subject_id, customer_id, channel, reminder_days, due_at, created_at)
      select $1, $2, notification_id, 'reminder', invoice_id, customer_id, channel, $7, $8, $9
      from unnest($3::bigint[], $4::bigint[], $5::bigint[], $6::text[])
        as owed (notification_id, invoice_id, customer_id, channel)
      on conflict (subject_id, reminder_days, channel, bucket, merchant_id) where kind = 'reminder' do nothing`,
    values: [
      bucket,
      merchantId,
      notificationIds,
      owed.map((item) => item.invoiceId),
      owed.map((item) => item.customerId),
      owed.map((item) => item.channel),
      reminder.days,
      reminder.dueAt.toString(),
      Temporal.Now.instant().toString(),
    ],
  });
  return rowCount ?? 0;
}
