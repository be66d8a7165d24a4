// Invoices, settlements, credit notes, debit notes and receipts in their events: the shapes of the API, read for many events at once.
import { findCustomers } from "../customers/index.ts";
import { todayOf, type Merchant } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { findCreditNotes } from "./credit-notes/credit-note-store.ts";
import { toDebitNote } from "./debit-notes/debit-note-wire.ts";
import { toCreditNote } from "./invoice-detail.ts";
import { readRecords } from "./lists/invoice-list-store.ts";
import { findInvoices } from "./invoice-store.ts";
import { toRecord, type Links } from "./invoice-wire.ts";
import { formatInvoiceId } from "./invoice.ts";
import { findReceiptRefunds, findReceipts } from "./receipt-store.ts";
import { toReceipt, toRefund } from "./receipts/receipt-wire.ts";
import { describeSettled } from "./settlements/settle-invoice.ts";
import { toSettled } from "./settlements/settlement-routes.ts";
import { findSettlements } from "./settlement-store.ts";

/** The records of invoices with their public addresses, by id. */
export async function readInvoiceObjects(
  db: Queryable,
  merchant: Merchant,
  invoiceIds: readonly bigint[],
  links: Pick<Links, "shortUrl">,
): Promise<Map<bigint, object>> {
  const { bucket, merchantId } = merchant;
  const today = todayOf(merchant);
  const records = await readRecords(db, merchant, invoiceIds);
  return new Map(
    records.map((record) => {
      const { invoice_id: invoiceId, public_token: publicToken } = record;
      const shortUrl = links.shortUrl({ bucket, merchantId, invoiceId, publicToken });
      return [invoiceId, { ...toRecord(record, merchant, today), short_url: shortUrl }];
    }),
  );
}

/** Payments in the form of `invoice/settle`, with the current state of their invoices, by id. */
export async function readSettlementObjects(
  db: Queryable,
  merchant: Merchant,
  settlementIds: readonly bigint[],
): Promise<Map<bigint, object>> {
  const settlements = await findSettlements(db, merchant, settlementIds);
  const invoiceIds = new Set(settlements.map(({ invoiceId }) => invoiceId));
  const invoices = new Map((await findInvoices(db, merchant, [...invoiceIds])).map((item) => [item.invoiceId, item]));
  const customerIds = new Set([...invoices.values()].map(({ customerId }) => customerId));
  const customers = await findCustomers(db, merchant, [...customerIds]);
  return new Map(
    settlements.map((settlement) => {
      const invoice = invoices.get(settlement.invoiceId)!;
      return [
        settlement.settlementId,
        toSettled(describeSettled(settlement, invoice, customers.get(invoice.customerId)!)),
      ];
    }),
  );
}

/** Credit notes in the form of their invoice's detail, with the invoice's id, by id. */
export async function readCreditNoteObjects(
  db: Queryable,
  merchant: Merchant,
  creditNoteIds: readonly bigint[],
): Promise<Map<bigint, object>> {
  const notes = await findCreditNotes(db, merchant, creditNoteIds);
  return new Map(
    notes.map((note) => [note.creditNoteId, { ...toCreditNote(note), invoice_id: formatInvoiceId(note.invoiceId) }]),
  );
}

/** Debit notes in the form of the API, by id. */
export async function readDebitNoteObjects(
  db: Queryable,
  merchant: Merchant,
  debitNoteIds: readonly bigint[],
  links: Links,
): Promise<Map<bigint, object>> {
  const notes = await findInvoices(db, merchant, debitNoteIds);
  const customerIds = new Set(notes.map(({ customerId }) => customerId));
  const customers = await findCustomers(db, merchant, [...customerIds]);
  return new Map(
    notes.map((note) => [note.invoiceId, toDebitNote(note, customers.get(note.customerId)!, merchant, links)]),
  );
}

/** Receipts in the form of the API's list, by id. */
export async function readReceiptObjects(
  db: Queryable,
  merchant: Merchant,
  receiptIds: readonly bigint[],
): Promise<Map<bigint, object>> {
  const receipts = await findReceipts(db, merchant, receiptIds);
  const customers = await findCustomers(db, merchant, [...new Set(receipts.map(({ customerId }) => customerId))]);
  return new Map(
    receipts.map((receipt) => [receipt.receiptId, toReceipt(receipt, merchant, customers.get(receipt.customerId)!)]),
  );
}

/** Refunds of receipts in the form of their receipt's detail, with the receipt's id, by id. */
export async function readReceiptRefundObjects(
  db: Queryable,
  merchant: Merchant,
  refundIds: readonly bigint[],
): Promise<Map<bigint, object>> {
  const refunds = await findReceiptRefunds(db, merchant, refundIds);
  return new Map(
    refunds.map((refund) => [refund.refundId, { ...toRefund(refund), receipt_id: String(refund.receiptId) }]),
  );
}
