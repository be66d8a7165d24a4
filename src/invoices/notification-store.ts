// SQL of the messages owed to customers: on invoices, on payments, and as reminders of due amounts. src/notifications sends them.
import type { MerchantKey } from "../merchants/index.ts";
import type { IdSource } from "../platform/database/ids.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import { IS_OPEN } from "./invoice-store.ts";

/** The subject of a message: an invoice, or the settlement of a receipt. */
export type Owed = { readonly subjectId: bigint; readonly customerId: bigint };

/** A reminder's days after the due date (negative: before it), and the due dates of its invoices. */
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

/** The default channels of a merchant's messages to customers. */
export const DEFAULT_CHANNELS: readonly string[] = ["mail"];

/** A message to send; without `dueAt` at once. */
type Message = MerchantKey &
  Owed & {
    readonly channel: string;
    readonly sendTo?: string;
    readonly reminderDays?: number;
    readonly dueAt?: Temporal.Instant;
  };

/** Queues messages. Returns their ids, and how many were new. */
async function insertMessages(
  db: Queryable,
  ids: IdSource,
  kind: "invoice" | "receipt" | "reminder",
  messages: readonly Message[],
): Promise<{ notificationIds: bigint[]; count: number }> {
  const notificationIds: bigint[] = [];
  for (const _message of messages) notificationIds.push(await ids.next());
  const now = Temporal.Now.instant().toString();
  const { rowCount } = await db.query({
    name: kind === "reminder" ? "queue-reminders" : "queue-notifications",
    text: `insert into notification (
        bucket, merchant_id, notification_id, subject_id, customer_id, channel, send_to, reminder_days, due_at, kind,
        created_at)
      select owed.*, $10, $11::timestamptz
      from unnest(
        $1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::text[], $8::smallint[],
        $9::timestamptz[]) as owed
      ${kind === "reminder" ? ONCE : ""}
      returning 1`,
    values: [
      messages.map(({ bucket }) => bucket),
      messages.map(({ merchantId }) => merchantId),
      notificationIds,
      messages.map(({ subjectId }) => subjectId),
      messages.map(({ customerId }) => customerId),
      messages.map(({ channel }) => channel),
      messages.map(({ sendTo }) => sendTo ?? null),
      messages.map(({ reminderDays }) => reminderDays ?? null),
      messages.map(({ dueAt }) => dueAt?.toString() ?? now),
      kind,
      now,
    ],
  });
  return { notificationIds, count: rowCount ?? 0 };
}

const ONCE = "on conflict (subject_id, reminder_days, channel, bucket, merchant_id) where kind = 'reminder' do nothing";

/**
 * Queues a message to each of these customers of one or several merchants, on every channel that its merchant chose. It is sent
 * only if the caller's transaction commits.
 */
export async function queueNotifications(
  connection: Connection,
  ids: IdSource,
  kind: "invoice" | "receipt",
  owed: readonly (MerchantKey & Owed)[],
): Promise<void> {
  if (owed.length === 0) return;
  const channelsOf = await readChannels(connection, owed);
  const messages = owed.flatMap((item) => channelsOf(item).map((channel) => ({ ...item, channel })));
  await insertMessages(connection, ids, kind, messages);
}

/** Queues one mail about an invoice, to the given address in place of the customer's. */
export async function queueInvoiceMail(
  connection: Connection,
  ids: IdSource,
  { bucket, merchantId }: MerchantKey,
  owed: Owed,
  sendTo: string,
): Promise<bigint> {
  const message = { ...owed, bucket, merchantId, channel: "mail", sendTo };
  return (await insertMessages(connection, ids, "invoice", [message])).notificationIds[0]!;
}

/** The channels of each of these merchants for messages to customers. */
async function readChannels(
  db: Queryable,
  merchants: readonly MerchantKey[],
): Promise<(merchant: MerchantKey) => readonly string[]> {
  const asked = [...new Map(merchants.map((merchant) => [merchant.merchantId, merchant])).values()];
  const { rows } = await db.query<{ merchant_id: bigint; channels: string[] }>({
    name: "read-channels",
    text: `select merchant_id, channels from unnest($1::smallint[], $2::bigint[]) as asked (bucket, merchant_id)
      join notification_setting using (bucket, merchant_id)`,
    values: [asked.map(({ bucket }) => bucket), asked.map(({ merchantId }) => merchantId)],
  });
  const chosen = new Map(rows.map((row) => [row.merchant_id, row.channels]));
  return ({ merchantId }) => chosen.get(merchantId) ?? DEFAULT_CHANNELS;
}

/**
 * A merchant's invoices that are owed a reminder, queued already or not: the first `limit` after `after`, in order of due date. No
 * reminder is sent on or before the day an invoice was billed.
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
      where bucket = $1 and merchant_id = $2 and ${IS_OPEN}
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
 * Queues a reminder on each of the channels for each of the invoices, to be sent from `dueAt` on, and returns how many: those
 * already queued or sent are skipped.
 */
export async function queueReminders(
  db: Queryable,
  ids: IdSource,
  { bucket, merchantId }: MerchantKey,
  invoices: readonly OpenInvoice[],
  reminder: { readonly days: number; readonly channels: readonly string[]; readonly dueAt: Temporal.Instant },
): Promise<number> {
  const { days: reminderDays, channels, dueAt } = reminder;
  const messages = invoices.flatMap(({ invoiceId: subjectId, customerId }) =>
    channels.map((channel) => ({ bucket, merchantId, subjectId, customerId, channel, reminderDays, dueAt })),
  );
  return (await insertMessages(db, ids, "reminder", messages)).count;
}
