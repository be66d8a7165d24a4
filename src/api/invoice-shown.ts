// Details around an invoice in the API: credit and debit notes, the creditable rest, refunds and messages.
import {
  creditableRows,
  creditsGst,
  dueOf,
  formatInvoiceId,
  overdueDays,
  piecesLeft,
  shownStatus,
  toCreditNote,
  type CreditNote,
  type Invoice,
  type Refund,
} from "../invoices/index.ts";
import { todayOf, type Merchant } from "../merchants/index.ts";
import type { Notification } from "../notifications/index.ts";
import { formatPaise, formatThousandths } from "../platform/money.ts";
import { formatInstant } from "../platform/time.ts";
import { kindOfNote, statusOfNote } from "./shown.ts";

/** The invoice that a debit note charges more for; `null` for other documents. */
export function describeOriginal({ content: { original } }: Invoice) {
  if (!original) return null;
  return {
    invoice_id: formatInvoiceId(original.invoiceId),
    invoice_number: original.number,
    invoice_date: original.date,
  };
}

/** A debit note of an invoice. */
export function describeDebit(note: Invoice, merchant: Merchant) {
  const duePaise = dueOf(note);
  return {
    debit_note_id: formatInvoiceId(note.invoiceId),
    debit_note_number: note.invoiceNumber,
    date: note.billDate.toString(),
    amount: formatPaise(note.amountPaise),
    due_amount: formatPaise(duePaise),
    status: shownStatus(note.status, overdueDays({ dueDate: note.dueDate, duePaise }, todayOf(merchant))),
  };
}

/**
 * The creditable rest of each row: with tax, without tax, and in pieces. Empty if custom taxes can't be assigned to rows.
 */
export function describeCreditable(invoice: Invoice, notes: readonly CreditNote[]) {
  const earlier = notes.filter((note) => note.cancelledAt === null && creditsGst(note));
  const pieces = piecesLeft(invoice, earlier);
  return (creditableRows(invoice, earlier) ?? []).map(({ line, amountPaise, taxablePaise }) => {
    const { item, unit = "", quantityThousandths } = invoice.content.rows[line - 1]!;
    return {
      row: line,
      item,
      left: formatPaise(amountPaise),
      left_taxable: formatPaise(taxablePaise),
      left_quantity: quantityThousandths === undefined ? "" : formatThousandths(pieces[line - 1]!),
      unit,
    };
  });
}

/** A credit note of an invoice, possibly cancelled, with the status of its refund. */
export function describeNote<Shown extends object>(note: CreditNote, refund: Shown) {
  return {
    ...toCreditNote(note),
    kind: kindOfNote(note),
    status: statusOfNote(note),
    ...refund,
  };
}

/** Completed refunds to the customer, oldest first, and their total. */
export function describeRefunded(refunds: readonly Refund[], { timeZone }: Merchant) {
  return {
    refunds: refunds.map((each) => ({
      credit_note_number: each.creditNoteNumber,
      amount: formatPaise(each.amountPaise),
      refunded_at: formatInstant(each.paidAt, timeZone),
    })),
    refunded: formatPaise(refunds.reduce((sum, { amountPaise }) => sum + amountPaise, 0n)),
  };
}

/** A message to the customer about an invoice. */
export function describeMessage(message: Notification, { timeZone }: Merchant) {
  const moment = message.sentAt ?? message.createdAt;
  return {
    message_id: String(message.notificationId),
    kind: message.kind,
    channel: message.channel,
    state: message.state,
    recipient: message.wording?.recipient ?? message.sendTo ?? "",
    reason: message.reason ?? "",
    at: formatInstant(moment, timeZone),
  };
}
