// What a credit note owes back to the customer: it is paid out, or taken off what has become due again.
// What belongs here: how much is owed, and that no part of it leaves twice. Transfers are the payouts' business.
import { auditValues, recordEvents, type Happening } from "../ledger/index.ts";
import { requireMoneyMover, type Merchant } from "../merchants/index.ts";
import { saveRefundPayee, type PaidRefund, type PayRefund, type RefundPayee } from "../payouts/index.ts";
import type { IdSource } from "../platform/database/ids.ts";
import { inTransaction, type Connection, type Pool } from "../platform/database/pool.ts";
import { NodalError } from "../platform/errors.ts";
import { formatPaise } from "../platform/money.ts";
import { owedOf, type CreditNote } from "./credit-note.ts";
import { findCreditNote, insertRefund, listCreditNotesOf, moveToDue, updateRefundPayee } from "./credit-note-store.ts";
import { adjustInvoiceCommission } from "./invoice-commission.ts";
import { statusEvents } from "./invoice-events.ts";
import { dueOf, statusOf, type Invoice } from "./invoice.ts";
import { findInvoice, updateInvoice } from "./invoice-store.ts";

export type RefundParts = { readonly pool: Pool; readonly ids: IdSource; readonly payRefund: PayRefund };

/** What somebody saw and agreed to: how much is owed, and after how many attempts. */
export type AgreedRefund = { readonly owedPaise: bigint; readonly attempts: number };

/**
 * Pays out what a credit note still owes: a first time, again after a transfer that failed, or to somewhere else. With
 * `agreed`, nothing is paid where it has changed meanwhile: the same request once more pays nothing.
 * @throws NodalError `credit_note_not_found`, `refund_not_owed`, `refund_changed`, `no_bank_account`,
 * `insufficient_balance`, `limit_exceeded` or `reference_conflict`; where a new payee has to be approved or to cool off, it
 * is noted all the same
 */
export async function refundCreditNote(
  parts: RefundParts,
  merchant: Merchant,
  creditNoteId: bigint,
  payee: RefundPayee | null,
  agreed: AgreedRefund | null = null,
): Promise<CreditNote> {
  const key = { bucket: merchant.bucket, merchantId: merchant.merchantId, creditNoteId };
  const paid = await inTransaction(parts.pool, async (connection) => {
    const found = await findCreditNote(connection, key);
    if (!found) throw creditNoteNotFound();
    const invoice = (await findInvoice(connection, { ...key, invoiceId: found.invoiceId }, true))!;
    const after = await takeOwedOffDue(connection, invoice);
    if (after !== invoice) {
      await updateInvoice(connection, invoice, after);
      await adjustInvoiceCommission(connection, after, creditNoteId);
    }
    // Only with the invoice held: a twin may have paid it out since.
    const note = (await findCreditNote(connection, key))!;
    const takenOff = after === invoice ? [] : [takenOffEvent(note, invoice, after), ...statusEvents(invoice, after)];
    // Last, since it holds the book. What was taken off the debt stays taken off, also where nothing is paid.
    const tell = (): Promise<void> => recordEvents(connection, key, takenOff);
    if (owedOf(note) === 0n || (agreed && isOther(agreed, note))) {
      await tell();
      return owedOf(note) === 0n ? null : { refusal: refundChanged(note) };
    }
    const outcome = await payOwed(connection, parts, note, payee);
    await tell();
    if ("transferId" in outcome || outcome.isPayeeNew) return outcome;
    if (outcome.refusal.code !== "insufficient_balance") throw outcome.refusal;
    throw new NodalError(
      "insufficient_balance",
      `The available balance does not cover the refund of ${formatPaise(owedOf(note))}: add funds, then refund again. It stays owed.`,
    );
  });
  if (paid && "refusal" in paid) throw paid.refusal;
  if (!paid) {
    throw new NodalError(
      "refund_not_owed",
      "Nothing is owed back on this credit note, or it is under way to the bank.",
    );
  }
  return (await findCreditNote(parts.pool, key))!;
}

