// One use case: an invoice in full, as its merchant reads it.
import type { Static } from "typebox";
import { findCustomers } from "../customers/index.ts";
import type { Merchant } from "../merchants/index.ts";
import type { Pool } from "../platform/database/pool.ts";
import { listCreditNotesOf } from "./credit-note-store.ts";
import { toDetail, type invoiceDetail } from "./invoice-detail-wire.ts";
import { readRecord } from "./invoice-list-store.ts";
import { findInvoice } from "./invoice-store.ts";
import { toRecord, type Links } from "./invoice-wire.ts";
import { invoiceNotFound } from "./invoice.ts";
import { listSettlements } from "./settlement-store.ts";

/** @throws NodalError `invoice_not_found` */
export async function readDetail(
  pool: Pool,
  merchant: Merchant,
  invoiceId: bigint,
  today: Temporal.PlainDate,
  links: Links,
): Promise<Static<typeof invoiceDetail>> {
  const key = { bucket: merchant.bucket, merchantId: merchant.merchantId, invoiceId };
  const invoice = await findInvoice(pool, key);
  if (!invoice) throw invoiceNotFound();
  const [record, customers, settlements, creditNotes] = await Promise.all([
    readRecord(pool, key),
    findCustomers(pool, merchant, [invoice.customerId]),
    listSettlements(pool, key),
    listCreditNotesOf(pool, key),
  ]);
  const customer = customers.get(invoice.customerId)!;
  return toDetail(toRecord(record, merchant, today), invoice, customer, settlements, creditNotes, links);
}
