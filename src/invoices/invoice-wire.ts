// The wire shapes of invoices in answers: after a save, and in lists.
import { Type, type Static } from "typebox";
import { GROUP_OF_ALL, type Customer } from "../customers/index.ts";
import type { Merchant, MerchantKey } from "../merchants/index.ts";
import { texts } from "../platform/http/field.ts";
import type { Warning } from "../platform/http/warning.ts";
import { formatPaise } from "../platform/money.ts";
import { formatTimestamp, type WriteInstant } from "../platform/time.ts";
import { dueOf, formatInvoiceId, overdueDays, type Invoice } from "./invoice.ts";
import type { InvoiceRecord } from "./lists/invoice-list-store.ts";
import { warningsOfInvoice } from "./invoice-warnings.ts";

/** The public address of an invoice. It begins with PUBLIC_URL, and never with a value from a request. */
export type Links = { shortUrl(invoice: Linked): string; pdfUrl(invoice: Linked): string };
/** The parts of an address. */
export type Linked = Pick<Invoice, "bucket" | "merchantId" | "invoiceId" | "publicToken">;

export const savedInvoice = Type.Object({
  ...texts("invoice_id", "invoice_number"),
  code: Type.String({ description: "The customer's code" }),
  ...texts("bill_date", "patron_name", "email_id", "mobile", "amount"),
  short_url: Type.String({ description: "The public page of the invoice" }),
});

/** An invoice in the response of a save, an update or a cancellation. */
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

export const customField = Type.Object(texts("id", "name", "type", "value"));

/** A customer's contact details. */
export const CONTACT = ["email", "mobile", "address", "city", "state", "zipcode"] as const;
type Contact = { readonly [Name in (typeof CONTACT)[number]]: string };

export function contactOf({ email, mobile, address, city, state, zipcode }: Contact): Contact {
  return { email, mobile, address, city, state, zipcode };
}

export const invoiceRecord = Type.Object({
  invoice_id: Type.Union([Type.String(), Type.Null()], { description: "null for a customer without invoices" }),
  invoice_number: Type.Union([Type.String(), Type.Null()]),
  ...texts("bill_date", "due_date", "sent_date"),
  customer_id: Type.Integer(),
  ...texts("customer_code", "customer_name", "customer_group"),
  custom_fields: Type.Array(customField),
  ...texts(...CONTACT, "amount", "paid_amount", "previous_dues", "due_amount"),
  due: Type.Integer({ description: "Days past the due date while something is due, else 0" }),
  ...texts("status", "cycle_name", "franchise_id"),
  franchise_name: Type.Union([Type.String(), Type.Null()]),
  created_by: Type.String(),
});

/** `All`, then the customer's groups, joined by commas without spaces: docs/rules/customers.md#groups. */
export function toCustomerGroup(names: readonly string[]): string {
  return [GROUP_OF_ALL, ...names].join(",");
}

/** A list's record of an existing invoice. */
export type ListedInvoice = Static<typeof invoiceRecord> & {
  readonly invoice_id: string;
  readonly invoice_number: string;
};

/** A list's record of an invoice. `write` formats times. */
export function toRecord(
  record: InvoiceRecord,
  merchant: Merchant,
  today: Temporal.PlainDate,
  write: WriteInstant = formatTimestamp,
): ListedInvoice {
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
    sent_date: record.sent_at ? write(record.sent_at, merchant.timeZone) : "",
    customer_id: Number(record.customer_id),
    customer_code: record.customer_code,
    customer_name: record.customer_name,
    customer_group: toCustomerGroup(record.customer_groups),
    custom_fields: [...record.custom_fields],
    ...contactOf(record),
    amount: formatPaise(record.amount_paise),
    paid_amount: formatPaise(record.paid_paise),
    previous_dues: formatPaise(record.previous_dues_paise),
    due_amount: formatPaise(duePaise),
    due: overdueDays({ dueDate: record.due_date, duePaise }, today),
    status: record.status,
    cycle_name: record.cycle_name,
    franchise_id: String(record.franchise_id),
    franchise_name: record.franchise_name,
    created_by: merchant.name,
  };
}

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
  /** Values that may surprise, or are probably mistakes; fields are relative to the invoice. Left out without warnings. */
  readonly warnings?: readonly Warning[];
  /** The line on which it begins in its uploaded file. */
  readonly line?: number;
};

/** The warnings of saved invoices. `pathOf` names the invoice at an index of the request. */
export function warningsOfSaved(saved: readonly SavedInvoice[], pathOf: (index: number) => string): Warning[] {
  return saved.flatMap(({ warnings = [] }, index) =>
    warnings.map(({ field, ...warning }) => ({ ...warning, field: `${pathOf(index)}.${field}` })),
  );
}

/**
 * An invoice and its customer after the write. `today` is the merchant's day, for warnings; `null` for no warnings.
 */
export function describeSaved(invoice: Invoice, customer: Customer, today: Temporal.PlainDate | null): SavedInvoice {
  const warnings = today === null ? [] : warningsOfInvoice(invoice, today);
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
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}
