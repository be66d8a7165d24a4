// The wire shape of one invoice in full. Source: decisions.md, "Invoicing": "Detail answers with …".
// What belongs here: the schema, and turning rows, taxes and settlements into it.
import { Type, type Static } from "typebox";
import type { Customer } from "../customers/index.ts";
import { formatPaise, formatThousandths } from "../platform/money.ts";
import type { CreditNote } from "./credit-note.ts";
import { invoiceRecord, type Links } from "./invoice-wire.ts";
import { formatInvoiceId, type Invoice } from "./invoice.ts";
import type { Settlement } from "./settlement-store.ts";

const customField = Type.Object({ id: Type.String(), name: Type.String(), type: Type.String(), value: Type.String() });

const settlementRecord = Type.Object({
  transaction_id: Type.String(),
  paid_date: Type.String(),
  amount: Type.String(),
  mode: Type.String(),
  bank_name: Type.String(),
  bank_ref_no: Type.String(),
  cheque_no: Type.String(),
  cash_paid_to: Type.String(),
  via_transaction_id: Type.String({
    description: "The payment of a later invoice that this is a part of, where dues were carried forward; else empty",
  }),
  status: Type.Enum(["Recorded", "Reversed"]),
});

const creditNoteRecord = Type.Object({
  credit_note_id: Type.String(),
  credit_note_number: Type.String(),
  credit_note_date: Type.String(),
  amount: Type.String(),
  reduces_due: Type.String({ description: "Of the amount: what is not due any more" }),
  refund: Type.String({ description: "Of the amount: what was paid and is owed back" }),
  refunded: Type.String({ description: "Of the refund: what has reached the customer" }),
  reason: Type.String(),
});

export const invoiceDetail = Type.Intersect([
  invoiceRecord,
  Type.Object({
    bill_cycle_name: Type.String(),
    custom_header_fields: Type.Array(customField),
    particular_rows: Type.Array(
      Type.Object({
        item: Type.String(),
        sac_code: Type.String(),
        description: Type.String(),
        gst: Type.String(),
        total_amount: Type.String(),
      }),
    ),
    tax_rows: Type.Array(
      Type.Object({
        name: Type.String(),
        percentage: Type.String(),
        applicable_on: Type.String(),
        amount: Type.String(),
      }),
    ),
    carried_to: Type.String({ description: "The later invoice that what was due here moved onto; else empty" }),
    sub_total: Type.String(),
    tax_total: Type.String(),
    settlements: Type.Array(settlementRecord),
    credit_notes: Type.Array(creditNoteRecord),
    customer: Type.Object({
      customer_id: Type.Integer(),
      customer_code: Type.String(),
      customer_name: Type.String(),
      email: Type.String(),
      mobile: Type.String(),
      address: Type.String(),
      city: Type.String(),
      state: Type.String(),
      zipcode: Type.String(),
      custom_fields: Type.Array(customField),
    }),
    template_id: Type.String(),
    short_url: Type.String(),
    pdf_url: Type.String(),
  }),
]);

function toCustomer(customer: Customer): Static<typeof invoiceDetail>["customer"] {
  return {
    customer_id: Number(customer.customerId),
    customer_code: customer.customerCode,
    customer_name: customer.customerName,
    email: customer.email,
    mobile: customer.mobile,
    address: customer.address,
    city: customer.city,
    state: customer.state,
    zipcode: customer.zipcode,
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
    via_transaction_id: settlement.viaSettlementId === null ? "" : String(settlement.viaSettlementId),
    status: settlement.reversedAt ? "Reversed" : "Recorded",
  };
}

/** A credit note, as the detail of its invoice lists it. */
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

/** The detail of an invoice, around its list record. */
export function toDetail(
  record: Static<typeof invoiceRecord>,
  invoice: Invoice,
  customer: Customer,
  settlements: readonly Settlement[],
  creditNotes: readonly CreditNote[],
  links: Links,
): Static<typeof invoiceDetail> {
  const { headerFields, rows, taxes } = invoice.content;
  return {
    ...record,
    bill_cycle_name: invoice.cycleName,
    custom_header_fields: [...headerFields],
    particular_rows: rows.map((row) => ({
      item: row.item,
      sac_code: row.sacCode,
      description: row.description,
      gst: formatThousandths(row.gstThousandths),
      total_amount: formatPaise(row.amountPaise),
    })),
    tax_rows: taxes.map((tax) => ({
      name: tax.name,
      percentage: formatThousandths(tax.percentThousandths),
      applicable_on: formatPaise(tax.applicableOnPaise),
      amount: formatPaise(tax.amountPaise),
    })),
    carried_to: invoice.carriedTo === null ? "" : formatInvoiceId(invoice.carriedTo),
    sub_total: formatPaise(invoice.subTotalPaise),
    tax_total: formatPaise(invoice.taxTotalPaise),
    settlements: settlements.map(toSettlement),
    credit_notes: creditNotes.map(toCreditNote),
    customer: toCustomer(customer),
    template_id: String(invoice.templateId),
    short_url: links.shortUrl(invoice),
    pdf_url: links.pdfUrl(invoice),
  };
}
