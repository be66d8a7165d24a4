// Receipts in the API and the command line.
import { findCustomers, type Customer } from "../../customers/index.ts";
import type { Merchant } from "../../merchants/index.ts";
import type { Queryable } from "../../platform/database/pool.ts";
import { formatPaise, formatThousandths } from "../../platform/money.ts";
import { formatInstant } from "../../platform/time.ts";
import { sumOfTax, taxedRest, taxWithin, type AdvanceVoucher } from "../advances/advance-gst.ts";
import { listVouchers } from "../advances/advance-store.ts";
import { formatInvoiceId } from "../invoice.ts";
import { findInvoices } from "../invoice-store.ts";
import { findReceipt, listReceiptRefunds } from "../receipt-store.ts";
import { advanceOf, receiptNotFound, type Receipt, type ReceiptRefund } from "../receipt.ts";
import { listSettlementsOfReceipt } from "../settlement-store.ts";

/** One receipt with its allocations and refunds. @throws NodalError `receipt_not_found` */
export async function describeReceipt(db: Queryable, merchant: Merchant, receiptId: bigint) {
  const receipt = await findReceipt(db, merchant, receiptId);
  if (!receipt) throw receiptNotFound();
  const [customers, settlements, refunds, vouchers] = await Promise.all([
    findCustomers(db, merchant, [receipt.customerId]),
    listSettlementsOfReceipt(db, merchant, receiptId),
    listReceiptRefunds(db, receipt),
    listVouchers(db, merchant, receiptId),
  ]);
  const invoices = await findInvoices(db, merchant, [...new Set(settlements.map(({ invoiceId }) => invoiceId))]);
  const numbers = new Map(invoices.map(({ invoiceId, invoiceNumber }) => [invoiceId, invoiceNumber]));
  return {
    ...toReceipt(receipt, merchant, customers.get(receipt.customerId)!),
    allocations: settlements.map((settlement) => ({
      transaction_id: String(settlement.settlementId),
      invoice_id: formatInvoiceId(settlement.invoiceId),
      invoice_number: numbers.get(settlement.invoiceId)!,
      date: settlement.paidDate.toString(),
      amount: formatPaise(settlement.amountPaise - settlement.tdsPaise),
      tds_amount: formatPaise(settlement.tdsPaise),
      status: settlement.reversedAt ? "Reversed" : "Recorded",
    })),
    refunds: refunds.map(toRefund),
    vouchers: vouchers.map((voucher) => toVoucher(voucher, receipt)),
    advance_gst_amount: formatPaise(gstLeftOf(receipt, vouchers)),
  };
}

/** A refund of a receipt. */
export function toRefund(refund: ReceiptRefund) {
  return {
    refund_id: String(refund.refundId),
    date: refund.paidDate.toString(),
    amount: formatPaise(refund.amountPaise),
    ...describeMode(refund),
  };
}

/** The GST in the rest of a receipt. */
function gstLeftOf(receipt: Receipt, vouchers: readonly AdvanceVoucher[]): bigint {
  const issued = vouchers.find(({ kind }) => kind === "receipt_voucher");
  return issued ? sumOfTax(taxWithin(taxedRest(issued, receipt), issued)) : 0n;
}

/** A voucher of an advance. Reversing the receipt cancels it. */
function toVoucher(voucher: AdvanceVoucher, { reversedAt }: Receipt) {
  const { amountPaise, igstPaise, cgstPaise, sgstPaise, placeOfSupply } = voucher;
  return {
    voucher_id: String(voucher.voucherId),
    voucher_kind: voucher.kind,
    voucher_number: voucher.voucherNumber,
    date: voucher.voucherDate.toString(),
    status: reversedAt ? "Cancelled" : "Issued",
    description: voucher.content.description,
    rate: formatThousandths(voucher.rateThousandths),
    place_of_supply: placeOfSupply,
    amount: formatPaise(amountPaise),
    taxable_value: formatPaise(amountPaise - sumOfTax(voucher)),
    igst: formatPaise(igstPaise),
    cgst: formatPaise(cgstPaise),
    sgst: formatPaise(sgstPaise),
  };
}

/** A receipt without its allocations. Amounts are in rupees. */
export function toReceipt(receipt: Receipt, merchant: Merchant, { customerCode, customerName }: Customer) {
  return {
    receipt_id: String(receipt.receiptId),
    receipt_number: receipt.receiptNumber,
    status: receipt.reversedAt ? "Reversed" : "Recorded",
    customer_id: String(receipt.customerId),
    customer_code: customerCode,
    customer_name: customerName,
    date: receipt.paidDate.toString(),
    amount: formatPaise(receipt.amountPaise - receipt.tdsPaise),
    tds_amount: formatPaise(receipt.tdsPaise),
    tds_code: receipt.tdsCode,
    ...describeMode(receipt),
    used_amount: formatPaise(receipt.usedPaise),
    refunded_amount: formatPaise(receipt.refundedPaise),
    advance_amount: formatPaise(advanceOf(receipt)),
    statement_line_id: receipt.statementLineId === null ? "" : String(receipt.statementLineId),
    reversal_reason: receipt.reversalReason ?? "",
    created_at: formatInstant(receipt.createdAt, merchant.timeZone),
  };
}

type Mode = Pick<Receipt, "mode" | "bankName" | "bankRefNo" | "chequeNo" | "cashPaidTo" | "reference">;

function describeMode({ mode, bankName, bankRefNo, chequeNo, cashPaidTo, reference }: Mode) {
  return {
    mode,
    bank_name: bankName,
    bank_ref_no: bankRefNo,
    cheque_no: chequeNo,
    cash_paid_to: cashPaidTo,
    reference,
  };
}
