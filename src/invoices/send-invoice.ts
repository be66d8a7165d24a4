// Two use cases: mail an invoice now, to its customer or a chosen address; and mark it as sent.
import { findCustomers } from "../customers/index.ts";
import { recordEvents } from "../ledger/index.ts";
import { runIdempotently, type Answered, type Context } from "../merchants/index.ts";
import type { Connection } from "../platform/database/pool.ts";
import { NodalError } from "../platform/errors.ts";
import { InvoiceChanges } from "./change-store.ts";
import { findInvoice } from "./invoice-store.ts";
import { refuseIfClosed, type Invoice, type InvoiceKey } from "./invoice.ts";
import { queueInvoiceMail } from "./notification-store.ts";
import { lockInvoice } from "./settlements/settle-invoice.ts";

/** Without `sendTo` it goes to the customer's own address. */
export type SendInvoice = { readonly invoiceId: bigint; readonly sendTo: string | null };

/**
 * Queues one mail with the invoice and returns the message's id. The customer's own address doesn't change.
 * @throws NodalError `invoice_not_found`, `invoice_cancelled` or `invoice_carried_forward`; `validation_failed` if it goes to a
 * customer without an address
 */
export async function sendInvoice(
  { pool, ids, merchant, idempotency }: Context,
  { invoiceId, sendTo: chosen }: SendInvoice,
): Promise<Answered<{ readonly notificationId: string }>> {
  return runIdempotently(pool, merchant, idempotency, async (connection) => {
    const invoice = await lockInvoice(connection, merchant, invoiceId);
    refuseIfClosed(invoice);
    const sendTo = chosen ?? (await addressOfCustomer(connection, invoice));
    const owed = { subjectId: invoiceId, customerId: invoice.customerId };
    const notificationId = await queueInvoiceMail(connection, ids, merchant, owed, sendTo);
    const asked = { type: "invoice.mail_queued", subjectId: invoiceId, after: { send_to: sendTo } };
    await recordEvents(connection, merchant, [asked]);
    return { notificationId: String(notificationId) };
  });
}

async function addressOfCustomer(connection: Connection, invoice: Invoice): Promise<string> {
  const { email } = (await findCustomers(connection, invoice, [invoice.customerId])).get(invoice.customerId)!;
  if (email !== "") return email;
  throw new NodalError("validation_failed", "The customer has no e-mail address: add one, then send the invoice.");
}

/**
 * Saves when an invoice was first sent, and counts it among those of that day. Later mailings of the same invoice change nothing.
 * Locks the merchant's book from then on. `sentDate` is the day of `sentAt` in the merchant's time zone.
 */
export async function markInvoiceSent(
  connection: Connection,
  key: InvoiceKey,
  sentAt: Temporal.Instant,
  sentDate: Temporal.PlainDate,
): Promise<void> {
  const before = await findInvoice(connection, key, true);
  if (!before || before.sentAt !== null) return;
  const changes = new InvoiceChanges(connection, { kind: "revision", id: before.invoiceId, no: before.revision });
  const sent = { type: "invoice.sent", subjectId: key.invoiceId, after: { sent_at: sentAt.toString() } };
  await changes.update(before, { ...before, sentAt, sentDate }, { event: sent });
  await changes.record(key, []);
}
