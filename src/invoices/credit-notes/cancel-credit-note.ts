// Use case: cancel a credit note that has no consequences yet. docs/rules/invoicing.md#cancelling-a-credit-note
import { auditValues } from "../../ledger/index.ts";
import type { MerchantKey, WriteContext } from "../../merchants/index.ts";
import { inTransaction, together, worksOf } from "../../platform/database/pool.ts";
import { NodalError } from "../../platform/errors.ts";
import { formatRupees } from "../../platform/indian-format.ts";
import { InvoiceChanges } from "../change-store.ts";
import { lockWithLater, writeDues } from "../dues/carry-dues.ts";
import { followUp } from "../invoice-changes.ts";
import { postingsOfNote } from "../invoice-postings.ts";
import { statusOf } from "../invoice.ts";
import { cancelStatement } from "../register/gst-store.ts";
import { creditNoteNotFound, refuseChanged } from "./credit-note-refund.ts";
import { findCreditNote, listCreditNotesOf, markCancelled } from "./credit-note-store.ts";
import { creditsGst, type CreditNote } from "./credit-note.ts";

/**
 * Cancels a credit note: the invoice, or the later one that carries its dues, is due again, its refund is no longer owed, and the
 * franchise's commission is restored. The number stays used.
 * @throws NodalError `credit_note_not_found`, `credit_note_cancelled`, `credit_note_in_use` if a refund or a later credit note
 * depends on it, or `access_denied` if it was changed with SQL
 */
export async function cancelCreditNote(
  { pool, ids, merchant: { bucket, merchantId } }: WriteContext<MerchantKey>,
  creditNoteId: bigint,
): Promise<CreditNote> {
  const key = { bucket, merchantId, creditNoteId };
  await inTransaction(pool, async (connection) => {
    const found = await findCreditNote(connection, key);
    if (!found) throw creditNoteNotFound();
    const [before, ...later] = await lockWithLater(connection, key, found.invoiceId);
    // Checked with the invoice locked: a refund may have been requested since.
    const note = (await findCreditNote(connection, key))!;
    refuseChanged(note);
    refuseIfCancelled(note);
    refuseIfFollowed(note, await listCreditNotesOf(connection, before));
    const cancelledAt = Temporal.Now.instant();
    await markCancelled(connection, key, cancelledAt);
    const registered = creditsGst(note) ? [cancelStatement([{ bucket, merchantId, documentId: creditNoteId }])] : [];
    await together(connection, ...worksOf(connection, registered));
    const uncredited = { ...before, creditedPaise: before.creditedPaise - note.reducesDuePaise };
    const after = { ...uncredited, status: statusOf(uncredited) };
    const subject = { kind: "credit_note_cancellation", id: creditNoteId, date: note.noteDate } as const;
    const changes = new InvoiceChanges(connection, subject);
    await writeDues(changes, ids, { before, after }, later, note.reducesDuePaise);
    const { amountPaise } = note;
    const event = {
      type: "credit_note.cancelled",
      subjectId: creditNoteId,
      after: auditValues({ amountPaise, cancelledAt }),
    };
    const lines = postingsOfNote(note).map(({ account, debitPaise }) => ({ account, debitPaise: -debitPaise }));
    await followUp(changes, ids, [event], [{ subject, invoice: before, lines }]);
  });
  return (await findCreditNote(pool, key))!;
}

/** @throws NodalError `credit_note_cancelled` */
function refuseIfCancelled({ cancelledAt }: CreditNote): void {
  if (cancelledAt !== null) throw new NodalError("credit_note_cancelled", "This credit note was already cancelled.");
}

/** @throws NodalError `credit_note_in_use`, naming what depends on the note */
function refuseIfFollowed({ creditNoteId, refund }: CreditNote, notes: readonly CreditNote[]): void {
  const { refundedPaise, underWayPaise, lastTransferId } = refund;
  const refuse = (message: string): never => {
    throw new NodalError("credit_note_in_use", message);
  };
  if (refundedPaise > 0n) {
    refuse(
      `${formatRupees(refundedPaise)} of it was refunded (payout ${lastTransferId}): bill it with a new invoice instead.`,
    );
  }
  if (underWayPaise > 0n) {
    refuse(
      `Its refund of ${formatRupees(underWayPaise)} is in progress (payout ${lastTransferId}): cancel it if that fails.`,
    );
  }
  const last = notes.at(-1);
  if (last && last.creditNoteId !== creditNoteId) {
    refuse(`The later credit note ${last.creditNoteNumber} of this invoice builds on it: cancel that one first.`);
  }
}
