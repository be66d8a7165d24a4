// Debit notes in the API, and in their events.
import type { Customer } from "../../customers/index.ts";
import { todayOf, type Merchant } from "../../merchants/index.ts";
import { formatPaise, formatThousandths } from "../../platform/money.ts";
import { formatInstant } from "../../platform/time.ts";
import { reasonOfDebitNote } from "../debit-note-event.ts";
import type { Links } from "../invoice-wire.ts";
import { dueOf, formatInvoiceId, overdueDays, shownStatus, type Invoice } from "../invoice.ts";
import { toWireLine } from "../lines/line-forms.ts";

/** A debit note with its rows and taxes. Amounts are in rupees; whether it is overdue is as of the merchant's today. */
export function toDebitNote(
  note: Invoice,
  { customerCode, customerName }: Pick<Customer, "customerCode" | "customerName">,
  merchant: Merchant,
  links: Links,
) {
  const original = note.content.original!;
  const duePaise = dueOf(note);
  const days = overdueDays({ dueDate: note.dueDate, duePaise }, todayOf(merchant));
  return {
    debit_note_id: formatInvoiceId(note.invoiceId),
    debit_note_number: note.invoiceNumber,
    invoice_id: formatInvoiceId(original.invoiceId),
    invoice_number: original.number,
    invoice_date: original.date,
    customer_code: customerCode,
    customer_name: customerName,
    date: note.billDate.toString(),
    due_date: note.dueDate.toString(),
    reason: reasonOfDebitNote(note),
    amount: formatPaise(note.amountPaise),
    taxable_value: formatPaise(note.subTotalPaise),
    tax: formatPaise(note.taxTotalPaise),
    paid_amount: formatPaise(note.paidPaise),
    due_amount: formatPaise(duePaise),
    overdue_days: days,
    status: shownStatus(note.status, days),
    carried_to: note.carriedTo === null ? "" : formatInvoiceId(note.carriedTo),
    particular_rows: note.content.rows.map(toWireLine),
    tax_rows: note.content.taxes.map((tax) => ({
      name: tax.name,
      percentage: formatThousandths(tax.percentThousandths),
      applicable_on: formatPaise(tax.applicableOnPaise),
      amount: formatPaise(tax.amountPaise),
    })),
    short_url: links.shortUrl(note),
    pdf_url: links.pdfUrl(note),
    created_at: formatInstant(note.createdAt, merchant.timeZone),
  };
}
