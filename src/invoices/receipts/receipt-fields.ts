// The requests of receipts: documentation, validation and decoding. docs/rules/receipts.md#content
import { percentage } from "../../platform/http/tax-fields.ts";
import {
  digitsOrNumber,
  list,
  money,
  object,
  optional,
  optionalText,
  text,
  type Decoded,
} from "../../platform/http/fields.ts";
import type { AskedGst } from "./decide-terms.ts";
import { invoiceIdField } from "../invoice-fields.ts";
import { parseInvoiceId } from "../invoice.ts";
import { paymentFields, toPayment } from "../settlements/settlement-routes.ts";
import { placeOfSupply } from "../supply-fields.ts";
import type { NewReceipt } from "./record-receipt.ts";
import type { RefundDetails } from "../receipt.ts";
import { MAX_ALLOCATIONS, type Allocation } from "./use-receipt.ts";

const REFERENCE_LENGTH = 200;
const DESCRIPTION_LENGTH = 300;
/** Each is a transaction of its own: more would keep the request open for long. */
const MAX_BATCH = 100;
const { paid_date, amount, mode, bank_name, bank_ref_no, cheque_no, cash_paid_to, tds_amount, tds_code, notify } =
  paymentFields;
const moneyFields = {
  amount,
  date: paid_date,
  mode,
  bank_name,
  bank_ref_no,
  cheque_no,
  cash_paid_to,
  reference: optionalText(REFERENCE_LENGTH),
};
const allocations = optional(
  list(object({ invoice_id: invoiceIdField(), amount: money(), tds_amount: optional(money()) }), MAX_ALLOCATIONS, 0),
);

/** The GST in the rest of a receipt: docs/rules/receipts.md#gst-of-advances */
export const advanceGstFields = {
  rate: percentage(),
  description: optionalText(DESCRIPTION_LENGTH),
  place_of_supply: optional(placeOfSupply()),
};
const advanceGst = optional(object(advanceGstFields));

export const receiptFields = {
  customer_id: digitsOrNumber(16),
  ...moneyFields,
  tds_amount,
  tds_code,
  allocations,
  advance_gst: advanceGst,
  statement_line_id: optional(digitsOrNumber(16)),
  notify,
};
/** One receipt of a batch. `invoice_ids` in place of allocations: how much each uses depends on its due amount at that time. */
export const importedReceiptFields = {
  import_key: text({
    hint: "a key of 8 to 100 letters, digits and -",
    maxLength: 100,
    pattern: /^[A-Za-z0-9-]{8,100}$/,
  }),
  customer_id: receiptFields.customer_id,
  ...moneyFields,
  tds_amount,
  tds_code,
  invoice_ids: optional(list(invoiceIdField(), MAX_ALLOCATIONS)),
  notify,
};
/** The `receipt` array of a batch. */
export const importedReceiptList = () => list(object(importedReceiptFields), MAX_BATCH);
export const allocationFields = { date: optional(paid_date), allocations, notify };
export const receiptRefundFields = moneyFields;

type Sent<Fields> = { readonly [Name in keyof Fields]: Decoded<Fields[Name]> };

/** The use case's input from a receipt in the API. */
export function toNewReceipt(sent: Sent<typeof receiptFields>): NewReceipt {
  const { invoiceId: _, notify, ...payment } = toPayment({ ...sent, paid_date: sent.date }, 0n);
  return {
    customerId: BigInt(sent.customer_id),
    payment: {
      ...payment,
      reference: sent.reference ?? "",
      statementLineId: sent.statement_line_id === null ? null : BigInt(sent.statement_line_id),
      importKey: null,
    },
    allocations: toAllocations(sent.allocations),
    advanceGst: toAskedGst(sent.advance_gst),
    notify,
  };
}

function toAskedGst(sent: Sent<typeof receiptFields>["advance_gst"]): AskedGst | null {
  if (sent === null) return null;
  const { rate: rateThousandths, description, place_of_supply: place } = sent;
  return { rateThousandths, description: description ?? "Advance for services", place };
}

/** The use case's input from a receipt of a batch. */
export function toImportedReceipt(sent: Sent<typeof importedReceiptFields>): NewReceipt {
  const { import_key: importKey, invoice_ids: invoiceIds, ...rest } = sent;
  const { payment, ...receipt } = toNewReceipt({
    ...rest,
    allocations: null,
    statement_line_id: null,
    advance_gst: null,
  });
  const among = invoiceIds === null ? null : [...new Set(invoiceIds.map((id) => parseInvoiceId(id) ?? 0n))];
  return { ...receipt, payment: { ...payment, importKey }, among };
}

/** The invoices to use it; `null` if the request leaves the choice to Nodal. */
export function toAllocations(sent: Sent<typeof receiptFields>["allocations"]): readonly Allocation[] | null {
  if (sent === null) return null;
  return sent.map((each) => ({
    invoiceId: parseInvoiceId(each.invoice_id) ?? 0n,
    moneyPaise: each.amount,
    tdsPaise: each.tds_amount ?? 0n,
  }));
}

/** The use case's input from a refund in the API. */
export function toReceiptRefund(sent: Sent<typeof receiptRefundFields>): RefundDetails {
  const all = toPayment({ ...sent, paid_date: sent.date, tds_amount: null, tds_code: null, notify: null }, 0n);
  const { paidDate, amountPaise, mode, bankName, bankRefNo, chequeNo, cashPaidTo } = all;
  return { paidDate, amountPaise, mode, bankName, bankRefNo, chequeNo, cashPaidTo, reference: sent.reference ?? "" };
}
