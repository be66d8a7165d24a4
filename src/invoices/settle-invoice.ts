// Two use cases: a payment of an invoice is recorded, and a payment that was recorded is reversed.
// What belongs here: what a payment changes: the invoice, the franchise's commission, the receipt that is owed.
import { findCustomers, type Customer } from "../customers/index.ts";
import { auditValues } from "../ledger/index.ts";
import { runIdempotently, type IdempotencyKey, type MerchantKey } from "../merchants/index.ts";
import type { IdSource } from "../platform/database/ids.ts";
import { inTransaction, type Connection, type Pool } from "../platform/database/pool.ts";
import { NodalError } from "../platform/errors.ts";
import { formatPaise } from "../platform/money.ts";
import { takeOwedOffDue } from "./credit-note-refund.ts";
import { followUp } from "./follow-up.ts";
import {
  dueOf,
  invoiceNotFound,
  refuseIfCancelled,
  refuseIfClosed,
  statusOf,
  type Invoice,
  type InvoiceStatus,
} from "./invoice.ts";
import { findInvoice, updateInvoice } from "./invoice-store.ts";
import { queueNotifications } from "./notification-store.ts";
import {
  findSettlement,
  insertSettlement,
  lastPaidDate,
  markReversed,
  type PaymentDetails,
  type Settlement,
} from "./settlement-store.ts";
import { lockWithLater, writeDues } from "./shift-dues.ts";

/** What is answered of a payment, in a form that survives JSON: ids and amounts (paise) are strings of digits. */
export type Settled = {
  readonly settlementId: string;
  readonly invoiceId: string;
  readonly paidDate: string;
  readonly settledPaise: string;
  readonly status: InvoiceStatus;
  readonly paidPaise: string;
  readonly duePaise: string;
  readonly customerCode: string;
  readonly customerName: string;
  readonly email: string;
};

export type SettlementRequest = PaymentDetails & { readonly invoiceId: bigint; readonly notify: boolean };

/**
 * Records a payment. Partial amounts accumulate.
 * @throws NodalError `invoice_not_found`, `invoice_cancelled`, `invoice_carried_forward`, `invoice_already_paid` or
 * `settlement_exceeds_due`
 */
export async function settleInvoice(
  pool: Pool,
  ids: IdSource,
  merchant: MerchantKey,
  request: SettlementRequest,
  idempotency: IdempotencyKey | null,
): Promise<{ answer: Settled; replayed: boolean }> {
  const settlementId = await ids.next();
  return runIdempotently(pool, merchant, idempotency, async (connection) => {
    const before = await lockInvoice(connection, merchant, request.invoiceId);
    refuseIfClosed(before);
    const duePaise = dueOf(before);
    if (duePaise === 0n) {
      throw new NodalError(
        "invoice_already_paid",
        "Nothing is due on this invoice any more: no payment can be recorded.",
      );
    }
    if (request.amountPaise > duePaise) {
      const message = `Only ${formatPaise(duePaise)} is due on this invoice: record at most that much.`;
      throw new NodalError("settlement_exceeds_due", message, {
        errors: [{ field: "amount", code: "settlement_exceeds_due", message }],
      });
    }
    const settlement: Settlement = {
      ...request,
      bucket: before.bucket,
      merchantId: before.merchantId,
      settlementId,
      viaSettlementId: null,
      reversedAt: null,
      reversalReason: null,
    };
    await insertSettlement(connection, settlement, Temporal.Now.instant());
    const after = withPayment(before, request.amountPaise, latest(before.paidDate, request.paidDate));
    await updateInvoice(connection, before, after);
    if (request.notify) {
      await queueNotifications(connection, ids, merchant, "receipt", [
        { subjectId: settlementId, customerId: before.customerId },
      ]);
    }
    const change = { before, after, subjectId: settlementId };
    const recorded = { type: "settlement.recorded", subjectId: settlementId, after: auditValues(settlement) };
    await followUp(connection, ids, [change], recorded);
    return describeSettled(
      settlement,
      after,
      (await findCustomers(connection, after, [after.customerId])).get(after.customerId)!,
    );
  });
}

/**
 * Takes a recorded payment back: the invoice is due again, less what credit notes still owe back on it, and what the
 * payment earned a franchise is taken back too. Where the invoice's dues were carried forward, it is the later invoice
 * on which so much more is due.
 * @throws NodalError `settlement_not_found`, `settlement_reversed`, `invoice_cancelled`, or `invoice_carried_forward` for
 * a part of a later invoice's payment
 */
export async function reverseSettlement(
  pool: Pool,
  ids: IdSource,
  merchant: MerchantKey,
  settlementId: bigint,
  reason: string,
): Promise<{ settlement: Settlement; invoice: Invoice }> {
  return inTransaction(pool, async (connection) => {
    const found = await findSettlement(connection, { ...merchant, settlementId });
    if (!found) throw settlementNotFound();
    const [before, ...later] = await lockWithLater(connection, merchant, found.invoiceId);
    refuseIfCancelled(before);
    // Only with the invoice held: a twin may have reversed it since.
    const settlement = (await findSettlement(connection, { ...merchant, settlementId }))!;
    refuseIfReversed(settlement);
    await markReversed(connection, settlement, reason, Temporal.Now.instant());
    const unpaid = withPayment(before, -settlement.amountPaise, await lastPaidDate(connection, before));
    // By itself, wherever its dues have moved.
    const alone = { ...unpaid, carriedTo: null };
    const { creditedPaise } = await takeOwedOffDue(connection, { ...alone, status: statusOf(alone) });
    const credited = { ...unpaid, creditedPaise };
    const open = { ...credited, status: statusOf(credited) };
    const deltaPaise = settlement.amountPaise - (creditedPaise - before.creditedPaise);
    const { invoice: after, changes } = await writeDues(connection, ids, { before, after: open }, later, deltaPaise);
    const change = { before, after, subjectId: settlementId };
    const reversed = { type: "settlement.reversed", subjectId: settlementId };
    await followUp(connection, ids, [change, ...changes], {
      ...reversed,
      before: auditValues(settlement),
      after: { reversed_because: reason },
    });
    return { settlement, invoice: after };
  });
}

/** @throws NodalError `settlement_reversed`, or `invoice_carried_forward` for a part of another payment */
function refuseIfReversed({ reversedAt, viaSettlementId }: Settlement): void {
  if (reversedAt) {
    throw new NodalError("settlement_reversed", "This settlement has been reversed already: nothing was changed.");
  }
  if (viaSettlementId === null) return;
  throw new NodalError(
    "invoice_carried_forward",
    `This is a part of the payment ${viaSettlementId} of a later invoice: reverse that payment.`,
  );
}

/** What is answered of a payment of an invoice, as both stand. */
export function describeSettled(settlement: Settlement, invoice: Invoice, customer: Customer): Settled {
  return {
    settlementId: String(settlement.settlementId),
    invoiceId: String(invoice.invoiceId),
    paidDate: settlement.paidDate.toString(),
    settledPaise: String(settlement.amountPaise),
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
    "There is no such settlement: use a transaction_id from invoice/detail.",
  );
}

function withPayment(invoice: Invoice, amountPaise: bigint, paidDate: Temporal.PlainDate | null): Invoice {
  const paid = { ...invoice, paidPaise: invoice.paidPaise + amountPaise, paidDate };
  return { ...paid, status: statusOf(paid) };
}

function latest(a: Temporal.PlainDate | null, b: Temporal.PlainDate): Temporal.PlainDate {
  return a !== null && Temporal.PlainDate.compare(a, b) > 0 ? a : b;
}
