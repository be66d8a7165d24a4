// What follows from a change of what is paid or credited on an invoice: the dues that it carries, the commission, the events.
// What belongs here: the order. Invoices are held before the merchant's book is, so the book comes last.
import { recordEvents, type Happening } from "../ledger/index.ts";
import type { IdSource } from "../platform/database/ids.ts";
import type { Connection } from "../platform/database/pool.ts";
import { passOn, type InvoiceChange } from "./carry-dues.ts";
import { adjustInvoiceCommission } from "./invoice-commission.ts";
import { statusEvents } from "./invoice-events.ts";

/**
 * Lets follow what must, after invoices have changed and are written. The first change is the one that it began with;
 * `first` is told ahead of what became of the invoices.
 */
export async function followUp(
  connection: Connection,
  ids: IdSource,
  changes: readonly [InvoiceChange, ...InvoiceChange[]],
  first: Happening,
): Promise<void> {
  const all = merge([...changes, ...(await passOn(connection, ids, changes[0].after))]);
  for (const { after, subjectId } of all) await adjustInvoiceCommission(connection, after, subjectId);
  const told = all.flatMap(({ before, after }) => statusEvents(before, after));
  await recordEvents(connection, changes[0].after, [first, ...told]);
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
