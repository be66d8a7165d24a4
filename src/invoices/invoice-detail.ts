// The detail of one invoice: docs/rules/invoicing.md#invoice-detail.
import { Type, type Static } from "typebox";
import { findCustomers, type Customer } from "../customers/index.ts";
import { todayOf, type Merchant, type ReadContext } from "../merchants/index.ts";
import { texts } from "../platform/http/field.ts";
import { formatPaise, formatThousandths } from "../platform/money.ts";
import { listCreditNotesOf } from "./credit-notes/credit-note-store.ts";
import type { CreditNote } from "./credit-notes/credit-note.ts";
import { findInvoice } from "./invoice-store.ts";
import {
  CONTACT,
  contactOf,
  customField,
  invoiceRecord,
  toRecord,
  type Links,
  type ListedInvoice,
} from "./invoice-wire.ts";
import { formatInvoiceId, invoiceNotFound, type Invoice } from "./invoice.ts";
import { lineSchema, toWireLine } from "./lines/line-forms.ts";
import { readRecord } from "./lists/invoice-list-store.ts";
import { describeSupply, supplySchema } from "./supply-fields.ts";
import { listSettlements, type Settlement } from "./settlement-store.ts";
import type { WriteInstant } from "../platform/time.ts";

const settlementRecord = Type.Object({
  ...texts("transaction_id", "paid_date", "amount", "mode", "bank_name", "bank_ref_no", "cheque_no", "cash_paid_to"),
  tds_amount: Type.String({ description: "Of `amount`: the tax that the customer deducted" }),
  tds_code: Type.String({ description: "Payment code of the deduction; else empty" }),
  via_transaction_id: Type.String({
    description: "The later invoice's payment that includes this one, if dues were carried forward; else empty",
  }),
  status: Type.Enum(["Recorded", "Reversed"]),
});

const creditNoteRecord = Type.Object({
  ...texts("credit_note_id", "credit_note_number", "credit_note_date", "amount"),
  reduces_due: Type.String({ description: "Part of the amount that reduces what is due" }),
  refund: Type.String({ description: "Part of the amount that was paid and is owed back" }),
  refunded: Type.String({ description: "Part of the refund that was paid to the customer" }),
  reason: Type.String(),
});

export const invoiceDetail = Type.Intersect([
  invoiceRecord,
  Type.Object({
    bill_cycle_name: Type.String(),
    custom_header_fields: Type.Array(customField),
    particular_rows: Type.Array(lineSchema),
    tax_rows: Type.Array(Type.Object(texts("name", "percentage", "applicable_on", "amount"))),
    carried_to: Type.String({ description: "The later invoice that carries the amount due; else empty" }),
    ...texts("sub_total", "tax_total"),
    ...supplySchema,
    round_off: Type.Optional(Type.String({ description: "1 if the total is rounded to whole rupees; else left out" })),
    round_off_amount: Type.Optional(
      Type.String({ description: "What rounding adds, in rupees, or with - takes off; left out if that is nothing" }),
    ),
    settlements: Type.Array(settlementRecord),
    credit_notes: Type.Array(creditNoteRecord),
    customer: Type.Object({
      customer_id: Type.Integer(),
      ...texts("customer_code", "customer_name", ...CONTACT),
      custom_fields: Type.Array(customField),
    }),
    ...texts("template_id", "short_url", "pdf_url"),
  }),
]);

function toCustomer(customer: Customer): Static<typeof invoiceDetail>["customer"] {
  return {
    customer_id: Number(customer.customerId),
    customer_code: customer.customerCode,
    customer_name: customer.customerName,
    ...contactOf(customer),
    custom_fields: [...customer.customFields],
  };
}

function toSettlement(settlement: Settlement): Static<typeof settlementRecord> {
  return {
    transaction_id: String(settlement.settlementId),
    paid_date: settlement.paidDate.toString(),
    amount: formatPaise(settlement.amountPaise),
    mode: settlement.mode,
    bank_name: settlement.bankName,
    bank_ref_no: settlement.bankRefNo,
    cheque_no: settlement.chequeNo,
    cash_paid_to: settlement.cashPaidTo,
    tds_amount: formatPaise(settlement.tdsPaise),
    tds_code: settlement.tdsCode,
    via_transaction_id: settlement.viaSettlementId === null ? "" : String(settlement.viaSettlementId),
    status: settlement.reversedAt ? "Reversed" : "Recorded",
  };
}

/** A credit note in the detail of its invoice. */
export function toCreditNote(note: CreditNote): Static<typeof creditNoteRecord> {
  return {
    credit_note_id: String(note.creditNoteId),
    credit_note_number: note.creditNoteNumber,
    credit_note_date: note.noteDate.toString(),
    amount: formatPaise(note.amountPaise),
    reduces_due: formatPaise(note.reducesDuePaise),
    refund: formatPaise(note.refundPaise),
    refunded: formatPaise(note.refund.refundedPaise),
    reason: note.reason,
  };
}

/** The detail of an invoice, in addition to its list record. */
function toDetail(
  record: ListedInvoice,
  invoice: Invoice,
  customer: Customer,
  settlements: readonly Settlement[],
  creditNotes: readonly CreditNote[],
  links: Links,
): Static<typeof invoiceDetail> & ListedInvoice {
  const { headerFields, rows, taxes, roundsTotal = false, roundOffPaise = 0n } = invoice.content;
  return {
    ...record,
    bill_cycle_name: invoice.cycleName,
    custom_header_fields: [...headerFields],
    particular_rows: rows.map(toWireLine),
    tax_rows: taxes.map((tax) => ({
      name: tax.name,
      percentage: formatThousandths(tax.percentThousandths),
      applicable_on: formatPaise(tax.applicableOnPaise),
      amount: formatPaise(tax.amountPaise),
    })),
    carried_to: invoice.carriedTo === null ? "" : formatInvoiceId(invoice.carriedTo),
    sub_total: formatPaise(invoice.subTotalPaise),
    tax_total: formatPaise(invoice.taxTotalPaise),
    ...describeSupply(invoice.content),
    ...(roundsTotal ? { round_off: "1" } : {}),
    ...(roundOffPaise === 0n ? {} : { round_off_amount: formatPaise(roundOffPaise) }),
    settlements: settlements.map(toSettlement),
    credit_notes: creditNotes.map(toCreditNote),
    customer: toCustomer(customer),
    template_id: String(invoice.templateId),
    short_url: links.shortUrl(invoice),
    pdf_url: links.pdfUrl(invoice),
  };
}

/** An invoice with its payments and credit notes. `write` formats times. @throws NodalError `invoice_not_found` */
export async function readDetail(
  { pool, merchant, links }: ReadContext<Merchant> & { readonly links: Links },
  invoiceId: bigint,
  write?: WriteInstant,
): Promise<Static<typeof invoiceDetail> & ListedInvoice> {
  const key = { bucket: merchant.bucket, merchantId: merchant.merchantId, invoiceId };
  const invoice = await findInvoice(pool, key);
  if (!invoice) throw invoiceNotFound();
  const [record, customers, settlements, creditNotes] = await Promise.all([
    readRecord(pool, key),
    findCustomers(pool, merchant, [invoice.customerId]),
    listSettlements(pool, key),
    listCreditNotesOf(pool, key),
  ]);
  const customer = customers.get(invoice.customerId)!;
  const listed = toRecord(record, merchant, todayOf(merchant), write);
  return toDetail(listed, invoice, customer, settlements, creditNotes, links);
}
