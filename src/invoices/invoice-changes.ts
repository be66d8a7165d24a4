// What follows from a change of what is paid or credited on an invoice: the dues that it carries, the commission, the events.
// Invoices are locked before the merchant's book is, so the book comes last.
import { adjustCommission } from "../franchises/index.ts";
import { auditChange, lockBook, recordEvents, type NewEvent } from "../ledger/index.ts";
import type { IdSource } from "../platform/database/ids.ts";
import type { Connection } from "../platform/database/pool.ts";
import { listCreditNotesOf } from "./credit-notes/credit-note-store.ts";
import { passedOnOf, passOn, type InvoiceChange } from "./dues/carry-dues.ts";
import type { Invoice, InvoiceHead, InvoiceStatus } from "./invoice.ts";

/**
 * Lets follow what must, after invoices have changed and are written. The first change is the one that it began with;
 * `first` is recorded ahead of what became of the invoices.
 */
export async function followUp(
  connection: Connection,
  ids: IdSource,
  changes: readonly [InvoiceChange, ...InvoiceChange[]],
  first: NewEvent,
): Promise<void> {
  const all = merge([...changes, ...(await passOn(connection, ids, changes[0].after))]);
  for (const { after, subjectId } of all) await adjustInvoiceCommission(connection, after, subjectId);
  const events = all.flatMap(({ before, after }) => statusEvents(before, after));
  await recordEvents(connection, changes[0].after, [first, ...events]);
}

/** One change for each invoice: from how it was first to how it is in the end. */
function merge(changes: readonly InvoiceChange[]): InvoiceChange[] {
  const merged = new Map<bigint, InvoiceChange>();
  for (const change of changes) {
    const earlier = merged.get(change.after.invoiceId);
    merged.set(change.after.invoiceId, earlier ? { ...change, before: earlier.before } : change);
  }
  return [...merged.values()];
}

/**
 * Brings the commission on an invoice to what its franchise earns on it now. `subjectId` is the settlement or credit note
 * that changed it. The caller has locked the invoice and has written it and its credit notes; the book is locked last, and
 * only where money is posted.
 */
export async function adjustInvoiceCommission(
  connection: Connection,
  invoice: Invoice,
  subjectId: bigint,
): Promise<void> {
  const { bucket, merchantId, franchiseId, invoiceId, carriedPaise, creditedPaise } = invoice;
  if (franchiseId === 0n) return;
  const notes = await listCreditNotesOf(connection, invoice);
  await lockBook(connection, bucket, merchantId);
  // Dues of earlier invoices earn on those, by the payments that are passed on to them.
  const amounts = {
    taxablePaise: invoice.subTotalPaise,
    totalPaise: invoice.amountPaise - carriedPaise,
    previousDuesPaise: invoice.previousDuesPaise - carriedPaise,
    paidPaise: invoice.paidPaise - passedOnOf(invoice),
    creditedPaise,
    givenBackPaise: notes.reduce((sum, { refundPaise }) => sum + refundPaise, 0n),
  };
  const merchant = { bucket, merchantId };
  await adjustCommission({ connection, merchant }, { franchiseId, invoiceId, subjectId, ...amounts });
}

const TYPE_OF_STATUS: Readonly<Record<InvoiceStatus, string>> = {
  Unpaid: "invoice.reopened",
  "Partially paid": "invoice.partially_paid",
  "Paid offline": "invoice.paid",
  "Paid online": "invoice.paid",
  Cancelled: "invoice.cancelled",
  "Carried forward": "invoice.carried_forward",
};

/**
 * The events of an invoice whose amounts or dues changed; empty if the status did not change. The paid amount and the total
 * may change without a change of status.
 */
export function statusEvents(before: InvoiceHead, after: InvoiceHead): NewEvent[] {
  const event = (type: string): NewEvent[] => [
    { type, subjectId: after.invoiceId, ...auditChange(amountsOf(before), amountsOf(after)) },
  ];
  if (before.status !== after.status) return event(TYPE_OF_STATUS[after.status]);
  if (before.paidPaise !== after.paidPaise) return event("invoice.partially_paid");
  return before.amountPaise === after.amountPaise ? [] : event("invoice.updated");
}

function amountsOf(invoice: InvoiceHead) {
  const { status, amountPaise, paidPaise, creditedPaise, previousDuesPaise, paidDate, carriedTo } = invoice;
  return { status, amountPaise, paidPaise, creditedPaise, previousDuesPaise, paidDate, carriedTo };
}
