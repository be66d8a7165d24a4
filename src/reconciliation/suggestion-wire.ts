// Suggested receipts as the API and the command line answer them. Amounts are in rupees.
import { dueOf, formatInvoiceId } from "../invoices/index.ts";
import { formatPaise } from "../platform/money.ts";
import type { ReceiptSuggestions } from "./suggest-receipts.ts";

/** What may be recorded, and what is recorded already. */
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
