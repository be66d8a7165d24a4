// SQL of the journal: a merchant's events in order, with the money they moved. It is ledger, audit log and outbox.
// Group commits of payouts write in batch-store.ts.
import type pg from "pg";
import { Parameters, type RowColumn } from "../platform/database/parameters.ts";
import { table } from "../platform/database/table.ts";
import { type Connection, type Queryable, together, type Works } from "../platform/database/pool.ts";
import { type BucketPin, inParts, pinTo } from "../platform/database/citus/index.ts";
import type { Origin } from "../platform/origin.ts";
import { secretsOf, type Secrets } from "../platform/secrets/index.ts";
import { toMicrosecond } from "../platform/time.ts";
import type { AuditChange } from "./audit-values.ts";
import { CHANGED_AT, inBookOrder, lockBooks, moveRows } from "./batch-store.ts";
import { HOT_ACCOUNTS } from "./chart.ts";
import {
  addTo,
  canLeaveDebt,
  noMovement,
  rowMovements,
  settlementAfter,
  sidesOf,
  type Money,
  type Movement,
  type RowMovement,
} from "./posting-rules.ts";
import { proveEvent } from "./proof.ts";

/** An event, with its type and subject. A merchant's events are numbered without gaps. */
export type Event = {
  readonly eventNo: bigint;
  readonly type: string;
  readonly subjectId: bigint;
  readonly createdAt: Temporal.Instant;
};

/** An event to record: its type and subject, the moved money, and changes that no posting or row shows. */
export type NewEvent = AuditChange & { readonly type: string; readonly subjectId: bigint; readonly money?: Money };
type MerchantKey = { readonly bucket: number; readonly merchantId: bigint };

/**
 * Adds entries of the transaction's actor to a merchant's journal, in the given order, and moves the balances. It locks
 * the merchant's book: call it last in a transaction, after taking every other lock. @throws Error if a posting has no
 * rule or account, or the merchant no book
 */
export async function recordEvents(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  events: readonly NewEvent[],
  now: Temporal.Instant = Temporal.Now.instant(),
): Promise<void> {
  await recordEventsOfMany(
    connection,
    events.map((event) => ({ ...event, bucket, merchantId })),
    now,
  );
}

/** An event of one of several merchants, and its actor; by default that of the transaction. */
export type NewEventOf = NewEvent & MerchantKey & { readonly origin?: Pick<Origin, "actor" | "address"> | null };

/** The same for several merchants, each in its own order. Their books are locked in key order. */
export async function recordEventsOfMany(
  connection: Connection,
  given: readonly NewEventOf[],
  now: Temporal.Instant = Temporal.Now.instant(),
): Promise<void> {
  if (given.length === 0) return;
  const events = given.some(({ money }) => money && canLeaveDebt(money))
    ? await withSettlements(connection, given)
    : given;
  await together(connection, ...writesOf(connection, await secretsOf(connection), events, now));
}

/**
 * The statements that add entries, for a caller that sends them with others. They come last, since they lock the books.
 * @throws Error if one moves money: that needs a check after the statement
 */
export async function eventWrites(connection: Connection, given: readonly NewEventOf[]): Promise<Works> {
  if (given.some(({ money }) => money)) throw new Error("entries that move money can't leave with the commit");
  return given.length === 0 ? [] : writesOf(connection, await secretsOf(connection), given, Temporal.Now.instant());
}

/** On Citus one for each bucket: an update without a bucket blocks all others of its kind. */
function writesOf(
  connection: Connection,
  secrets: Secrets,
  events: readonly NewEventOf[],
  now: Temporal.Instant,
): Works {
  return inParts(connection, events).map((part) => writeOf(connection, secrets, part, now));
}

function writeOf(
  connection: Connection,
  secrets: Secrets,
  events: readonly NewEventOf[],
  now: Temporal.Instant,
): () => Promise<void> {
  const books = booksOf(events);
  const moved = rowMovements(events);
  const entries = toEntries(secrets, toMicrosecond(now), events);
  const statement = toStatement(pinTo(connection, books), { entries, books, moved });
  return async () => {
    // A single update locks its rows in no fixed order, so they are locked first.
    const [, { rows }] = await together(
      connection,
      async () => (books.length > 1 ? lockBooks(connection, books) : []),
      () => connection.query<{ moved: bigint }>(statement),
    );
    if (Number(rows[0]!.moved) !== moved.length) throw new Error("a posting has no account");
  };
}

