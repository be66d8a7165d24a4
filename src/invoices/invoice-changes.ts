// The effects of a changed paid or credited amount of an invoice: carried dues, commission, events. Invoices are locked before the
// merchant's book, so the book comes last.
import { adjustCommission } from "../franchises/index.ts";
import { lockBook, type NewEvent } from "../ledger/index.ts";
import type { IdSource } from "../platform/database/ids.ts";
import type { Connection } from "../platform/database/pool.ts";
import type { InvoiceChanges } from "./change-store.ts";
import { listCreditNotesOf } from "./credit-notes/credit-note-store.ts";
import { passedOnOf, passOn } from "./dues/carry-dues.ts";
import type { Invoice } from "./invoice.ts";
import type { Posting } from "./posting.ts";
import { sumWrittenOff } from "./settlement-store.ts";

/**
 * Applies all effects of changed invoices, and records them. The first changed invoice is the one that caused the others to change;
 * `events` come before those of the invoices.
 */
export async function followUp(
  changes: InvoiceChanges,
  ids: IdSource,
  events: readonly NewEvent[],
  postings: readonly Posting[] = [],
): Promise<void> {
  const first = changes.merged[0]!.after;
  await passOn(changes, ids, first);
  await adjustChangedCommission(changes);
  await changes.record(first, events, postings);
}

/** Adjusts the commission on all changed invoices to what their franchises earn now. It may lock the book. */
export async function adjustChangedCommission(changes: InvoiceChanges): Promise<void> {
  for (const { after, subject } of changes.merged) await adjustInvoiceCommission(changes.connection, after, subject.id);
}

/**
 * Adjusts the commission on an invoice to what its franchise earns on it now. `subjectId` is the settlement or credit note that
 * changed it. The caller has locked the invoice and saved it and its credit notes; the book is locked last, and only if money is
 * posted.
 */
export async function adjustInvoiceCommission(
  connection: Connection,
  invoice: Invoice,
  subjectId: bigint,
): Promise<void> {
  const { bucket, merchantId, franchiseId, invoiceId, carriedPaise, creditedPaise } = invoice;
  if (franchiseId === 0n) return;
  const notes = await listCreditNotesOf(connection, invoice);
  // A write-off is not received money.
  const writtenOffPaise = await sumWrittenOff(connection, invoice);
  await lockBook(connection, bucket, merchantId);
  // Commission on dues of earlier invoices is earned there, by the payments passed on to them.
  const amounts = {
    taxablePaise: invoice.subTotalPaise,
    totalPaise: invoice.amountPaise - carriedPaise,
    previousDuesPaise: invoice.previousDuesPaise - carriedPaise,
    paidPaise: invoice.paidPaise - passedOnOf(invoice) - writtenOffPaise,
    writtenOffPaise,
    creditedPaise,
    givenBackPaise: notes.reduce((sum, { refundPaise }) => sum + refundPaise, 0n),
  };
  const merchant = { bucket, merchantId };
  await adjustCommission({ connection, merchant }, { franchiseId, invoiceId, subjectId, ...amounts });
}
