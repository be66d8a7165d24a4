// A receipt: money that a customer paid, which settlements of invoices use. The rest is the customer's advance.
// docs/rules/receipts.md
import { auditValues, type NewEvent } from "../ledger/index.ts";
import type { MerchantKey } from "../merchants/index.ts";
import { NodalError } from "../platform/errors.ts";
import type { Posting, PostingSubject } from "./posting.ts";
import type { PostingLine } from "./invoice-postings.ts";
import type { PaymentDetails } from "./settlement-store.ts";

export type ReceiptKey = MerchantKey & { readonly receiptId: bigint };

export type Receipt = ReceiptKey &
  PaymentDetails & {
    readonly seriesId: bigint;
    readonly financialYear: number;
    readonly receiptNumber: string;
    readonly customerId: bigint;
    /** The merchant's note; empty for none. */
    readonly reference: string;
    /** The line of a bank statement that it was recorded from. */
    readonly statementLineId: bigint | null;
    /** Identifies the line of the imported file; `null` if it was not imported. */
    readonly importKey: string | null;
    /** The part of the amount that settlements have used, TDS included. */
    readonly usedPaise: bigint;
    /** The part of the TDS that settlements have used. */
    readonly usedTdsPaise: bigint;
    /** Money that was given back to the customer. */
    readonly refundedPaise: bigint;
    readonly createdAt: Temporal.Instant;
    readonly reversedAt: Temporal.Instant | null;
    readonly reversalReason: string | null;
  };

/** How money of a receipt was refunded. */
export type RefundDetails = Omit<PaymentDetails, "tdsPaise" | "tdsCode"> & { readonly reference: string };

export type ReceiptRefund = ReceiptKey &
  RefundDetails & { readonly refundId: bigint; readonly createdAt: Temporal.Instant };

/** The amount neither used by invoices nor refunded, in paise. */
export type Rest = { readonly moneyPaise: bigint; readonly tdsPaise: bigint };

/** The rest of a receipt: zero for a reversed one. */
export function restOf(receipt: Receipt): Rest {
  if (receipt.reversedAt !== null) return { moneyPaise: 0n, tdsPaise: 0n };
  const { amountPaise, tdsPaise, usedPaise, usedTdsPaise, refundedPaise } = receipt;
  const usedMoneyPaise = usedPaise - usedTdsPaise;
  return {
    moneyPaise: amountPaise - tdsPaise - usedMoneyPaise - refundedPaise,
    tdsPaise: tdsPaise - usedTdsPaise,
  };
}

/** A customer's advance from a receipt: money, and TDS that no invoice has used. */
export function advanceOf(receipt: Receipt): bigint {
  const { moneyPaise, tdsPaise } = restOf(receipt);
  return moneyPaise + tdsPaise;
}

/** A receipt after settlements use more of it (`sign` 1), or less (-1). */
export function withUsed(
  receipt: Receipt,
  settlements: readonly Pick<PaymentDetails, "amountPaise" | "tdsPaise">[],
  sign: 1n | -1n,
): Receipt {
  return settlements.reduce<Receipt>(
    (sum, { amountPaise, tdsPaise }) => ({
      ...sum,
      usedPaise: sum.usedPaise + sign * amountPaise,
      usedTdsPaise: sum.usedTdsPaise + sign * tdsPaise,
    }),
    receipt,
  );
}

export function receiptNotFound(): NodalError {
  return new NodalError("receipt_not_found", "Receipt not found. Look for it in the list of receipts.");
}

/** @throws NodalError `receipt_reversed` */
export function refuseIfReceiptReversed({ reversedAt, receiptNumber }: Receipt): void {
  if (reversedAt === null) return;
  throw new NodalError("receipt_reversed", `The receipt ${receiptNumber} was reversed: record a new receipt.`);
}

/** A posting of a receipt, which belongs to no invoice. `lines` move money against the customer's advances. */
export function receiptPosting(
  { customerId }: Pick<Receipt, "customerId">,
  subject: PostingSubject & { readonly date: Temporal.PlainDate },
  lines: readonly PostingLine[],
): Posting {
  return { subject, invoice: { invoiceId: 0n, customerId, billDate: subject.date }, lines };
}

export function receiptRecorded(receipt: Receipt): NewEvent {
  return { type: "receipt.recorded", subjectId: receipt.receiptId, after: auditValues(factsOf(receipt)) };
}

export function receiptReversed(receipt: Receipt, reason: string): NewEvent {
  const values = { before: auditValues(factsOf(receipt)), after: { reversed_because: reason } };
  return { type: "receipt.reversed", subjectId: receipt.receiptId, ...values };
}

export function refundRecorded(refund: ReceiptRefund): NewEvent {
  const { refundId, receiptId, paidDate, amountPaise, mode, reference } = refund;
  const { bankName, bankRefNo, chequeNo, cashPaidTo } = refund;
  const money = { paidDate, amountPaise, mode, bankName, bankRefNo, chequeNo, cashPaidTo, reference };
  return { type: "receipt_refund.recorded", subjectId: refundId, after: auditValues({ receiptId, ...money }) };
}

/** A receipt in the audit log: its use follows from its settlements. */
function factsOf(receipt: Receipt) {
  const { receiptNumber, customerId, paidDate, amountPaise, tdsPaise, tdsCode, mode, reference } = receipt;
  const { bankName, bankRefNo, chequeNo, cashPaidTo, statementLineId, importKey } = receipt;
  const line = statementLineId === null ? {} : { statementLineId };
  const imported = importKey === null ? {} : { importKey };
  const payment = { paidDate, amountPaise, tdsPaise, tdsCode, mode, bankName, bankRefNo, chequeNo, cashPaidTo };
  return { receiptNumber, customerId, ...payment, reference, ...line, ...imported };
}