/**
 * Asks for the transfer of all that a note owes, to `payee` or to whom it went before. The caller holds the invoice, so
 * that of two at once the second finds nothing owed; the transfer and its place in the note are written together.
 * @throws NodalError `no_bank_account` where nobody has said where to, or `access_denied` for somebody who may not move money
 */
export async function payOwed(
  connection: Connection,
  { ids, payRefund }: Omit<RefundParts, "pool">,
  note: CreditNote,
  payee: RefundPayee | null,
): Promise<PaidRefund> {
  await requireMoneyMover(connection);
  const beneficiaryId = payee ? await saveRefundPayee(connection, ids, note, payee) : note.refundBeneficiaryId;
  if (beneficiaryId === null) {
    throw new NodalError(
      "no_bank_account",
      "Nobody has said where this refund goes: name a bank account or a UPI handle of the customer.",
    );
  }
  const happenings: Happening[] = [];
  if (beneficiaryId !== note.refundBeneficiaryId) {
    await updateRefundPayee(connection, note, beneficiaryId);
    happenings.push(payeeEvent(note, beneficiaryId));
  }
  const attempt = note.refund.attempts + 1;
  const paid = await payRefund(connection, {
    bucket: note.bucket,
    merchantId: note.merchantId,
    beneficiaryId,
    amountPaise: owedOf(note),
    referenceId: `refund-${note.creditNoteId}-${attempt}`,
    narrative: `Refund ${note.creditNoteNumber}`,
  });
  if ("transferId" in paid) {
    await insertRefund(connection, note, attempt, paid.transferId);
    const after = auditValues({ attempt, transferId: paid.transferId });
    happenings.push({ type: "credit_note.refund_asked", subjectId: note.creditNoteId, after });
  }
  // Only now, since it holds the book.
  await recordEvents(connection, note, happenings);
  return paid;
}

/** To whom a refund goes from now on, also where nothing leaves yet. */
function payeeEvent({ creditNoteId, refundBeneficiaryId }: CreditNote, beneficiaryId: bigint): Happening {
  return {
    type: "credit_note.refund_payee_changed",
    subjectId: creditNoteId,
    before: auditValues({ refundBeneficiaryId }),
    after: auditValues({ refundBeneficiaryId: beneficiaryId }),
  };
}

/**
 * Takes what credit notes owe back off what is due on their invoice, which is due again where a payment was reversed:
 * nobody owes and is owed for the same invoice. Answers the invoice as it is then, for the caller, who holds it, to write.
 */
export async function takeOwedOffDue(connection: Connection, invoice: Invoice): Promise<Invoice> {
  const duePaise = dueOf(invoice);
  let restPaise = duePaise;
  for (const note of await listCreditNotesOf(connection, invoice)) {
    const owedPaise = owedOf(note);
    const partPaise = owedPaise < restPaise ? owedPaise : restPaise;
    if (partPaise === 0n) continue;
    await moveToDue(connection, note, partPaise);
    restPaise -= partPaise;
  }
  if (restPaise === duePaise) return invoice;
  const credited = { ...invoice, creditedPaise: invoice.creditedPaise + duePaise - restPaise };
  return { ...credited, status: statusOf(credited) };
}

/** That what credit notes owed is taken off what was due, since nobody is told of it by a transfer. */
function takenOffEvent({ creditNoteId }: CreditNote, before: Invoice, after: Invoice): Happening {
  const amountPaise = after.creditedPaise - before.creditedPaise;
  const values = auditValues({ invoiceId: after.invoiceId, amountPaise });
  return { type: "credit_note.taken_off_due", subjectId: creditNoteId, after: values };
}

function isOther({ owedPaise, attempts }: AgreedRefund, note: CreditNote): boolean {
  return owedPaise !== owedOf(note) || attempts !== note.refund.attempts;
}

function refundChanged(note: CreditNote): NodalError {
  return new NodalError(
    "refund_changed",
    `What is owed back, or how its payment went, has changed: ${formatPaise(owedOf(note))} is owed now. Look at it, then refund again.`,
  );
}

/** The refusal for a credit note that the merchant does not have. */
export function creditNoteNotFound(): NodalError {
  return new NodalError("credit_note_not_found", "There is no such credit note: look its id up in the list of them.");
}
