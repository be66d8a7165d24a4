// Two use cases: record a payment of an invoice, and reverse a recorded payment. Both change the invoice, the franchise's
// commission, and the messages owed to the customer.
import { findCustomers, type Customer } from "../../customers/index.ts";
import { auditValues, type NewEvent } from "../../ledger/index.ts";
import {
  runIdempotently,
  todayOf,
  type Answered,
  type Context,
  type Merchant,
  type MerchantClock,
  type MerchantKey,
  type TransactionContext,
  type WriteContext,
} from "../../merchants/index.ts";
import type { IdSource } from "../../platform/database/ids.ts";
import { inTransaction, type Connection } from "../../platform/database/pool.ts";
import { fieldRefusal, NodalError, validationError } from "../../platform/errors.ts";
import { warn, type Warning } from "../../platform/http/warning.ts";
import { formatRupees } from "../../platform/indian-format.ts";
import { adjustAdvanceTax, NOTHING_BESIDE } from "../advances/issue-voucher.ts";
import { takeOwedOffDue } from "../credit-notes/credit-note-refund.ts";
import { followUp } from "../invoice-changes.ts";
import {
  dueOf,
  invoiceNotFound,
  refuseIfCancelled,
  refuseIfClosed,
  statusOf,
  type Invoice,
  type InvoiceHead,
  type InvoiceStatus,
} from "../invoice.ts";
import { InvoiceChanges } from "../change-store.ts";
import { postingsOfMoney } from "../invoice-postings.ts";
import { findInvoice } from "../invoice-store.ts";
import { queueNotifications } from "../notification-store.ts";
import { warningsOfPayment } from "../invoice-warnings.ts";
import {
  findSettlement,
  insertSettlements,
  lastPaidDate,
  markReversed,
  type PaymentDetails,
  WRITE_OFF,
  type Settlement,
} from "../settlement-store.ts";
import { lockWithLater, writeDues } from "../dues/carry-dues.ts";
import type { Posting } from "../posting.ts";
import { findReceipt, updateReceipt } from "../receipt-store.ts";
import { withUsed } from "../receipt.ts";

/** The result of a payment, in a form that survives JSON: ids and amounts (paise) are strings of digits. */
export type Settled = {
  readonly settlementId: string;
  readonly invoiceId: string;
  readonly paidDate: string;
  /** Money and TDS. */
  readonly settledPaise: string;
  /** Left out if an older version recorded the payment. */
  readonly tdsPaise?: string;
  readonly status: InvoiceStatus;
  readonly paidPaise: string;
  readonly duePaise: string;
  readonly customerCode: string;
  readonly customerName: string;
  readonly email: string;
  /** Left out without warnings, or if an older version recorded the payment. */
  readonly warnings?: readonly Warning[];
};

export type SettlementRequest = PaymentDetails & { readonly invoiceId: bigint; readonly notify: boolean };

/**
 * Records a payment. Partial amounts accumulate: docs/rules/invoicing.md#payments.
 * @throws NodalError `invoice_not_found`, `invoice_cancelled`, `invoice_carried_forward`, `invoice_already_paid` or
 * `settlement_exceeds_due`
 */
export async function settleInvoice(
  { pool, ids, merchant, idempotency }: Context<Merchant>,
  request: SettlementRequest,
): Promise<Answered<Settled>> {
  const settlementId = await ids.next();
  return runIdempotently(pool, merchant, idempotency, async (connection) => {
    const before = await lockInvoice(connection, merchant, request.invoiceId);
    const { notify } = request;
    return recordSettlement(
      { connection, ids, merchant },
      before,
      newSettlement(before, settlementId, request),
      notify,
    );
  });
}

/**
 * Records a settlement of an invoice that the caller has locked, with all its effects.
 * @throws NodalError as `paidOn` does
 */
