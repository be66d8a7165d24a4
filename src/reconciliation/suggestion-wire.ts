// Suggested receipts as the API and the command line answer them. Amounts are in rupees.
import { dueOf, formatInvoiceId } from "../invoices/index.ts";
import { formatPaise } from "../platform/money.ts";
import { modeOf } from "./narration.ts";
import type { FoundLine } from "./statement-store.ts";
import type { ReceiptSuggestions } from "./suggest-receipts.ts";

/** Nothing is recorded, and nothing suggested. */
export const NO_RECEIPTS: ReceiptSuggestions = { recorded: [], suggestions: [] };

/** A line that a receipt is recorded from. */
export function describeReceiptLine(line: FoundLine) {
  return {
    line_id: String(line.lineId),
    side: line.side,
    date: line.bookedOn.toString(),
    amount: formatPaise(line.amountPaise),
    reference: line.reference ?? "",
    narration: line.narration ?? "",
    /** The mode of payment of the receipt, by the rail in the narration. */
    mode: modeOf(line.narration),
  };
}

/** The suggested receipts, and the existing records of the money. */
export function describeSuggestions({ recorded, suggestions }: ReceiptSuggestions) {
  return {
    recorded: recorded.map(({ kind, id, number, paidDate, amountPaise }) => ({
      kind,
      id: kind === "receipt" ? String(id) : formatInvoiceId(id),
      number,
      date: paidDate.toString(),
      amount: formatPaise(amountPaise),
    })),
    suggestions: suggestions.map(({ reason, explanation, isPossible, customer, invoices, advancePaise }) => ({
      reason,
      explanation,
      is_possible: isPossible,
      customer_id: String(customer.customerId),
      customer_code: customer.customerCode,
      customer_name: customer.customerName,
      invoices: invoices.map(({ invoice, paise }) => ({
        invoice_id: formatInvoiceId(invoice.invoiceId),
        invoice_number: invoice.invoiceNumber,
        due_date: invoice.dueDate.toString(),
        due_amount: formatPaise(dueOf(invoice)),
        amount: formatPaise(paise),
      })),
      advance_amount: formatPaise(advancePaise),
    })),
  };
}
