// Notifications: messages to customers about invoices and payments, by mail, SMS or WhatsApp, and mail to people about
// approvals.
import type { MerchantKey } from "../merchants/index.ts";

export const CHANNELS = ["mail", "sms", "whatsapp"] as const;
export type ChannelName = (typeof CHANNELS)[number];

/** Messages to customers about an invoice. `receipt`: for a payment. `reminder`: for a due invoice. */
export type InvoiceKind = "invoice" | "receipt" | "reminder";
/**
 * `statement`: a customer's statement of account. `approval`: to somebody who may decide it. Both go by mail alone.
 */
export type NotificationKind = InvoiceKind | "statement" | "approval";

/**
 * `Held`: rendered, but not sent, as no channel is configured. `Failed`: refused permanently, or for too long.
 * `Suppressed`: no longer needed, or without an address.
 */
export const NOTIFICATION_STATES = ["Queued", "Sending", "Sent", "Held", "Failed", "Suppressed"] as const;
export type NotificationState = (typeof NOTIFICATION_STATES)[number];

export type NotificationKey = MerchantKey & { readonly notificationId: bigint };

/** The text and the recipient. Only mail has `html`. */
export type Wording = {
  readonly recipient: string;
  readonly subject: string;
  readonly html: string | null;
  readonly body: string;
};

export type Notification = NotificationKey & {
  readonly kind: NotificationKind;
  /**
   * The invoice, the settlement that a receipt is for, the customer of a statement, or the oldest of the approvals for which
   * a mail was queued.
   */
  readonly subjectId: bigint;
  /** The approver; `null` if it goes to a customer. */
  readonly loginId: bigint | null;
  readonly channel: ChannelName;
  /** The address to use instead of the customer's own; `null` for the customer's own. */
  readonly sendTo: string | null;
  /** For a reminder: days after the due date, negative before it. */
  readonly reminderDays: number | null;
  /** For a statement: its first and its last day. */
  readonly fromDate: Temporal.PlainDate | null;
  readonly toDate: Temporal.PlainDate | null;
  readonly state: NotificationState;
  /** When it is tried (again); while it is being sent, when others may take it over. `null` once it is finished. */
  readonly dueAt: Temporal.Instant | null;
  /** How many attempts were begun. */
  readonly attempts: number;
  /** Why the last attempt failed, or why it is held or suppressed. */
  readonly reason: string | null;
  readonly sentAt: Temporal.Instant | null;
  readonly messageId: string | null;
  /** `null` until it has been rendered. */
  readonly wording: Wording | null;
  readonly createdAt: Temporal.Instant;
};

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The pauses after the first, second, … failed attempt: eleven attempts over almost three days. */
export const RETRY_DELAYS_MS: readonly number[] = [
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
  12 * HOUR_MS,
  12 * HOUR_MS,
  12 * HOUR_MS,
  12 * HOUR_MS,
];

/** Whether an operator may retry it: not while it waits anyway, or once it was sent. */
export function canRetry({ state }: Pick<Notification, "state">): boolean {
  return state === "Held" || state === "Failed" || state === "Suppressed";
}

/** The normalized form in which mail addresses are compared. */
export function addressKey(address: string): string {
  return address.trim().normalize("NFC").toLowerCase();
}
