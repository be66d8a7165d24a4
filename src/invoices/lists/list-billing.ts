// One use case: a page of a merchant's payments, credit notes or refunds, each with its invoice. billing-walk-store.ts finds them, and limits the
// rows that one request reads.
import type { Merchant, ReadContext } from "../../merchants/index.ts";
import { findTransfers, type Transfer } from "../../payouts/index.ts";
import { findCreditNotes } from "../credit-notes/credit-note-store.ts";
import type { CreditNote } from "../credit-notes/credit-note.ts";
import { findSettlements, type Settlement } from "../settlement-store.ts";
import {
  findRefunds,
  walkBilling,
  type BillingFilter,
  type BillingList,
  type BillingPage,
} from "./billing-walk-store.ts";
import { readRecords, type InvoiceRecord } from "./invoice-list-store.ts";
import { searchInvoices } from "./read-invoice-filter.ts";

/** The requested filter, with the text of a search. */
export type BillingQuery = Omit<BillingFilter, "found"> & { readonly search: string | null };

export type PaymentRow = { readonly payment: Settlement; readonly invoice: InvoiceRecord };
export type NoteRow = { readonly note: CreditNote; readonly invoice: InvoiceRecord };
export type RefundRow = NoteRow & { readonly transfer: Transfer };
type Rows = { readonly payments: PaymentRow; readonly notes: NoteRow; readonly refunds: RefundRow };

export type BillingAnswer<Row> = {
  readonly rows: readonly Row[];
  readonly next: string | null;
  /** How far an incomplete search came, if it found less than a page and more rows remain. */
  readonly searchedTo: string | null;
};

/** Looks up the invoices and customers that the search text may mean. */
export async function readBillingFilter(
  context: ReadContext<Merchant>,
  { search, ...asked }: BillingQuery,
): Promise<BillingFilter> {
  return { ...asked, found: search === null ? null : { ...(await searchInvoices(context, search)), text: search } };
}

/** A page of payments, of credit notes, or of refunds, in the order of their days, or the newest or oldest payout first. */
export async function listBilling<const List extends BillingList>(
  { pool, merchant }: ReadContext<Merchant>,
  list: List,
  filter: BillingFilter,
  page: BillingPage,
): Promise<BillingAnswer<Rows[List]>> {
  const { ids, ...rest } = await walkBilling(pool, merchant, list, filter, page);
  return { ...rest, rows: (await READERS[list]({ pool, merchant }, ids)) as Rows[List][] };
}

/** All matches of a filter, for an export, read page by page. */
export async function* streamBilling<const List extends BillingList>(
  context: ReadContext<Merchant>,
  list: List,
  filter: BillingFilter,
): AsyncGenerator<Rows[List]> {
  let after: string | null = null;
  do {
    const page: BillingAnswer<Rows[List]> = await listBilling(context, list, filter, {
      after,
      oldestFirst: false,
      limit: EXPORT_PAGE,
    });
    yield* page.rows;
    after = page.next;
  } while (after !== null);
}

const EXPORT_PAGE = 1000;

const READERS: { readonly [List in BillingList]: typeof readPayments | typeof readNotes | typeof readRefunds } = {
  payments: readPayments,
  notes: readNotes,
  refunds: readRefunds,
};

async function readPayments(context: ReadContext<Merchant>, ids: readonly bigint[]): Promise<PaymentRow[]> {
  const found = await findSettlements(context.pool, context.merchant, ids);
  const payments = inOrder(ids, found, ({ settlementId }) => settlementId);
  const invoices = await invoicesOf(context, payments);
  return payments.map((payment) => ({ payment, invoice: invoices.get(payment.invoiceId)! }));
}

async function readNotes(context: ReadContext<Merchant>, ids: readonly bigint[]): Promise<NoteRow[]> {
  const found = await findCreditNotes(context.pool, context.merchant, ids);
  const notes = inOrder(ids, found, ({ creditNoteId }) => creditNoteId);
  const invoices = await invoicesOf(context, notes);
  return notes.map((note) => ({ note, invoice: invoices.get(note.invoiceId)! }));
}

async function readRefunds(context: ReadContext<Merchant>, ids: readonly bigint[]): Promise<RefundRow[]> {
  const { pool, merchant } = context;
  const refunds = new Map((await findRefunds(pool, merchant, ids)).map((each) => [each.transferId, each.creditNoteId]));
  const notes = await readNotes(context, [...new Set(refunds.values())]);
  const byNote = new Map(notes.map((row) => [row.note.creditNoteId, row]));
  const transfers = inOrder(ids, await findTransfers(pool, merchant, ids), ({ transferId }) => transferId);
  return transfers.map((transfer) => ({ ...byNote.get(refunds.get(transfer.transferId)!)!, transfer }));
}

function inOrder<T>(ids: readonly bigint[], found: readonly T[], idOf: (one: T) => bigint): T[] {
  const byId = new Map(found.map((one) => [idOf(one), one]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

async function invoicesOf(
  { pool, merchant }: ReadContext<Merchant>,
  rows: readonly { readonly invoiceId: bigint }[],
): Promise<Map<bigint, InvoiceRecord>> {
  const records = await readRecords(pool, merchant, [...new Set(rows.map(({ invoiceId }) => invoiceId))]);
  return new Map(records.map((record) => [record.invoice_id, record]));
}
