// Receipts as the API and the command line answer them.
import { findCustomers, type Customer } from "../../customers/index.ts";
import type { Merchant } from "../../merchants/index.ts";
import type { Queryable } from "../../platform/database/pool.ts";
import { formatPaise } from "../../platform/money.ts";
import { formatInstant } from "../../platform/time.ts";
import { formatInvoiceId } from "../invoice.ts";
import { findInvoices } from "../invoice-store.ts";
import { findReceipt, listReceiptRefunds } from "../receipt-store.ts";
import { advanceOf, receiptNotFound, type Receipt } from "../receipt.ts";
import { listSettlementsOfReceipt } from "../settlement-store.ts";

/** One receipt with its allocations and refunds. @throws NodalError `receipt_not_found` */
export async function describeReceipt(db: Queryable, merchant: Merchant, receiptId: bigint) {
  const receipt = await findReceipt(db, merchant, receiptId);
  if (!receipt) throw receiptNotFound();
  const [customers, settlements, refunds] = await Promise.all([
    findCustomers(db, merchant, [receipt.customerId]),
    listSettlementsOfReceipt(db, merchant, receiptId),
    listReceiptRefunds(db, receipt),
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
    refunds: refunds.map((refund) => ({
      refund_id: String(refund.refundId),
      date: refund.paidDate.toString(),
      amount: formatPaise(refund.amountPaise),
      ...describeMode(refund),
    })),
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
