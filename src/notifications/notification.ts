// Notifications: messages to customers about invoices and payments, by mail, SMS or WhatsApp, and mail to people about
// approvals.
import type { MerchantKey } from "../merchants/index.ts";

export const CHANNELS = ["mail", "sms", "whatsapp"] as const;
export type ChannelName = (typeof CHANNELS)[number];

/** Messages to customers about an invoice. `receipt`: of a payment. `reminder`: of an invoice that is due. */
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

/** What was said, and to whom. `html` is for mail alone. */
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
  /** The person who may decide approvals; `null` where it goes to a customer. */
  readonly loginId: bigint | null;
  readonly channel: ChannelName;
  /** The address that it goes to in place of the customer's own; `null` where it goes there. */
  readonly sendTo: string | null;
  /** Of a reminder: how many days after the due date it belongs, below 0 for those before it. */
  readonly reminderDays: number | null;
  /** Of a statement: its first and its last day. */
  readonly fromDate: Temporal.PlainDate | null;
  readonly toDate: Temporal.PlainDate | null;
  readonly state: NotificationState;
  /** When it is tried (again); while it is being sent, when others may take it over. `null` where it is done. */
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

/** How long to wait after the first, second, … attempt that failed: eleven attempts over almost three days. */
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

/** Whether what an operator asks for may be done again: what waits anyway, or has reached its customer, is left alone. */
export function canRetry({ state }: Pick<Notification, "state">): boolean {
  return state === "Held" || state === "Failed" || state === "Suppressed";
}

/** The spelling by which mail addresses are compared. */
export function addressKey(address: string): string {
  return address.trim().normalize("NFC").toLowerCase();
}
