// What is due on an invoice changes after it was carried forward: a cheque bounces, goods come back. The later invoices
// that carry its dues follow, so that everything is due on the last of them, and nowhere else.
// What belongs here: holding such invoices together, and moving their amounts. What was paid is passed on by carry-dues.ts.
import type { MerchantKey } from "../merchants/index.ts";
import type { IdSource } from "../platform/database/ids.ts";
import type { Connection } from "../platform/database/pool.ts";
import { passOn, type InvoiceChange } from "./carry-dues.ts";
import { invoiceNotFound, statusOf, type Invoice } from "./invoice.ts";
import { findInvoice, insertRevision, updateInvoice } from "./invoice-store.ts";

/**
 * Holds an invoice and those that its dues moved on to, one after the other, and answers them in this order. Newest
 * first, as whoever holds several invoices does; one that came meanwhile is held after the others.
 * @throws NodalError `invoice_not_found`
 */
export async function lockWithLater(
  connection: Connection,
  merchant: MerchantKey,
  invoiceId: bigint,
): Promise<[Invoice, ...Invoice[]]> {
  const held = new Map<bigint, Invoice>();
  for (;;) {
    const [first, ...later] = await followDues(connection, merchant, invoiceId);
    const all = [first, ...later] as const;
    const missing = all.filter((invoice) => !held.has(invoice.invoiceId));
    if (missing.length === 0) return [first, ...later];
    for (const invoice of missing.toSorted((a, b) => (a.invoiceId < b.invoiceId ? 1 : -1))) {
      held.set(invoice.invoiceId, (await findInvoice(connection, invoice, true))!);
    }
  }
}

async function followDues(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  invoiceId: bigint,
): Promise<[Invoice, ...Invoice[]]> {
  const first = await findInvoice(connection, { bucket, merchantId, invoiceId });
  if (!first) throw invoiceNotFound();
  const found: [Invoice, ...Invoice[]] = [first];
  for (let last = first; last.carriedTo !== null;) {
    last = (await findInvoice(connection, { bucket, merchantId, invoiceId: last.carriedTo }))!;
    found.push(last);
  }
  return found;
}

/** An invoice as it is written, and every other change that this brought about. */
type Written = { readonly invoice: Invoice; readonly changes: InvoiceChange[] };

/**
 * Writes an invoice of which `deltaPaise` more (below 0: less) is due than before. Where its dues were carried forward,
 * the later invoices follow: each carries so much more, and passes on what is paid of it. All are held.
 */
export async function writeDues(
  connection: Connection,
  ids: IdSource,
  change: { readonly before: Invoice; readonly after: Invoice },
  later: readonly Invoice[],
  deltaPaise: bigint,
): Promise<Written> {
  if (later.length > 0) return shiftDues(connection, ids, change, later, deltaPaise);
  await updateInvoice(connection, change.before, change.after);
  return { invoice: change.after, changes: [] };
}

async function shiftDues(
  connection: Connection,
  ids: IdSource,
  change: { readonly before: Invoice; readonly after: Invoice },
  later: readonly Invoice[],
  deltaPaise: bigint,
): Promise<Written> {
  const invoice = withMoved(change.after, deltaPaise);
  await updateInvoice(connection, change.before, invoice);
  const changes: InvoiceChange[] = [];
  for (const before of later) {
    const carrying = {
      ...before,
      carriedPaise: before.carriedPaise + deltaPaise,
      previousDuesPaise: before.previousDuesPaise + deltaPaise,
      amountPaise: before.amountPaise + deltaPaise,
      revision: before.revision + 1,
    };
    const after = before.carriedTo === null ? withStatus(carrying) : withMoved(carrying, deltaPaise);
    await insertRevision(connection, before, Temporal.Now.instant());
    await updateInvoice(connection, before, after);
    // What this takes from the commission on it is posted under an id of its own.
    changes.push({ before, after, subjectId: await ids.next() });
  }
  // Newest first: what is paid on it reaches an invoice before that shares out its own, so that no part is taken back
  // only to be given again.
  for (const each of later.toReversed()) {
    changes.push(...(await passOn(connection, ids, (await findInvoice(connection, each))!)));
  }
  return { invoice: (await findInvoice(connection, invoice))!, changes };
}

/** So much more of an invoice's dues has moved on. Where nothing is left that moved, it points to no other any more. */
function withMoved(invoice: Invoice, deltaPaise: bigint): Invoice {
  const carriedDuePaise = invoice.carriedDuePaise + deltaPaise;
  return withStatus({ ...invoice, carriedDuePaise, carriedTo: carriedDuePaise === 0n ? null : invoice.carriedTo });
}

function withStatus(invoice: Invoice): Invoice {
  return { ...invoice, status: statusOf(invoice) };
}