export async function recordSettlement(
  { connection, ids, merchant }: TransactionContext<Merchant>,
  before: Invoice,
  settlement: Settlement,
  notify: boolean,
): Promise<Settled> {
  const after = paidOn(before, settlement);
  const { settlementId } = settlement;
  await insertSettlements(connection, [settlement], Temporal.Now.instant());
  const dateField = settlement.mode === WRITE_OFF ? "date" : "paid_date";
  const subject = { kind: "settlement", id: settlementId, date: settlement.paidDate, dateField } as const;
  const changes = new InvoiceChanges(connection, subject);
  await changes.update(before, after);
  if (notify) {
    const { bucket, merchantId, customerId } = before;
    await queueNotifications(connection, ids, "receipt", [{ bucket, merchantId, subjectId: settlementId, customerId }]);
  }
  const money = { subject, invoice: before, lines: postingsOfMoney(settlement) };
  await followUp(changes, ids, [recordedEvent(settlement)], [money]);
  const customer = (await findCustomers(connection, after, [after.customerId])).get(after.customerId)!;
  const warnings = warningsOfPayment(settlement, after, todayOf(merchant));
  return { ...describeSettled(settlement, after, customer), ...warn(warnings) };
}

/**
 * An invoice with a payment of it.
 * @throws NodalError `validation_failed` for a code without a deduction, `invoice_cancelled`, `invoice_carried_forward`,
 * `invoice_already_paid` or `settlement_exceeds_due`
 */
export function paidOn<Head extends InvoiceHead>(
  before: Head,
  {
    amountPaise,
    paidDate,
    tdsPaise,
    tdsCode,
  }: Pick<PaymentDetails, "amountPaise" | "paidDate" | "tdsPaise" | "tdsCode">,
): Head {
  // docs/rules/invoicing.md#tds
  if (tdsCode !== "" && tdsPaise === 0n) {
    const problem = "is required beside tds_code: the tax that the customer deducted.";
    throw validationError([{ field: "tds_amount", code: "required", problem }]);
  }
  refuseIfClosed(before);
  const duePaise = dueOf(before);
  if (duePaise === 0n) {
    throw new NodalError("invoice_already_paid", "Nothing is due on this invoice: no payment can be recorded.");
  }
  if (amountPaise > duePaise) {
    const both = tdsPaise > 0n ? ", amount and tds_amount together" : "";
    const message = `Only ${formatRupees(duePaise)} is due on this invoice: record at most that much${both}.`;
    throw fieldRefusal("settlement_exceeds_due", "amount", message);
  }
  return withPayment(before, amountPaise, latest(before.paidDate, paidDate));
}

/** A payment to record. */
export function newSettlement(
  { bucket, merchantId }: MerchantKey,
  settlementId: bigint,
  request: SettlementRequest,
): Settlement {
  const none = { viaSettlementId: null, receiptId: null, writeOffReason: null, reversedAt: null, reversalReason: null };
  return { ...request, bucket, merchantId, settlementId, ...none };
}

export function recordedEvent(settlement: Settlement): NewEvent {
  return { type: "settlement.recorded", subjectId: settlement.settlementId, after: auditValues(settlement) };
}

/** `reason` is for the log, such as a bounced cheque. */
export type ReverseSettlement = { readonly settlementId: bigint; readonly reason: string };

/**
 * Reverses a recorded payment: the invoice is due again, less what credit notes still owe back on it, and the franchise's
 * commission on the payment is reversed too. If the invoice's dues were carried forward, the later invoice's due amount rises.
 * @throws NodalError `settlement_not_found`, `settlement_reversed`, `invoice_cancelled`, or `invoice_carried_forward` for a part of
 * a later invoice's payment
 */
export async function reverseSettlement(
  { pool, ids, merchant: clock }: WriteContext<MerchantKey & MerchantClock>,
  { settlementId, reason }: ReverseSettlement,
): Promise<{ settlement: Settlement; invoice: Invoice }> {
  return inTransaction(pool, async (connection) => {
    const { bucket, merchantId } = clock;
    const merchant = { bucket, merchantId };
    const found = await findSettlement(connection, { ...merchant, settlementId });
    if (!found) throw settlementNotFound();
    // A receipt is locked before the invoices that use it.
    const receipt = found.receiptId === null ? null : await findReceipt(connection, merchant, found.receiptId, true);
    const [before] = await lockWithLater(connection, merchant, found.invoiceId);
    refuseIfCancelled(before);
    // Checked with the invoice locked: a concurrent request may have reversed it since.
    const settlement = (await findSettlement(connection, { ...merchant, settlementId }))!;
    refuseIfReversed(settlement);
    const unused = receipt && withUsed(receipt, [settlement], -1n);
    if (unused) await updateReceipt(connection, unused);
    const changes = new InvoiceChanges(connection, reversalOf(settlement, clock));
    const { event, postings } = await takePaymentBack(changes, ids, clock, settlement, reason);
    const released = { cause: "released", date: todayOf(clock) } as const;
    const taxed = unused
      ? await adjustAdvanceTax({ connection, ids }, { before: receipt, after: unused, ...released })
      : NOTHING_BESIDE;
    await followUp(changes, ids, [event], [...postings, ...taxed.postings]);
    return { settlement, invoice: changes.get(before.invoiceId) };
  });
}

