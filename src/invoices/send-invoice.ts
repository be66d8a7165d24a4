// Two use cases: an invoice is mailed now, to an address that somebody chose; and it has reached its customer.
import { recordEvents } from "../ledger/index.ts";
import { runIdempotently, type Answered, type Context } from "../merchants/index.ts";
import type { Connection } from "../platform/database/pool.ts";
import { findInvoice, updateInvoice } from "./invoice-store.ts";
import { refuseIfClosed, type InvoiceKey } from "./invoice.ts";
import { queueInvoiceMail } from "./notification-store.ts";
import { lockInvoice } from "./settlements/settle-invoice.ts";

export type SendInvoice = { readonly invoiceId: bigint; readonly sendTo: string };

/**
 * Queues one mail with the invoice and answers the message's id. The customer's own address stays as it is.
 * @throws NodalError `invoice_not_found`, `invoice_cancelled` or `invoice_carried_forward`
 */
export async function sendInvoice(
  { pool, ids, merchant, idempotency }: Context,
  { invoiceId, sendTo }: SendInvoice,
): Promise<Answered<{ readonly notificationId: string }>> {
  return runIdempotently(pool, merchant, idempotency, async (connection) => {
    const invoice = await lockInvoice(connection, merchant, invoiceId);
    refuseIfClosed(invoice);
    const owed = { subjectId: invoiceId, customerId: invoice.customerId };
    const notificationId = await queueInvoiceMail(connection, ids, merchant, owed, sendTo);
    const asked = { type: "invoice.mail_queued", subjectId: invoiceId, after: { send_to: sendTo } };
    await recordEvents(connection, merchant, [asked]);
    return { notificationId: String(notificationId) };
  });
}

/**
 * Notes when an invoice was first sent, and counts it among those of that day. Later mailings of the same invoice change
 * nothing. Holds the merchant's book from then on. `sentDate` is the day on which `sentAt` falls where the merchant is.
 */
export async function markInvoiceSent(
  connection: Connection,
  key: InvoiceKey,
  sentAt: Temporal.Instant,
  sentDate: Temporal.PlainDate,
): Promise<void> {
  const before = await findInvoice(connection, key, true);
  if (!before || before.sentAt !== null) return;
  await updateInvoice(connection, before, { ...before, sentAt, sentDate });
  await recordEvents(connection, key, [
    { type: "invoice.sent", subjectId: key.invoiceId, after: { sent_at: sentAt.toString() } },
  ]);
}
