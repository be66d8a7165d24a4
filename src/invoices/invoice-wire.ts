// The wire shapes of invoices in answers: after a save, and in lists.
import { Type, type Static } from "typebox";
import { GROUP_OF_ALL, type Customer } from "../customers/index.ts";
import type { Merchant, MerchantKey } from "../merchants/index.ts";
import { texts } from "../platform/http/field.ts";
import type { Warning } from "../platform/http/warning.ts";
import { formatPaise } from "../platform/money.ts";
import { unprintableLetters } from "../platform/pdf/fonts.ts";
import { formatTimestamp } from "../platform/time.ts";
import { dueOf, formatInvoiceId, overdueDays, type Invoice } from "./invoice.ts";
import type { InvoiceRecord } from "./lists/invoice-list-store.ts";

/** Where the customer sees an invoice: the address begins with PUBLIC_URL, never with what a request says. */
export type Links = { shortUrl(invoice: Linked): string; pdfUrl(invoice: Linked): string };
/** What an address is made of. */
export type Linked = Pick<Invoice, "bucket" | "merchantId" | "invoiceId" | "publicToken">;

export const savedInvoice = Type.Object({
  ...texts("invoice_id", "invoice_number"),
  code: Type.String({ description: "The customer's code" }),
  ...texts("bill_date", "patron_name", "email_id", "mobile", "amount"),
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

export const customField = Type.Object(texts("id", "name", "type", "value"));

/** Where a customer is reached. */
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

/** A list's record of an invoice that there is. */
export type ListedInvoice = Static<typeof invoiceRecord> & {
  readonly invoice_id: string;
  readonly invoice_number: string;
};

/** A list's record of an invoice. */
export function toRecord(record: InvoiceRecord, merchant: Merchant, today: Temporal.PlainDate): ListedInvoice {
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
  /** The first row whose GST is not charged since the supplier has no GSTIN, where there is one. */
  readonly untaxedRow?: number;
  /** What an empty box stands for on paper, where there is any. */
  readonly unprintable?: Unprintable;
  /** Where it begins in the file that it was uploaded with. */
  readonly line?: number;
};

/** What to say of what will surprise. `pathOf` names the invoice with this place in the request. */
export function warningsOf(saved: readonly SavedInvoice[], pathOf: (index: number) => string): Warning[] {
  return saved.flatMap(({ untaxedRow, unprintable }, index) => [
    ...(untaxedRow === undefined ? [] : [untaxedWarning(`${pathOf(index)}.particular_rows[${untaxedRow}].gst`)]),
    ...(unprintable === undefined
      ? []
      : [unprintableWarning(`${pathOf(index)}.${unprintable.field}`, unprintable.letters)]),
  ]);
}

function untaxedWarning(field: string): Warning {
  const message =
    "The GST of this invoice's rows is not charged, because the supplier has no GSTIN. Enter the GSTIN in the " +
    "company's settings (or in the template's company), or send rows without gst.";
  return { code: "gst_not_charged", field, message };
}

/** More are not read by anybody. */
const MOST_LETTERS = 20;

function unprintableWarning(field: string, letters: string): Warning {
  const all = [...letters];
  const shown = all.slice(0, MOST_LETTERS).join(" ") + (all.length > MOST_LETTERS ? " …" : "");
  const message =
    `The PDF of this invoice shows empty boxes in place of ${shown}: its fonts do not have them. ` +
    "Write them in Latin letters or in another script that it has.";
  return { code: "letters_not_printed", field, message };
}

/** The first row that names a rate which is not charged: docs/rules/invoicing.md#place-of-supply. */
function untaxedRowOf({ rows, ownTaxes, supply, supplier }: Invoice["content"]): number | undefined {
  if (ownTaxes || supply !== "untaxed" || supplier.gstin !== "") return undefined;
  const index = rows.findIndex(({ gstThousandths }) => gstThousandths > 0n);
  return index === -1 ? undefined : index;
}

/** An invoice and its customer as they are when the write is done. */
export function describeSaved(invoice: Invoice, customer: Customer): SavedInvoice {
  const untaxedRow = untaxedRowOf(invoice.content);
  const unprintable = unprintableOf(invoice);
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
    ...(untaxedRow === undefined ? {} : { untaxedRow }),
    ...(unprintable === undefined ? {} : { unprintable }),
  };
}

/** `field` is the first text that has any, below the invoice's own path; `letters` are those of all its texts, each once. */
export type Unprintable = { readonly field: string; readonly letters: string };

/** `undefined` where all of what the invoice says can be printed. */
export function unprintableOf(invoice: Pick<Invoice, "content" | "cycleName">): Unprintable | undefined {
  const found = textsOf(invoice)
    .map(([field, text]) => ({ field, letters: unprintableLetters(text) }))
    .filter(({ letters }) => letters !== "");
  if (found.length === 0) return undefined;
  return { field: found[0]!.field, letters: [...new Set(found.flatMap(({ letters }) => [...letters]))].join("") };
}

/** What is printed of one invoice alone. The supplier, terms and signatory are the same on all, and shown with the template. */
function textsOf({ content, cycleName }: Pick<Invoice, "content" | "cycleName">): [field: string, text: string][] {
  const { name, address, city, state } = content.recipient;
  return [
    ...content.rows.flatMap((row, index): [string, string][] => [
      [`particular_rows[${index}].item`, row.item],
      [`particular_rows[${index}].sac_code`, row.sacCode],
      [`particular_rows[${index}].description`, row.description],
    ]),
    ...content.taxes.map((tax): [string, string] => ["tax_rows", tax.name]),
    ...content.headerFields.map((field): [string, string] => ["custom_header_fields", `${field.name} ${field.value}`]),
    ["bill_cycle_name", cycleName],
    ["customer_code", [name, address, city, state].join(" ")],
  ];
}
