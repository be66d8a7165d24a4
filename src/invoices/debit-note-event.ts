import { auditValues, type NewEvent } from "../ledger/index.ts";
import type { CustomField, Invoice } from "./invoice.ts";

/** The header field with the reason of a debit note. */
export const DEBIT_NOTE_REASON: CustomField = { id: "reason", name: "Reason", type: "text", value: "" };

/** Why a debit note was issued. */
export function reasonOfDebitNote({ content }: Pick<Invoice, "content">): string {
  return content.headerFields.find(({ id }) => id === DEBIT_NOTE_REASON.id)?.value ?? "";
}

/** The journal event of a debit note, which comes before the events of the same document as an invoice. */
export function debitNoteEvent(type: "debit_note.issued" | "debit_note.cancelled", note: Invoice): NewEvent {
  const { invoiceId, invoiceNumber, originalInvoiceId, billDate, amountPaise } = note;
  const values = { debitNoteNumber: invoiceNumber, invoiceId: originalInvoiceId, date: billDate, amountPaise };
  return { type, subjectId: invoiceId, after: auditValues({ ...values, reason: reasonOfDebitNote(note) }) };
}
