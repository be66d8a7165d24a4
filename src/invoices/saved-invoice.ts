// What is answered of an invoice that was written, in a form that survives JSON: the answer to an Idempotency-Key is kept.
// What belongs here: that form, between the use cases and the wire.
import type { Customer } from "../customers/index.ts";
import type { Invoice } from "./invoice.ts";

/** Ids and amounts are strings of digits; amounts are paise. */
export type SavedInvoice = {
  readonly invoiceId: string;
  readonly invoiceNumber: string;
  readonly publicToken: string;
  readonly billDate: string;
  readonly amountPaise: string;
  readonly customerCode: string;
  readonly customerName: string;
  readonly email: string;
  readonly mobile: string;
};

/** An invoice and its customer as they are when the write is done. */
export function describeSaved(invoice: Invoice, customer: Customer): SavedInvoice {
  return {
    invoiceId: String(invoice.invoiceId),
    invoiceNumber: invoice.invoiceNumber,
    publicToken: invoice.publicToken,
    billDate: invoice.billDate.toString(),
    amountPaise: String(invoice.amountPaise),
    customerCode: customer.customerCode,
    customerName: customer.customerName,
    email: customer.email,
    mobile: customer.mobile,
  };
}
