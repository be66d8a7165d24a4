// Reads the subject of a notification from the database, and whether there still is a reason to send it. message-view.ts has the
// texts.
import { findCustomers, type Customer } from "../customers/index.ts";
import {
  buildDocument,
  readAccountStatement,
  readSources,
  type AccountStatement,
  type InvoiceDocument,
  type PublicLinks,
} from "../documents/index.ts";
import { dueOf, findInvoice, findSettlement, type Invoice, type Settlement } from "../invoices/index.ts";
import { findMerchantByKey, type Merchant } from "../merchants/index.ts";
import type { Pool } from "../platform/database/pool.ts";
import { formatTimestamp } from "../platform/time.ts";
import { findDeadAddress } from "./address-store.ts";
import { readApprovalSubject, approvalMailSkipReason, type ApprovalSubject } from "./approval-subject.ts";
import type { ChannelName, InvoiceKind, Notification } from "./notification.ts";

/** The current data of a message. */
export type Subject = InvoiceSubject | StatementSubject | ApprovalSubject;

/** The data of a message to a customer about an invoice. */
export type InvoiceSubject = {
  readonly kind: InvoiceKind;
  readonly invoice: Invoice;
  /** The printed invoice, with today's status. */
  readonly document: InvoiceDocument;
  /** The payment of a receipt. */
  readonly settlement: Settlement | null;
  readonly merchant: Merchant;
  /** The invoice's current customer, which an update may have changed since the message was queued. */
  readonly customer: Customer;
  /** The customer's address on the channel; "" for none. */
  readonly recipient: string;
  /** The merchant's day. */
  readonly today: Temporal.PlainDate;
};

/** The data of a message with a statement of account. */
export type StatementSubject = {
  readonly kind: "statement";
  readonly merchant: Merchant;
  readonly statement: AccountStatement;
  readonly recipient: string;
};

/** Reads the subject of a notification; `null` if it is gone. */
export async function readSubject(pool: Pool, links: PublicLinks, notification: Notification): Promise<Subject | null> {
  const { bucket, merchantId, kind, subjectId } = notification;
  if (kind === "approval") return readApprovalSubject(pool, links, notification);
  if (kind === "statement") return readStatementSubject(pool, notification);
  const settlement =
    kind === "receipt" ? await findSettlement(pool, { bucket, merchantId, settlementId: subjectId }) : null;
  if (kind === "receipt" && !settlement) return null;
  const invoice = await findInvoice(pool, { bucket, merchantId, invoiceId: settlement?.invoiceId ?? subjectId });
  if (!invoice) return null;
  const [sources, customers] = await Promise.all([
    readSources(pool, invoice, links),
    findCustomers(pool, invoice, [invoice.customerId]),
  ]);
  const customer = customers.get(invoice.customerId)!;
  return {
    kind,
    invoice,
    document: buildDocument(sources),
    settlement,
    merchant: sources.merchant,
    customer,
    recipient: notification.sendTo ?? recipientOf(customer, notification.channel),
    today: sources.today,
  };
}

async function readStatementSubject(
  pool: Pool,
  { bucket, merchantId, subjectId, fromDate, toDate, sendTo }: Notification,
): Promise<StatementSubject | null> {
  const merchant = await findMerchantByKey(pool, { bucket, merchantId });
  const statement =
    merchant &&
    (await readAccountStatement(
      pool,
      merchant,
      { customerId: subjectId, franchiseId: null },
      { from: fromDate!, to: toDate! },
    ));
  return statement && { kind: "statement", merchant, statement, recipient: sendTo ?? statement.customer.email };
}

/** A customer's address on a channel; "" for none. */
export function recipientOf({ email, mobile }: Customer, channel: ChannelName): string {
  if (channel === "mail") return email;
  // Customers' mobile numbers are always Indian, with or without a prefix.
  return mobile === "" ? "" : `+91${mobile.replaceAll(/[^0-9]/g, "").slice(-10)}`;
}

/** The reason if a channel does not reach a customer, as a sentence. */
export function unreachable(channel: ChannelName): string {
  return `The customer has no ${channel === "mail" ? "e-mail address" : "mobile number"}.`;
}

/** Why a notification is no longer sent, as a sentence; `null` if it is sent. */
export async function skipReason(
  pool: Pool,
  notification: Notification,
  subject: Subject | null,
): Promise<string | null> {
  if (!subject) return "The invoice, payment or customer no longer exists.";
  const { merchant, recipient } = subject;
  if (merchant.status !== "active") return "The merchant is suspended.";
  const reason =
    subject.kind === "statement"
      ? null
      : subject.kind === "approval"
        ? approvalMailSkipReason(subject)
        : reasonAgainstWriting(subject);
  if (reason !== null) return reason;
  if (recipient === "") return unreachable(notification.channel);
  if (notification.channel !== "mail") return null;
  const dead = await findDeadAddress(pool, notification, recipient);
  return (
    dead &&
    `The mail server has rejected this address since ${formatTimestamp(dead.deadSince, merchant.timeZone)}: ${dead.reason}`
  );
}

/** Why a message about an invoice or payment is no longer sent to a customer. */
function reasonAgainstWriting({ kind, invoice, settlement }: InvoiceSubject): string | null {
  if (settlement?.reversedAt) return "The payment was reversed.";
  if (kind !== "receipt" && invoice.status === "Cancelled") {
    return invoice.creditedPaise > 0n ? "The invoice was credited in full." : "The invoice was cancelled.";
  }
  if (kind !== "receipt" && invoice.status === "Carried forward") {
    return "The amount due was carried forward to a later invoice.";
  }
  if (kind === "reminder" && dueOf(invoice) === 0n) return "The invoice is paid.";
  return null;
}
