// One use case: an invoice is mailed now, to an address that somebody chose.
import { recordEvents } from "../ledger/index.ts";
import { runIdempotently, type IdempotencyKey, type MerchantKey } from "../merchants/index.ts";
import type { IdSource } from "../platform/database/ids.ts";
import type { Pool } from "../platform/database/pool.ts";
import { refuseIfClosed } from "./invoice.ts";
import { queueInvoiceMail } from "./notification-store.ts";
import { lockInvoice } from "./settle-invoice.ts";

/**
 * Queues one mail with the invoice and answers the message's id. The customer's own address stays as it is.
 * @throws NodalError `invoice_not_found`, `invoice_cancelled` or `invoice_carried_forward`
 */
export async function sendInvoice(
  pool: Pool,
  ids: IdSource,
  merchant: MerchantKey,
  { invoiceId, sendTo }: { readonly invoiceId: bigint; readonly sendTo: string },
  idempotency: IdempotencyKey | null,
): Promise<{ answer: { readonly notificationId: string }; replayed: boolean }> {
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
