// The one place where changes of billing are recorded: invoices with their counts of days, the journal, and postings.
import type pg from "pg";
import { bookStatements, refuseLockedPeriods } from "../books/index.ts";
import { eventWrites, type NewEvent } from "../ledger/index.ts";
import type { MerchantKey } from "../merchants/index.ts";
import { together, worksOf, type Connection, type Works } from "../platform/database/pool.ts";
import type { Origin } from "../platform/origin.ts";
import { statusEvents } from "./invoice-events.ts";
import type { PostedInvoice } from "./invoice-postings.ts";
import { updateStatement } from "./invoice-store.ts";
import type { Invoice, InvoiceContent, InvoiceHead } from "./invoice.ts";
import { dayStatements } from "./lists/invoice-day-store.ts";
import { registerStatements } from "./register/gst-store.ts";
import { entriesOf, type Posting, type PostingSubject } from "./posting.ts";

/** An invoice as far as what follows from a change depends on it. A payment changes no content, and reads none. */
type RecordedInvoice = InvoiceHead & PostedInvoice & { readonly content?: InvoiceContent };

/** An invoice before a change and after it, and what changed it. `before` is `null` for a new one. */
export type InvoiceChange<Recorded extends InvoiceHead = RecordedInvoice> = {
  readonly before: Recorded | null;
  readonly after: Recorded;
  readonly subject: PostingSubject;
  /** What the journal says of it, if not that its status or amounts changed. */
  readonly event?: NewEvent;
};

/** What one merchant did at once. */
export type BillingRecord = MerchantKey & {
  /** Who did it; left out for the transaction's actor. */
  readonly origin?: Origin | null;
  /** What the journal says ahead of what became of the invoices. */
  readonly events: readonly NewEvent[];
  readonly changes: readonly InvoiceChange[];
  /** What moves beside the invoices: by credit notes and refunds. */
  readonly postings?: readonly Posting[];
};

/**
 * The works that write journal entries and postings: last in a transaction, since they lock the merchants' books. Of an
 * invoice that changed several times the journal has one entry: from how it was first to how it is in the end. Nothing is
 * posted to a locked period: every change of billing passes here, and is refused with `period_locked`.
 */
async function recordWrites(connection: Connection, records: readonly BillingRecord[]): Promise<Works> {
  const events = records.flatMap(({ bucket, merchantId, origin = null, events: said, changes }) =>
    [...said, ...mergeChanges(changes).flatMap(eventsOf)].map((event) => ({ ...event, bucket, merchantId, origin })),
  );
  const entries = records.flatMap((record) => entriesOf(record, record.changes, record.postings ?? []));
  return [
    ...(await eventWrites(connection, events)),
    () => refuseLockedPeriods(connection, entries),
    ...worksOf(connection, bookStatements(entries)),
  ];
}

function eventsOf({ before, after, event }: InvoiceChange): readonly NewEvent[] {
  return event ? [event] : statusEvents(before, after);
}

/** Records what happened in a transaction that has written it. It locks the merchant's book: call it last. */
export async function recordBilling(connection: Connection, record: BillingRecord): Promise<void> {
  await together(connection, ...(await recordWrites(connection, [record])));
}

/**
 * The works that write rows of invoices, of one merchant or of several, count their days, and record what happened: for a
 * caller that sends them with the commit. `statements` write the rows of all `changes`.
 */
export async function changeWrites(
  connection: Connection,
  statements: readonly pg.QueryConfig[],
  records: readonly BillingRecord[],
): Promise<Works> {
  const changes = records.flatMap((record) => record.changes);
  const beside = [...registerStatements(changes), ...countStatements(changes)];
  return [...worksOf(connection, [...statements, ...beside]), ...(await recordWrites(connection, records))];
}

function countStatements(changes: readonly Pick<InvoiceChange, "before" | "after">[]): pg.QueryConfig[] {
  return dayStatements(
    changes.flatMap(({ before }) => before ?? []),
    changes.map(({ after }) => after),
  );
}

/** One change for each invoice: from how it was first to how it is in the end. */
function mergeChanges<Change extends InvoiceChange>(changes: readonly Change[]): Change[] {
  const merged = new Map<bigint, Change>();
  for (const change of changes) {
    const earlier = merged.get(change.after.invoiceId);
    merged.set(change.after.invoiceId, earlier ? { ...change, before: earlier.before } : change);
  }
  return [...merged.values()];
}

/** The changes of a merchant's invoices in a transaction: each is written and counted at once, and all are recorded last. */
export class InvoiceChanges {
  readonly connection: Connection;
  readonly #subject: PostingSubject;
  readonly #changes: InvoiceChange<Invoice>[] = [];

  /** @param subject what changes the invoices, where `update` names nothing else */
  constructor(connection: Connection, subject: PostingSubject) {
    this.connection = connection;
    this.#subject = subject;
  }

  /** Writes an invoice back. The caller holds its row. The statements are sent at once. */
  async update(
    before: Invoice,
    after: Invoice,
    { subject = this.#subject, ...event }: Pick<Partial<InvoiceChange>, "subject" | "event"> = {},
  ): Promise<void> {
    await this.updateAll([{ before, after, subject, ...event }]);
  }

  /** Writes several invoices back, none of them twice. The caller holds their rows. The statements are sent at once. */
  async updateAll(changes: readonly (InvoiceChange<Invoice> & { readonly before: Invoice })[]): Promise<void> {
    if (changes.length === 0) return;
    const write = updateStatement(changes.map(({ after }) => after));
    const statements = [write, ...registerStatements(changes), ...countStatements(changes)];
    await together(this.connection, ...worksOf(this.connection, statements));
    this.#changes.push(...changes);
  }

  /** The day that the changes belong to; left out for that of each invoice. */
  get date(): Pick<PostingSubject, "date"> {
    return this.#subject.date === undefined ? {} : { date: this.#subject.date };
  }

  /** How an invoice is after its changes. */
  get(invoiceId: bigint): Invoice {
    return this.#changes.findLast(({ after }) => after.invoiceId === invoiceId)!.after;
  }

  /** The last change of each invoice, in the order in which they began to change. */
  get merged(): readonly InvoiceChange<Invoice>[] {
    return mergeChanges(this.#changes);
  }

  /** Records the changes, after `events`. It locks the merchant's book: call it last. */
  async record(owner: MerchantKey, events: readonly NewEvent[], postings: readonly Posting[] = []): Promise<void> {
    const { bucket, merchantId } = owner;
    await recordBilling(this.connection, { bucket, merchantId, events, changes: this.#changes, postings });
  }
}
