// The one place that sees how invoices were and how they are: it counts their days, and will post what changed.
import type pg from "pg";
import { postingsOf, type PostedInvoice, type PostingLine } from "./invoice-postings.ts";
import type { InvoiceHead } from "./invoice.ts";
import { dayStatements } from "./lists/invoice-day-store.ts";

/** An invoice before a change and after it. `before` is `null` for a new one. */
export type RecordedChange = { readonly before: Recorded | null; readonly after: Recorded };
type Recorded = InvoiceHead & PostedInvoice;

/** The statements that write the lines of a change. They belong to the change, since an invoice may change many times. */
export type Post = (change: RecordedChange, lines: readonly PostingLine[]) => readonly pg.QueryConfig[];

/**
 * The statements that record changes of invoices, of one merchant or of several, beside the invoices themselves. `post` is
 * called for each change that moves money in the merchant's book. Without it nothing is posted, as now.
 */
export function changeStatements(changes: readonly RecordedChange[], post: Post | null = null): pg.QueryConfig[] {
  const days = dayStatements(
    changes.flatMap(({ before }) => before ?? []),
    changes.map(({ after }) => after),
  );
  if (post === null) return days;
  const postings = changes.flatMap((change) => {
    const lines = postingsOf(change.before, change.after);
    return lines.length === 0 ? [] : post(change, lines);
  });
  return [...days, ...postings];
}
