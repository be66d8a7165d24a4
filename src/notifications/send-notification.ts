// Use case: sends a claimed notification, or records why not. sender.ts schedules the attempts.
import type { PublicLinks } from "../documents/index.ts";
import { markInvoiceSent } from "../invoices/index.ts";
import { todayOf } from "../merchants/index.ts";
import { recordEvents } from "../ledger/index.ts";
import { inTransaction, type Connection, type Pool } from "../platform/database/pool.ts";
import type { Logger } from "../platform/log.ts";
import { insertDeadAddress } from "./address-store.ts";
import type { Message, MessageChannel, SendResult } from "./channel.ts";
import { composeMessage, type ComposeOptions } from "./compose.ts";
import { giveMessageBack, takeMessage, type MessageCount, type MessageLimits } from "./message-day-store.ts";
import { finishNotification, type Ending } from "./notification-store.ts";
import { RETRY_DELAYS_MS, type ChannelName, type Notification } from "./notification.ts";
import { readSubject, skipReason, type Subject } from "./subject.ts";

export type Channels = Readonly<Record<ChannelName, MessageChannel>>;

export type SendOptions = ComposeOptions & {
  readonly pool: Pool;
  readonly links: PublicLinks;
  readonly channels: Channels;
  readonly limits: MessageLimits;
  readonly logger: Logger;
};

/** The result of an attempt, with the subject and the message as far as it came. */
type Attempt = {
  readonly subject: Subject | null;
  readonly message: Message | null;
  readonly result:
    | SendResult
    | { readonly outcome: "suppressed"; readonly reason: string }
    /** It exceeds a daily limit, and waits for the next day. */
    | { readonly outcome: "postponed"; readonly reason: string; readonly waitMs: number };
};

const MAX_REASON_LENGTH = 500;

/**
 * Makes one attempt and writes its result, with its effects on the invoice and the address, in one transaction. Rejects if that can't be
 * written; the claim then expires and the message is sent again.
 * @param isStopping whether a failure may be due to the process's own end, so that another one tries at once
 */
export async function sendNotification(
  options: SendOptions,
  notification: Notification,
  isStopping: () => boolean,
): Promise<void> {
  const attempt = await attemptToSend(options, notification);
  const ending = endingOf(notification, attempt, isStopping());
  await inTransaction(options.pool, async (connection) => {
    if (await finishNotification(connection, notification, ending)) await follow(connection, notification, attempt);
  });
  const names = { merchant_id: String(notification.merchantId), notification_id: String(notification.notificationId) };
  if (ending.state === "Failed") options.logger.warn({ ...names, reason: ending.reason }, "a message can't be sent");
}

async function attemptToSend(options: SendOptions, notification: Notification): Promise<Attempt> {
  let subject: Subject | null = null;
  let message: Message | null = null;
  try {
    subject = await readSubject(options.pool, options.links, notification);
    const reason = await skipReason(options.pool, notification, subject);
    if (reason !== null || !subject) {
      return { subject, message, result: { outcome: "suppressed", reason: reason ?? "" } };
    }
    message = composeMessage(notification, subject, options);
    return { subject, message, result: await sendWithinLimits(options, notification, message, subject) };
  } catch (error) {
    // An error on the way, such as a PDF that could not be made, may be temporary.
    options.logger.warn(
      { err: error, notification_id: String(notification.notificationId) },
      "could not send a message",
    );
    const reason = (error as Error).message.slice(0, MAX_REASON_LENGTH);
    return { subject, message, result: { outcome: "delayed", reason } };
  }
}

/** Counts the message while it is handed over, and permanently if it was accepted. */
async function sendWithinLimits(
  { pool, channels, limits }: SendOptions,
  { channel }: Notification,
  message: Message,
  { merchant, kind }: Subject,
): Promise<Attempt["result"]> {
  const now = Temporal.Now.zonedDateTimeISO(merchant.timeZone);
  const { bucket, merchantId, recipient } = message;
  const purpose = kind === "approval" ? "approvals" : "customers";
  const count: MessageCount = { bucket, merchantId, day: now.toPlainDate(), purpose, recipient };
  const reached = await takeMessage(pool, count, limits);
  if (reached !== null) {
    const tomorrow = now.startOfDay().add({ days: 1 });
    const limit =
      reached === "all"
        ? `The merchant has reached its limit of ${limits.all} messages a day${kind === "approval" ? " about approvals" : ""}`
        : `The recipient has reached the limit of ${limits.toOne} messages a day from one merchant`;
    const reason = `${limit}: this message waits until tomorrow.`;
    return { outcome: "postponed", reason, waitMs: now.until(tomorrow).total("milliseconds") };
  }
  let isHandedOver = false;
  try {
    const result = await channels[channel].send(message);
    isHandedOver = result.outcome === "accepted";
    return result;
  } finally {
    if (!isHandedOver) await giveMessageBack(pool, count);
  }
}

function endingOf(notification: Notification, { message, result }: Attempt, isStopping: boolean): Ending {
  const words = {
    isAttempt: result.outcome !== "postponed",
    messageId: message?.messageId ?? null,
    wording: message && {
      recipient: message.recipient,
      subject: message.subject,
      html: message.html,
      body: message.body,
    },
  };
  if (result.outcome === "accepted") return { ...words, state: "Sent", reason: null, retryMs: 0 };
  const { reason } = result;
  if (result.outcome === "postponed") return { ...words, state: "Queued", reason, retryMs: Math.ceil(result.waitMs) };
  if (result.outcome === "held") return { ...words, state: "Held", reason, retryMs: 0 };
  if (result.outcome === "suppressed") return { ...words, state: "Suppressed", reason, retryMs: 0 };
  const retryMs = isStopping ? 0 : RETRY_DELAYS_MS[notification.attempts - 1];
  if (result.outcome === "refused" || retryMs === undefined) return { ...words, state: "Failed", reason, retryMs: 0 };
  return { ...words, state: "Queued", reason, retryMs };
}

/** Writes the effects of an attempt on the invoice and the address. */
async function follow(connection: Connection, notification: Notification, attempt: Attempt): Promise<void> {
  const { subject, message, result } = attempt;
  if (result.outcome === "refused" && result.isDeadAddress) {
    await insertDeadAddress(connection, notification, message!.recipient, result.reason);
    const after = { dead: message!.recipient, reason: result.reason };
    const refused = { type: "mail_address.refused", subjectId: notification.notificationId, after };
    await recordEvents(connection, notification, [refused]);
  }
  if (result.outcome === "accepted" && subject?.kind === "invoice") {
    const { merchant, invoice } = subject;
    const { timeZone } = merchant;
    // The day on the merchant's clock, which may have been moved.
    const sentDate = todayOf(merchant);
    const plainTime = Temporal.Now.plainTimeISO(timeZone);
    await markInvoiceSent(connection, invoice, sentDate.toZonedDateTime({ timeZone, plainTime }).toInstant(), sentDate);
  }
}
