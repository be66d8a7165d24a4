// Use case: tax that a customer deducted but did not deposit is due again. The payment or receipt is reversed and recorded again
// without the tax, both posted today, so that past balances don't change. docs/accounts.md#tds-claims
import { auditValues, type NewEvent } from "../../ledger/index.ts";
import { runIdempotently, todayOf, type Answered, type Merchant, type MerchantKey } from "../../merchants/index.ts";
import type { IdSource } from "../../platform/database/ids.ts";
import type { Connection } from "../../platform/database/pool.ts";
import { findVoucher } from "../advances/advance-store.ts";
import { numberVoucher, type VoucherTerms } from "../advances/issue-voucher.ts";
import { InvoiceChanges } from "../change-store.ts";
import { passOn } from "../dues/carry-dues.ts";
import { lockWithLater } from "../dues/carry-dues.ts";
import { lockLinked } from "../dues/lock-linked.ts";
import { followUp } from "../invoice-changes.ts";
import { postingsOfMoney } from "../invoice-postings.ts";
import type { Posting } from "../posting.ts";
import { findReceipt } from "../receipt-store.ts";
import { refuseIfReceiptReversed, restOf, type Receipt } from "../receipt.ts";
import { insertNewReceipt, numberReceipt, type BankLines, type ReceiptContext } from "../receipts/record-receipt.ts";
import { takeReceiptBack } from "../receipts/take-back-receipt.ts";
import type { Allocation } from "../receipts/use-receipt.ts";
import {
  newSettlement,
  paidOn,
  recordedEvent,
  refuseIfReversed,
  takePaymentBack,
} from "../settlements/settle-invoice.ts";
import { findSettlement, insertSettlements, listSettlementsOfReceipt, type Settlement } from "../settlement-store.ts";
import { findClaimState, saveClaimState } from "./tds-claim-store.ts";
import { refuseIfPutBack, tdsClaimNotFound, type TdsClaimState } from "./tds-claim.ts";

export type PutBackTds = Pick<TdsClaimState, "claimId"> & { readonly reason: string };
type Step = {
  readonly connection: Connection;
  readonly ids: IdSource;
  readonly merchant: Merchant;
  /** Of the payment or receipt that is recorded again. */
  readonly newId: bigint;
};

/**
 * Makes the tax of a payment or a receipt due again, and returns the claim's id.
 * @throws NodalError `tds_claim_not_found`, `tds_claim_put_back`, `settlement_reversed`, `receipt_reversed`, `receipt_refunded` if
 * money of the receipt was refunded, or as a payment of the invoice is refused
 */
export async function putBackTds(
  { pool, ids, merchant, idempotency, inTurn, bankLines }: ReceiptContext,
  { claimId, reason }: PutBackTds,
): Promise<Answered<string>> {
  const newId = await ids.next();
  return inTurn(merchant, () =>
    runIdempotently(pool, merchant, idempotency, async (connection) => {
      const step = { connection, ids, merchant, newId };
      const receipt = await findReceipt(connection, merchant, claimId, true);
      if (receipt) await putBackOfReceipt(step, bankLines, receipt, reason);
      else await putBackOfPayment(step, claimId, reason);
      return String(claimId);
    }),
  );
}

/** Marks a claim as put back, and returns the event. The caller has locked the payment or the receipt. */
async function notePutBack(
  { connection }: Step,
  key: MerchantKey & Pick<TdsClaimState, "claimId">,
  tdsPaise: bigint,
  reason: string,
): Promise<NewEvent> {
  const { bucket, merchantId, claimId } = key;
  const known = await findClaimState(connection, { bucket, merchantId, claimId });
  const putBackAt = Temporal.Now.instant();
  const certificateNumber = known?.certificateNumber ?? "";
  await saveClaimState(connection, {
    bucket,
    merchantId,
    claimId,
    certificateNumber,
    putBackAt,
    putBackReason: reason,
  });
  const after = auditValues({ tdsPaise, putBackAt, putBackReason: reason });
  return { type: "tds_claim.put_back", subjectId: claimId, after };
}

async function putBackOfPayment(step: Step, claimId: bigint, reason: string): Promise<void> {
  const { connection, ids, merchant, newId } = step;
  const key = { bucket: merchant.bucket, merchantId: merchant.merchantId, settlementId: claimId };
  const found = await findSettlement(connection, key);
  if (!found || found.tdsPaise === 0n || found.receiptId !== null) throw tdsClaimNotFound();
  await lockWithLater(connection, merchant, found.invoiceId);
  // Checked with the invoice locked: a concurrent request may have put it back since.
  const payment = (await findSettlement(connection, key))!;
  refuseIfPutBack((await findClaimState(connection, { ...key, claimId })) ?? { putBackAt: null });
  refuseIfReversed(payment);
  const date = todayOf(merchant);
  const changes = new InvoiceChanges(connection, { kind: "reversal", id: claimId, date });
  const back = await takePaymentBack(changes, ids, merchant, payment, reason);
  await passOn(changes, ids, changes.get(payment.invoiceId));
  const again = await payAgain(changes, payment, newId, date);
  const event = await notePutBack(step, { ...key, claimId }, payment.tdsPaise, reason);
  const events = [back.event, ...again.events, event];
  await followUp(changes, ids, events, [...back.postings, ...again.postings]);
}

