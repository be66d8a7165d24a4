// One use case: an invoice has reached its customer.
import { recordEvents } from "../ledger/index.ts";
import type { Connection } from "../platform/database/pool.ts";
import { updateInvoice, findInvoice } from "./invoice-store.ts";
import type { InvoiceKey } from "./invoice.ts";

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
