// The one place that records changes of billing: invoices with their counts of days, the journal, and postings.
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

/** The parts of an invoice that a change's effects depend on. A payment changes no content, and reads none. */
type RecordedInvoice = InvoiceHead & PostedInvoice & { readonly content?: InvoiceContent };

/** An invoice before and after a change, and its cause. `before` is `null` for a new one. */
export type InvoiceChange<Recorded extends InvoiceHead = RecordedInvoice> = {
  readonly before: Recorded | null;
  readonly after: Recorded;
  readonly subject: PostingSubject;
  /** The journal event, if not a change of status or amounts. */
  readonly event?: NewEvent;
};

/** The changes of one merchant in a transaction. */
export type BillingRecord = MerchantKey & {
  /** The actor; by default the transaction's. */
  readonly origin?: Origin | null;
  /** Journal events that come before those of the invoices. */
  readonly events: readonly NewEvent[];
  readonly changes: readonly InvoiceChange[];
  /** Postings besides those of invoices: of credit notes and refunds. */
  readonly postings?: readonly Posting[];
};

/**
 * The writes of journal entries and postings: last in a transaction, since they lock the merchants' books. An invoice that changed
 * several times has one journal entry: from its first to its last state. Nothing is posted to a locked period: every change of
 * billing passes here, and is refused with `period_locked`.
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

/** Records the events of a transaction that has written the changes. It locks the merchant's book: call it last. */
export async function recordBilling(connection: Connection, record: BillingRecord): Promise<void> {
  await together(connection, ...(await recordWrites(connection, [record])));
}

/**
 * The writes of invoices, of one merchant or of several, their counts of days, and events: for a caller that sends them with the
 * commit. `statements` write the rows of all `changes`.
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

/** One change for each invoice: from its first to its last state. */
function mergeChanges<Change extends InvoiceChange>(changes: readonly Change[]): Change[] {
  const merged = new Map<bigint, Change>();
  for (const change of changes) {
    const earlier = merged.get(change.after.invoiceId);
    merged.set(change.after.invoiceId, earlier ? { ...change, before: earlier.before } : change);
  }
  return [...merged.values()];
}

/** The changes of a merchant's invoices in a transaction: each is saved and counted at once, and all are recorded last. */
export class InvoiceChanges {
  readonly connection: Connection;
  readonly #subject: PostingSubject;
  readonly #changes: InvoiceChange<Invoice>[] = [];

  /** @param subject the cause of the changes, unless `update` names another */
  constructor(connection: Connection, subject: PostingSubject) {
    this.connection = connection;
    this.#subject = subject;
  }

  /** Saves an invoice. The caller has locked its row. The statements are sent at once. */
  async update(
    before: Invoice,
    after: Invoice,
    { subject = this.#subject, ...event }: Pick<Partial<InvoiceChange>, "subject" | "event"> = {},
  ): Promise<void> {
    await this.updateAll([{ before, after, subject, ...event }]);
  }

  /** Saves several invoices, none of them twice. The caller has locked their rows. The statements are sent at once. */
  async updateAll(changes: readonly (InvoiceChange<Invoice> & { readonly before: Invoice })[]): Promise<void> {
    if (changes.length === 0) return;
    const write = updateStatement(changes.map(({ after }) => after));
    const statements = [write, ...registerStatements(changes), ...countStatements(changes)];
    await together(this.connection, ...worksOf(this.connection, statements));
    this.#changes.push(...changes);
  }

  /** The day of the changes; by default each invoice's. */
  get date(): Pick<PostingSubject, "date"> {
    return this.#subject.date === undefined ? {} : { date: this.#subject.date };
  }

  /** An invoice after its changes. */
  get(invoiceId: bigint): Invoice {
    return this.#changes.findLast(({ after }) => after.invoiceId === invoiceId)!.after;
  }

  /** The last state of each invoice, in the order in which they began to change. */
  get merged(): readonly InvoiceChange<Invoice>[] {
    return mergeChanges(this.#changes);
  }

  /** Records the changes, after `events`. It locks the merchant's book: call it last. */
  async record(owner: MerchantKey, events: readonly NewEvent[], postings: readonly Posting[] = []): Promise<void> {
    const { bucket, merchantId } = owner;
    await recordBilling(this.connection, { bucket, merchantId, events, changes: this.#changes, postings });
  }
}