/** The events, each followed by the settlement of its merchant's debt. Locks their books to read the balances. */
async function withSettlements(connection: Connection, events: readonly NewEventOf[]): Promise<NewEventOf[]> {
  const keys = booksOf(events);
  const books = await lockBooks(connection, keys);
  const current = new Map(keys.map(({ merchantId }, index) => [merchantId, { ...books[index]! }]));
  const add = (event: NewEventOf): NewEventOf => {
    const book = current.get(event.merchantId)!;
    const movement = noMovement();
    if (event.money) addTo(movement, event.money);
    book.lastEntryNo += 1n;
    book.availablePaise += movement.available;
    book.owedPaise -= movement.owed_by_merchant;
    return event;
  };
  return events.flatMap((event) => {
    const book = current.get(add(event).merchantId)!;
    const settlement = event.money ? settlementAfter(book.lastEntryNo, book) : null;
    if (!settlement) return [event];
    const { bucket, merchantId, origin = null } = event;
    return [event, add({ bucket, merchantId, origin, ...settlement })];
  });
}

type Entry = ReturnType<typeof toEntries>[number];

/** Entries with their changes as JSON, the accounts they move, and a proof for those that are more than a movement of money. */
function toEntries(secrets: Secrets, createdAt: Temporal.Instant, events: readonly NewEventOf[]) {
  return events.map(({ money, ...event }) => {
    const [before, after] = [event.before, event.after].map((values) => (values ? JSON.stringify(values) : null));
    const isPlainPosting = money && before === null && after === null;
    const said = { before: JSON.parse(before ?? "null") as unknown, after: JSON.parse(after ?? "null") as unknown };
    const proof = isPlainPosting ? null : proveEvent(secrets, { ...event, ...said, createdAt });
    return { ...event, createdAt, before, after, proof, posting: money ? { ...money, ...sidesOf(money) } : null };
  });
}

const ENTRY_COLUMNS: readonly RowColumn<Entry>[] = [
  ["bucket", "smallint", ({ bucket }) => bucket],
  ["merchant_id", "bigint", ({ merchantId }) => merchantId],
  ["type", "text", ({ type }) => type],
  ["subject_id", "bigint", ({ subjectId }) => subjectId],
  ["before", "jsonb", ({ before }) => before],
  ["after", "jsonb", ({ after }) => after],
  ["proof", "bytea", ({ proof }) => proof],
  ["actor", "text", ({ origin }) => origin?.actor],
  ["address", "text", ({ origin }) => origin?.address],
];

const POSTING_COLUMNS: readonly RowColumn<Entry>[] = [
  ["change_no", "integer", ({ posting }) => posting?.changeNo ?? 0],
  ["kind", "text", ({ posting }) => posting?.kind],
  ["debit_kind", "text", ({ posting }) => posting?.debitKind],
  ["debit_owner_id", "bigint", ({ posting }) => posting?.debitOwnerId],
  ["credit_kind", "text", ({ posting }) => posting?.creditKind],
  ["credit_owner_id", "bigint", ({ posting }) => posting?.creditOwnerId],
  ["amount_paise", "bigint", ({ posting }) => posting?.amountPaise],
];

const BOOK_COLUMNS: readonly RowColumn<BookMovement>[] = [
  ["bucket", "smallint", ({ bucket }) => bucket],
  ["merchant_id", "bigint", ({ merchantId }) => merchantId],
  ["entries", "bigint", ({ entries }) => entries],
  ["terms", "bigint", ({ terms }) => terms],
];

const HOT_COLUMNS = HOT_ACCOUNTS.map((account): RowColumn<BookMovement> => [
  account,
  "bigint",
  ({ movement }) => movement[account],
]);

type Writing = {
  readonly entries: readonly Entry[];
  readonly books: readonly BookMovement[];
  readonly moved: readonly RowMovement[];
};

/** One statement that adds to the books, numbers the entries by them, and moves the accounts that are rows. */
function toStatement(pin: BucketPin, { entries, books, moved }: Writing): pg.QueryConfig {
  const movesMoney = entries.some(({ posting }) => posting);
  const parameters = new Parameters();
  const rows = moved.length > 0 ? moveRows(parameters, pin, moved) : null;
  const parts = [
    addToBooks(parameters, pin, books, movesMoney ? HOT_COLUMNS : []),
    addToJournal(parameters, entries, movesMoney ? POSTING_COLUMNS : []),
    ...(rows ? [rows.text] : []),
  ];
  const opens = moved.some(({ ownerId }) => ownerId === 0n);
  return {
    name: pin.name(`record-${movesMoney ? "postings" : "events"}${rows ? " rows" : ""}${opens ? " opening" : ""}`),
    text: `with ${parts.join(", ")}
      select (select count(*) from written) as written, ${rows?.count ?? "0::bigint"} as moved`,
    values: parameters.values,
  };
}

/** The part `book` of a `with`: changes the books, and returns each one's last number before. */
function addToBooks(
  parameters: Parameters,
  pin: BucketPin,
  books: readonly BookMovement[],
  hot: readonly RowColumn<BookMovement>[],
): string {
  const { arrays, names } = parameters.addRows([...BOOK_COLUMNS, ...hot], books);
  const balances = hot.map(([name]) => `, ${name}_paise = ledger_book.${name}_paise + counted.${name}`);
  return `book as (
      update ledger_book
      set
        last_entry_no = last_entry_no + counted.entries, terms_version = terms_version + counted.terms,
        changed_at = ${CHANGED_AT}${balances.join("")}
      from ${arrays} as counted (${names})
      where ledger_book.bucket = counted.bucket and ledger_book.merchant_id = counted.merchant_id${pin.of("ledger_book")}
      returning ledger_book.bucket, ledger_book.merchant_id, last_entry_no - counted.entries as earlier
    )`;
}