/** Records the money of a payment without its tax; nothing if it was only tax. */
async function payAgain(
  changes: InvoiceChanges,
  payment: Settlement,
  newId: bigint,
  date: Temporal.PlainDate,
): Promise<{ readonly events: readonly NewEvent[]; readonly postings: readonly Posting[] }> {
  const amountPaise = payment.amountPaise - payment.tdsPaise;
  if (amountPaise === 0n) return { events: [], postings: [] };
  const before = changes.get(payment.invoiceId);
  const request = { ...payment, amountPaise, tdsPaise: 0n, tdsCode: "" };
  const after = paidOn(before, request);
  const settlement: Settlement = newSettlement(payment, newId, { ...request, notify: false });
  await insertSettlements(changes.connection, [settlement], Temporal.Now.instant());
  const subject = { kind: "settlement", id: newId, date, dateField: null } as const;
  await changes.update(before, after, { subject });
  return {
    events: [recordedEvent(settlement)],
    postings: [{ subject, invoice: before, lines: postingsOfMoney(settlement) }],
  };
}

async function putBackOfReceipt(step: Step, bankLines: BankLines, receipt: Receipt, reason: string): Promise<void> {
  const { connection, ids, merchant, newId } = step;
  if (receipt.tdsPaise === 0n) throw tdsClaimNotFound();
  const claim = { ...merchant, claimId: receipt.receiptId };
  refuseIfPutBack((await findClaimState(connection, claim)) ?? { putBackAt: null });
  refuseIfReceiptReversed(receipt);
  const postedOn = todayOf(merchant);
  const number = await numberReceipt(connection, merchant, receipt);
  const voucher = await voucherAgain(step, receipt, postedOn);
  const uses = await takeReceiptBack({ connection, ids, merchant }, bankLines, receipt, reason);
  const allocations = uses.flatMap(({ invoiceId, amountPaise, tdsPaise }): Allocation[] =>
    amountPaise > tdsPaise ? [{ invoiceId, moneyPaise: amountPaise - tdsPaise, tdsPaise: 0n }] : [],
  );
  const event = await notePutBack(step, claim, receipt.tdsPaise, reason);
  const moneyPaise = receipt.amountPaise - receipt.tdsPaise;
  const money = { ...receipt, ...number, receiptId: newId, amountPaise: moneyPaise, tdsPaise: 0n, tdsCode: "" };
  const date = lastOf([receipt.paidDate, ...uses.map(({ paidDate }) => paidDate)]);
  const use = { allocations: joined(allocations), date, postedOn, notify: false };
  await insertNewReceipt({ connection, ids, merchant }, money, use, { bankLines, events: [event], voucher });
}

/** The voucher for the rest of a receipt with a voucher; `null` for none. Its number is taken before the book is locked. */
async function voucherAgain(
  { connection, merchant }: Step,
  receipt: Receipt,
  date: Temporal.PlainDate,
): Promise<VoucherTerms | null> {
  const voucher = await findVoucher(connection, merchant, receipt.receiptId);
  if (!voucher || restOf(receipt).moneyPaise === 0n) return null;
  const uses = await listSettlementsOfReceipt(connection, merchant, receipt.receiptId);
  await lockLinked(
    connection,
    merchant,
    uses.flatMap(({ invoiceId, reversedAt }) => (reversedAt === null ? [invoiceId] : [])),
  );
  const { rateThousandths, supply, placeOfSupply, content } = voucher;
  const numbered = await numberVoucher(connection, merchant, "receipt_voucher", date);
  return { rateThousandths, supply, placeOfSupply, content, date, numbered };
}

/** One allocation for each invoice, which may have used the receipt several times. */
function joined(allocations: readonly Allocation[]): Allocation[] {
  const byInvoice = Map.groupBy(allocations, ({ invoiceId }) => invoiceId);
  return [...byInvoice].map(([invoiceId, of]) => ({
    invoiceId,
    moneyPaise: of.reduce((sum, { moneyPaise }) => sum + moneyPaise, 0n),
    tdsPaise: 0n,
  }));
}

function lastOf(dates: readonly Temporal.PlainDate[]): Temporal.PlainDate {
  return dates.reduce((last, date) => (Temporal.PlainDate.compare(date, last) > 0 ? date : last));
}
