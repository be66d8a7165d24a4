// Two use cases: refund the rest of a receipt to the customer, and reverse a receipt, such as that of a bounced cheque.
// docs/rules/receipts.md#taking-back
import {
  runIdempotently,
  todayOf,
  type Answered,
  type Merchant,
  type TransactionContext,
} from "../../merchants/index.ts";
import type { Connection } from "../../platform/database/pool.ts";
import { fieldRefusal, NodalError } from "../../platform/errors.ts";
import { formatRupees } from "../../platform/indian-format.ts";
import { adjustAdvanceTax, issueRefundVoucher } from "../advances/issue-voucher.ts";
import { InvoiceChanges } from "../change-store.ts";
import { passOn } from "../dues/carry-dues.ts";
import { lockLinked } from "../dues/lock-linked.ts";
import { adjustChangedCommission } from "../invoice-changes.ts";
import { postingsOfMoney } from "../invoice-postings.ts";
import { takePaymentBack } from "../settlements/settle-invoice.ts";
import { listSettlementsOfReceipt, type Settlement } from "../settlement-store.ts";
import { findReceipt, insertReceiptRefund, updateReceipt } from "../receipt-store.ts";
import {
  receiptNotFound,
  receiptPosting,
  receiptReversed,
  refundRecorded,
  refuseIfReceiptReversed,
  restOf,
  withUsed,
  type Receipt,
  type ReceiptKey,
  type ReceiptRefund,
  type RefundDetails,
} from "../receipt.ts";
import { refuseBefore, type BankLines, type ReceiptContext } from "./record-receipt.ts";

export type RefundReceipt = Pick<ReceiptKey, "receiptId"> & { readonly refund: RefundDetails };

/**
 * Records that unused money of a receipt was refunded, outside Nodal. Returns the receipt's id.
 * @throws NodalError `receipt_not_found`, `receipt_reversed`, `receipt_exceeded`, or `validation_failed` for a day before the
 * receipt's
 */
export async function refundReceipt(
  { pool, ids, merchant, idempotency, inTurn }: ReceiptContext,
  { receiptId, refund: details }: RefundReceipt,
): Promise<Answered<string>> {
  const refundId = await ids.next();
  return inTurn(merchant, () =>
    runIdempotently(pool, merchant, idempotency, async (connection) => {
      const receipt = await lockReceipt(connection, merchant, receiptId);
      const { moneyPaise } = restOf(receipt);
      if (details.amountPaise > moneyPaise) {
        const problem = `is more than is left: ${formatRupees(moneyPaise)}. Refund at most that much.`;
        throw fieldRefusal("receipt_exceeded", "amount", problem);
      }
      refuseBefore(details.paidDate, receipt);
      const { bucket, merchantId } = merchant;
      const refund: ReceiptRefund = {
        bucket,
        merchantId,
        refundId,
        receiptId,
        ...details,
        createdAt: Temporal.Now.instant(),
      };
      await insertReceiptRefund(connection, refund);
      const after = { ...receipt, refundedPaise: receipt.refundedPaise + refund.amountPaise };
      await updateReceipt(connection, after);
      const taxed = await issueRefundVoucher(connection, merchant, { before: receipt, after }, refund);
      const subject = { kind: "receipt_refund", id: refund.refundId, date: refund.paidDate } as const;
      const lines = postingsOfMoney({ ...refund, tdsPaise: 0n }, -1n);
      const changes = new InvoiceChanges(connection, subject);
      const events = [refundRecorded(refund), ...taxed.events];
      await changes.record(receipt, events, [receiptPosting(receipt, subject, lines), ...taxed.postings]);
      return String(receiptId);
    }),
  );
}

export type ReverseReceipt = Pick<ReceiptKey, "receiptId"> & { readonly reason: string };

/**
 * Reverses a receipt with every payment that uses it: the invoices are due again, and its bank statement line is open again.
 * Returns the receipt's id.
 * @throws NodalError `receipt_not_found`, `receipt_reversed`, or `receipt_refunded` if money of it was refunded
 */
export async function reverseReceipt(
  { pool, ids, merchant, idempotency, inTurn, bankLines }: ReceiptContext,
  { receiptId, reason }: ReverseReceipt,
): Promise<Answered<string>> {
  return inTurn(merchant, () =>
    runIdempotently(pool, merchant, idempotency, async (connection) => {
      const receipt = await lockReceipt(connection, merchant, receiptId);
      await takeReceiptBack({ connection, ids, merchant }, bankLines, receipt, reason);
      return String(receiptId);
    }),
  );
}

/**
 * Reverses a receipt that the caller has locked with every payment that uses it, and records it. Returns those payments.
 * @throws NodalError `receipt_refunded` if money of it was refunded
 */
export async function takeReceiptBack(
  { connection, ids, merchant }: TransactionContext<Merchant>,
  bankLines: BankLines,
  receipt: Receipt,
  reason: string,
): Promise<readonly Settlement[]> {
  if (receipt.refundedPaise > 0n) throw refunded(receipt);
  const { statementLineId } = receipt;
  const events = [receiptReversed(receipt, reason)];
  // Before the invoices, in the same order as a new receipt locks its line.
  if (statementLineId !== null) events.push(await bankLines.release(connection, merchant, statementLineId));
  // None of them can be reversed meanwhile: that locks the receipt too.
  const all = await listSettlementsOfReceipt(connection, merchant, receipt.receiptId);
  const settlements = all.filter(({ reversedAt }) => reversedAt === null);
  await lockLinked(
    connection,
    merchant,
    settlements.map(({ invoiceId }) => invoiceId),
  );
  const subject = { kind: "receipt_reversal", id: receipt.receiptId, date: todayOf(merchant) } as const;
  const changes = new InvoiceChanges(connection, subject);
  for (const settlement of settlements) {
    const { event } = await takePaymentBack(changes, ids, merchant, settlement, reason);
    events.push(event);
    await passOn(changes, ids, changes.get(settlement.invoiceId));
  }
  const unused = withUsed(receipt, settlements, -1n);
  const after = { ...unused, reversedAt: Temporal.Now.instant(), reversalReason: reason };
  await updateReceipt(connection, after);
  await adjustChangedCommission(changes);
  const reversal = { before: receipt, after, cause: "reversed", date: subject.date } as const;
  const taxed = await adjustAdvanceTax({ connection, ids }, reversal);
  const posting = receiptPosting(receipt, subject, postingsOfMoney(receipt, -1n));
  await changes.record(receipt, events, [posting, ...taxed.postings]);
  return settlements;
}

/** @throws NodalError `receipt_not_found` or `receipt_reversed` */
async function lockReceipt(connection: Connection, merchant: Merchant, receiptId: bigint): Promise<Receipt> {
  const receipt = await findReceipt(connection, merchant, receiptId, true);
  if (!receipt) throw receiptNotFound();
  refuseIfReceiptReversed(receipt);
  return receipt;
}

function refunded({ receiptNumber, refundedPaise }: Receipt): NodalError {
  const message = `${formatRupees(refundedPaise)} of the receipt ${receiptNumber} was given back to the customer: it can't be reversed.`;
  return new NodalError("receipt_refunded", message);
}