/**
 * The parts `given` and `written` of a `with`: they number the entries of each book in order, and add them to the
 * journal. The journal refuses entries without a book, since these have no number.
 */
function addToJournal(parameters: Parameters, entries: readonly Entry[], posting: readonly RowColumn<Entry>[]): string {
  const createdAt = parameters.add("timestamptz", entries[0]!.createdAt.toString());
  const { arrays, names } = parameters.addRows([...ENTRY_COLUMNS, ...posting], entries);
  const postingNames = posting.map(([name]) => `, ${name}`).join("");
  return `given as (
      select given.*, row_number() over (partition by bucket, merchant_id order by place) as place_in_book
      from ${arrays} with ordinality as given (${names}, place)
    ), written as (
      insert into journal (
        bucket, merchant_id, entry_no, type, subject_id, created_at, actor, address, before, after, proof${postingNames})
      select
        bucket, merchant_id, book.earlier + given.place_in_book, type, subject_id, ${createdAt},
        coalesce(actor, nodal_actor()), case when actor is null then nodal_address() else address end, before, after,
        proof${postingNames}
      from given left join book using (bucket, merchant_id)
      returning 1
    )`;
}

type BookMovement = MerchantKey & { entries: number; terms: number; readonly movement: Movement };

/**
 * Entries of these kinds don't affect which payouts are accepted. After any other, such as `merchant.changed` or
 * `policy.changed`, every server reads the merchant's terms again before it accepts the next payout.
 */
const DECIDE_NOTHING: ReadonlySet<string> = new Set([
  "transfer",
  "withdrawal",
  "commission",
  "posting",
  "balance",
  "statement",
  "beneficiary",
  "approval",
  "payout_batch",
  "scheduled_payout",
  "customer",
  "customer_group",
  "customer_column",
  "item",
  "invoice",
  "invoice_draft",
  "estimate",
  "settlement",
  "receipt",
  "receipt_refund",
  "advance_voucher",
  "tds_claim",
  "credit_note",
  "subscription",
  "mail",
  "login",
]);

/** May an entry of this type change which payouts its merchant can make? */
function changesTerms(type: string): boolean {
  return !DECIDE_NOTHING.has(type.slice(0, type.indexOf(".")));
}

/** The books of some entries, once each, in key order. */
function booksOf(events: readonly (NewEvent & MerchantKey)[]): BookMovement[] {
  const books = new Map<bigint, BookMovement>();
  for (const { bucket, merchantId, type, money } of events) {
    const book = books.get(merchantId) ?? { bucket, merchantId, entries: 0, terms: 0, movement: noMovement() };
    books.set(merchantId, book);
    book.entries += 1;
    if (changesTerms(type)) book.terms += 1;
    if (money) addTo(book.movement, money);
  }
  return [...books.values()].sort(inBookOrder);
}

const EVENTS = table<Event, Pick<Event, "eventNo">>("journal", ["eventNo"], {
  eventNo: "entry_no bigint",
  type: "text",
  subjectId: "bigint",
  createdAt: "timestamptz",
});

/** A filter of events. Members that are `null` or left out don't restrict it. */
export type EventRange = {
  readonly after: bigint;
  readonly upTo?: bigint | null;
  readonly types?: readonly string[] | null;
  readonly limit: number;
};

/** A merchant's first events of a range, in order. */
export function listEvents(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  { after, upTo = null, types = null, limit }: EventRange,
): Promise<Event[]> {
  return EVENTS.select(
    db,
    `select ${EVENTS.columns} from journal
     where bucket = $1 and merchant_id = $2 and entry_no > $3 and ($4::bigint is null or entry_no <= $4)
       and ($5::text[] is null or type = any ($5))
     order by entry_no limit $6`,
    [bucket, merchantId, after, upTo, types, limit],
  );
}

/** The number of the last entry of a merchant; 0 without one. */
export async function readLastEntryNo(db: Queryable, { bucket, merchantId }: MerchantKey): Promise<bigint> {
  const { rows } = await db.query<{ last_entry_no: bigint }>(
    "select last_entry_no from ledger_book where bucket = $1 and merchant_id = $2",
    [bucket, merchantId],
  );
  return rows[0]?.last_entry_no ?? 0n;
}

/** The merchant's events of these numbers, in order. */
export function findEvents(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  eventNos: readonly bigint[],
): Promise<Event[]> {
  return EVENTS.select(
    db,
    `select ${EVENTS.columns} from journal
     where bucket = $1 and merchant_id = $2 and entry_no = any ($3)
     order by entry_no`,
    [bucket, merchantId, eventNos],
  );
}
