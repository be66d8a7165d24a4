// The wire shapes of invoices in answers: after a save, in lists, in detail. Source: merchant-api.md 2.7, decisions.md
// "Invoicing". What belongs here: schemas and the functions that fill them.
import { Type, type Static } from "typebox";
import { GROUP_OF_ALL } from "../customers/index.ts";
import type { Merchant, MerchantKey } from "../merchants/index.ts";
import { formatPaise } from "../platform/money.ts";
import { formatTimestamp } from "../platform/time.ts";
import type { InvoiceRecord } from "./invoice-list-store.ts";
import { dueOf, formatInvoiceId, type Invoice } from "./invoice.ts";
import type { SavedInvoice } from "./saved-invoice.ts";

/** Where the customer sees an invoice: the address begins with PUBLIC_URL, never with what a request says. */
export type Links = { shortUrl(invoice: Linked): string; pdfUrl(invoice: Linked): string };
/** What an address is made of. */
export type Linked = Pick<Invoice, "bucket" | "merchantId" | "invoiceId" | "publicToken">;

export const savedInvoice = Type.Object({
  invoice_id: Type.String(),
  invoice_number: Type.String(),
  code: Type.String({ description: "The customer's code" }),
  bill_date: Type.String(),
  patron_name: Type.String(),
  email_id: Type.String(),
  mobile: Type.String(),
  amount: Type.String(),
  short_url: Type.String({ description: "The public page of the invoice" }),
});

/** What a save, an update or a cancellation answers for each invoice. */
export function toSaved(
  saved: SavedInvoice,
  { bucket, merchantId }: MerchantKey,
  links: Links,
): Static<typeof savedInvoice> {
  const invoiceId = BigInt(saved.invoiceId);
  return {
    invoice_id: formatInvoiceId(invoiceId),
    invoice_number: saved.invoiceNumber,
    code: saved.customerCode,
    bill_date: saved.billDate,
    patron_name: saved.customerName,
    email_id: saved.email,
    mobile: saved.mobile,
    amount: formatPaise(BigInt(saved.amountPaise)),
    short_url: links.shortUrl({ bucket, merchantId, invoiceId, publicToken: saved.publicToken }),
  };
}

const customField = Type.Object({ id: Type.String(), name: Type.String(), type: Type.String(), value: Type.String() });

export const invoiceRecord = Type.Object({
  invoice_id: Type.Union([Type.String(), Type.Null()], { description: "null for a customer without invoices" }),
  invoice_number: Type.Union([Type.String(), Type.Null()]),
  bill_date: Type.String(),
  due_date: Type.String(),
  sent_date: Type.String(),
  customer_id: Type.Integer(),
  customer_code: Type.String(),
  customer_name: Type.String(),
  customer_group: Type.String(),
  custom_fields: Type.Array(customField),
  email: Type.String(),
  mobile: Type.String(),
  address: Type.String(),
  city: Type.String(),
  state: Type.String(),
  zipcode: Type.String(),
  amount: Type.String(),
  paid_amount: Type.String(),
  previous_dues: Type.String(),
  due_amount: Type.String(),
  due: Type.Integer({ description: "Days past the due date while something is due, else 0" }),
  status: Type.String(),
  cycle_name: Type.String(),
  franchise_id: Type.String(),
  franchise_name: Type.Union([Type.String(), Type.Null()]),
  created_by: Type.String(),
});

/** Days that something has been due for; 0 while it is not, and once nothing is due. */
function daysOverdue(dueDate: Temporal.PlainDate, duePaise: bigint, today: Temporal.PlainDate): number {
  return duePaise > 0n ? Math.max(0, dueDate.until(today, { largestUnit: "days" }).days) : 0;
}

/** `All`, then the customer's groups, joined by commas without spaces. Source: decisions.md, "Customers". */
export function toCustomerGroup(names: readonly string[]): string {
  return [GROUP_OF_ALL, ...names].join(",");
}

/** A list's record of an invoice. */
export function toRecord(
  record: InvoiceRecord,
  merchant: Merchant,
  today: Temporal.PlainDate,
): Static<typeof invoiceRecord> {
  const duePaise = dueOf({
    status: record.status,
    amountPaise: record.amount_paise,
    paidPaise: record.paid_paise,
    creditedPaise: record.credited_paise,
  });
  return {
    invoice_id: formatInvoiceId(record.invoice_id),
    invoice_number: record.invoice_number,
    bill_date: record.bill_date.toString(),
    due_date: record.due_date.toString(),
    sent_date: record.sent_at ? formatTimestamp(record.sent_at, merchant.timeZone) : "",
    customer_id: Number(record.customer_id),
    customer_code: record.customer_code,
    customer_name: record.customer_name,
    customer_group: toCustomerGroup(record.customer_groups),
    custom_fields: [...record.custom_fields],
    email: record.email,
    mobile: record.mobile,
    address: record.address,
    city: record.city,
    state: record.state,
    zipcode: record.zipcode,
    amount: formatPaise(record.amount_paise),
    paid_amount: formatPaise(record.paid_paise),
    previous_dues: formatPaise(record.previous_dues_paise),
    due_amount: formatPaise(duePaise),
    due: daysOverdue(record.due_date, duePaise, today),
    status: record.status,
    cycle_name: record.cycle_name,
    franchise_id: String(record.franchise_id),
    franchise_name: record.franchise_name,
    created_by: merchant.name,
  };
}