function reversalOf({ settlementId }: Settlement, clock: MerchantClock) {
  return { kind: "reversal", id: settlementId, date: todayOf(clock) } as const;
}

/**
 * Makes an invoice due again by the amount of a payment. The caller has locked the linked invoices, records the event and the
 * postings, and handles the effects of the change. A receipt's money stays with the receipt.
 * @throws NodalError `invoice_cancelled`
 */
export async function takePaymentBack(
  changes: InvoiceChanges,
  ids: IdSource,
  clock: MerchantClock,
  settlement: Settlement,
  reason: string,
): Promise<{ readonly event: NewEvent; readonly postings: readonly Posting[] }> {
  const { connection } = changes;
  const [before, ...later] = await lockWithLater(connection, settlement, settlement.invoiceId);
  refuseIfCancelled(before);
  await markReversed(connection, settlement, reason, Temporal.Now.instant());
  const unpaid = withPayment(before, -settlement.amountPaise, await lastPaidDate(connection, before));
  // Its own due amount, wherever its dues were carried.
  const alone = { ...unpaid, carriedTo: null };
  const { creditedPaise } = await takeOwedOffDue(connection, { ...alone, status: statusOf(alone) });
  const credited = { ...unpaid, creditedPaise };
  const after = { ...credited, status: statusOf(credited) };
  const deltaPaise = settlement.amountPaise - (creditedPaise - before.creditedPaise);
  const subject = reversalOf(settlement, clock);
  await writeDues(changes, ids, { before, after, subject }, later, deltaPaise);
  const values = { before: auditValues(settlement), after: { reversed_because: reason } };
  const money = { subject, invoice: before, lines: postingsOfMoney(settlement, -1n) };
  const event = { type: "settlement.reversed", subjectId: settlement.settlementId, ...values };
  return { event, postings: settlement.receiptId === null ? [money] : [] };
}

/** @throws NodalError `settlement_reversed`, or `invoice_carried_forward` for a part of another payment */
export function refuseIfReversed({ reversedAt, viaSettlementId }: Settlement): void {
  if (reversedAt) {
    throw new NodalError("settlement_reversed", "This settlement is already reversed.");
  }
  if (viaSettlementId === null) return;
  throw new NodalError(
    "invoice_carried_forward",
    `This is part of payment ${viaSettlementId} of a later invoice: reverse that payment.`,
  );
}

/** The result of a payment of an invoice, from the current state of both. */
export function describeSettled(settlement: Settlement, invoice: InvoiceHead, customer: Customer): Settled {
  return {
    settlementId: String(settlement.settlementId),
    invoiceId: String(invoice.invoiceId),
    paidDate: settlement.paidDate.toString(),
    settledPaise: String(settlement.amountPaise),
    tdsPaise: String(settlement.tdsPaise),
    status: invoice.status,
    paidPaise: String(invoice.paidPaise),
    duePaise: String(dueOf(invoice)),
    customerCode: customer.customerCode,
    customerName: customer.customerName,
    email: customer.email,
  };
}

/** @throws NodalError `invoice_not_found` */
export async function lockInvoice(connection: Connection, merchant: MerchantKey, invoiceId: bigint): Promise<Invoice> {
  const invoice = await findInvoice(connection, { ...merchant, invoiceId }, true);
  if (!invoice) throw invoiceNotFound();
  return invoice;
}

function settlementNotFound(): NodalError {
  return new NodalError(
    "settlement_not_found",
    "This settlement does not exist: use a transaction_id from invoice/detail.",
  );
}

function withPayment<Head extends InvoiceHead>(
  invoice: Head,
  amountPaise: bigint,
  paidDate: Temporal.PlainDate | null,
): Head {
  const paid = { ...invoice, paidPaise: invoice.paidPaise + amountPaise, paidDate };
  return { ...paid, status: statusOf(paid) };
}

function latest(a: Temporal.PlainDate | null, b: Temporal.PlainDate): Temporal.PlainDate {
  return a !== null && Temporal.PlainDate.compare(a, b) > 0 ? a : b;
}
