// What an invoice's franchise earns on it, after each change of what is paid or credited.
// What belongs here: an invoice as commission sees it. The rule and its postings are the franchises'.
import { adjustCommission } from "../franchises/index.ts";
import { lockBook } from "../ledger/index.ts";
import type { Connection } from "../platform/database/pool.ts";
import { passedOnOf } from "./carry-dues.ts";
import { listCreditNotesOf } from "./credit-note-store.ts";
import type { Invoice } from "./invoice.ts";

/**
 * Brings the commission on an invoice to what its franchise earns on it now. `subjectId` is the settlement or credit note
 * that changed it. The caller holds the invoice and has written it and its credit notes; the book is locked last, and
 * only where money is posted.
 */
export async function adjustInvoiceCommission(
  connection: Connection,
  invoice: Invoice,
  subjectId: bigint,
): Promise<void> {
  const { bucket, merchantId, franchiseId, invoiceId, carriedPaise, creditedPaise } = invoice;
  if (franchiseId === 0n) return;
  const notes = await listCreditNotesOf(connection, invoice);
  await lockBook(connection, bucket, merchantId);
  // Dues of earlier invoices earn on those, by the payments that are passed on to them.
  const standing = {
    taxablePaise: invoice.subTotalPaise,
    totalPaise: invoice.amountPaise - carriedPaise,
    previousDuesPaise: invoice.previousDuesPaise - carriedPaise,
    paidPaise: invoice.paidPaise - passedOnOf(invoice),
    creditedPaise,
    givenBackPaise: notes.reduce((sum, { refundPaise }) => sum + refundPaise, 0n),
  };
  await adjustCommission(connection, { bucket, merchantId, franchiseId, invoiceId, ...standing }, subjectId);
}
