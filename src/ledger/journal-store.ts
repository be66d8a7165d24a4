// SQL of the journal: what happened to a merchant, in order, and what money moved with it. It is ledger, audit log and
// outbox. Group commits of payouts write in batch-store.ts.
import type pg from "pg";
import { arrayText, type Item, table } from "../platform/database/table.ts";
import { type Connection, type Queryable, together } from "../platform/database/pool.ts";
import { type BucketPin, inParts, pinTo } from "../platform/database/citus/index.ts";
import type { Origin } from "../platform/origin.ts";
import { secretsOf, type Secrets } from "../platform/secrets/index.ts";
import { toMicrosecond } from "../platform/time.ts";
import type { AuditChange } from "./audit-values.ts";
import { CHANGED_AT, inBookOrder, lockBooks } from "./batch-store.ts";
import {
  addTo,
  canLeaveDebt,
  noMovement,
  OWN_ACCOUNTS,
  ownedMovements,
  settlementAfter,
  sidesOf,
  type Money,
  type Movement,
  type OwnedMovement,
} from "./posting-rules.ts";
import { proveEvent } from "./proof.ts";

/** Something that happened: the type says what, the subject to what. Numbers are without gaps for each merchant. */
export type Event = {
  readonly eventNo: bigint;
  readonly type: string;
  readonly subjectId: bigint;
  readonly createdAt: Temporal.Instant;
};

/** An event to record: what happened, to what, what changed where no posting or row says it, and the money moved. */
export type NewEvent = AuditChange & { readonly type: string; readonly subjectId: bigint; readonly money?: Money };
type MerchantKey = { readonly bucket: number; readonly merchantId: bigint };

/**
 * Adds entries to a merchant's journal, in the given order and in the name of the transaction's actor, moves the
 * balances, and locks the merchant's book from then on: call it last in a transaction, with every other lock taken.
 * @throws Error where a posting has no rule or account, or the merchant no book
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

/** An event of one of several merchants, and who did it: the transaction's actor, where nobody is named. */
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
  // On Citus a change that names no bucket keeps all others of its kind waiting.
  for (const part of inParts(connection, events)) await writeEvents(connection, part, now);
}

async function writeEvents(
  connection: Connection,
  events: readonly NewEventOf[],
  now: Temporal.Instant,
): Promise<void> {
  const books = booksOf(events);
  const statement = toStatement(
    await secretsOf(connection),
    pinTo(connection, books),
    books,
    events,
    toMicrosecond(now),
  );
  // A statement locks what it updates in any order.
  const [, { rows }] = await together(
    connection,
    async () => (books.length > 1 ? lockBooks(connection, books) : []),
    () => connection.query<{ written: bigint; moved: bigint }>(statement),
  );
  if (Number(rows[0]!.written) !== events.length) throw new Error("a merchant has no book");
  if (Number(rows[0]!.moved) !== ownedMovements(events).length) throw new Error("a posting has no account");
}

/** The events, each followed by what is taken for what its merchant owes. Locks their books, to know how they stand. */
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

function toStatement(
  secrets: Secrets,
  pin: BucketPin,
  books: readonly BookMovement[],
  events: readonly NewEventOf[],
  createdAt: Temporal.Instant,
): pg.QueryConfig {
  const entries = toRows(secrets, createdAt, events);
  const movesMoney = events.some(({ money }) => money);
  return {
    name: pin.name(movesMoney ? "record-postings" : "record-events"),
    text: movesMoney ? recordPostings(pin) : recordEventsAlone(pin),
    values: [
      createdAt.toString(),
      ...[
        entries.map(({ bucket }) => bucket),
        entries.map(({ merchantId }) => merchantId),
        entries.map(({ type }) => type),
        entries.map(({ subjectId }) => subjectId),
        entries.map(({ before }) => before),
        entries.map(({ after }) => after),
        entries.map(({ proof }) => proof),
        entries.map(({ origin }) => origin?.actor),
        entries.map(({ origin }) => origin?.address),
        books.map(({ bucket }) => bucket),
        books.map(({ merchantId }) => merchantId),
        books.map(({ entries: count }) => count),
        books.map(({ terms }) => terms),
        ...(movesMoney
          ? [...postingColumns(events), ...movementColumns(books), ...ownedColumns(ownedMovements(events))]
          : []),
      ].map(arrayText),
    ],
  };
}

/**
 * The entries' columns, and the numbers that their books give them. $1 is the time, $2 to $10 the entries, $11 to $14
 * the books with how many entries each gets, and how many of those may decide on payouts.
 */
const GIVEN = (more: string, moreColumns: string): string => `
  given as (
    select given.*, row_number() over (partition by bucket, merchant_id order by place) as place_in_book
    from unnest(
      $2::smallint[], $3::bigint[], $4::text[], $5::bigint[], $6::jsonb[], $7::jsonb[], $8::bytea[], $9::text[],
      $10::text[]${more})
      with ordinality
      as given (bucket, merchant_id, type, subject_id, before, after, proof, actor, address${moreColumns}, place)
  )`;

const ENTRY_COLUMNS =
  "bucket, merchant_id, entry_no, type, subject_id, created_at, actor, address, before, after, proof";
const ENTRY_VALUES = `
  bucket, merchant_id, book.earlier + given.place_in_book, type, subject_id, $1, coalesce(actor, nodal_actor()),
  case when actor is null then nodal_address() else address end, before, after, proof`;

const recordEventsAlone = (pin: BucketPin): string => `
  with ${GIVEN("", "")}, book as (
    update ledger_book
    set
      last_entry_no = last_entry_no + counted.entries, terms_version = terms_version + counted.terms,
      changed_at = ${CHANGED_AT}
    from unnest($11::smallint[], $12::bigint[], $13::bigint[], $14::bigint[])
      as counted (bucket, merchant_id, entries, terms)
    where ledger_book.bucket = counted.bucket and ledger_book.merchant_id = counted.merchant_id${pin.of("ledger_book")}
    returning ledger_book.bucket, ledger_book.merchant_id, last_entry_no - counted.entries as earlier
  ), written as (
    insert into journal (${ENTRY_COLUMNS})
    select ${ENTRY_VALUES} from given join book using (bucket, merchant_id)
    returning 1
  )
  select (select count(*) from written) as written, 0::bigint as moved`;

/**
 * $15 to $20 are the postings, $21 to $27 what is added to the books' own accounts, $28 to $32 to those with owners.
 */
const recordPostings = (pin: BucketPin): string => `
  with ${GIVEN(
    ", $15::text[], $16::text[], $17::bigint[], $18::text[], $19::bigint[], $20::bigint[]",
    ", kind, debit_kind, debit_owner_id, credit_kind, credit_owner_id, amount_paise",
  )}, book as (
    update ledger_book
    set
      last_entry_no = last_entry_no + counted.entries, terms_version = terms_version + counted.terms,
      changed_at = ${CHANGED_AT},
      ${OWN_ACCOUNTS.map((account) => `${account}_paise = ledger_book.${account}_paise + counted.${account}`).join(", ")}
    from unnest(
      $11::smallint[], $12::bigint[], $13::bigint[], $14::bigint[], $21::bigint[], $22::bigint[], $23::bigint[],
      $24::bigint[], $25::bigint[], $26::bigint[], $27::bigint[])
      as counted (bucket, merchant_id, entries, terms, ${OWN_ACCOUNTS.join(", ")})
    where ledger_book.bucket = counted.bucket and ledger_book.merchant_id = counted.merchant_id${pin.of("ledger_book")}
    returning ledger_book.bucket, ledger_book.merchant_id, last_entry_no - counted.entries as earlier
  ), account as (
    update ledger_account
    set balance = balance + movement.paise
    from unnest($28::smallint[], $29::bigint[], $30::text[], $31::bigint[], $32::bigint[])
      as movement (bucket, merchant_id, kind, owner_id, paise)
    where ledger_account.bucket = movement.bucket and ledger_account.merchant_id = movement.merchant_id
      and ledger_account.kind = movement.kind and ledger_account.owner_id = movement.owner_id${pin.of("ledger_account")}
    returning 1
  ), written as (
    insert into journal (
      ${ENTRY_COLUMNS}, kind, debit_kind, debit_owner_id, credit_kind, credit_owner_id, amount_paise)
    select ${ENTRY_VALUES}, kind, debit_kind, debit_owner_id, credit_kind, credit_owner_id, amount_paise
    from given join book using (bucket, merchant_id)
    returning 1
  )
  select (select count(*) from written) as written, (select count(*) from account) as moved`;

/** Entries with what they changed as JSON, and the proof of those that say more than what money moved. */
function toRows(secrets: Secrets, createdAt: Temporal.Instant, events: readonly NewEventOf[]) {
  return events.map(({ money, ...event }) => {
    const [before, after] = [event.before, event.after].map((values) => (values ? JSON.stringify(values) : null));
    const isPlainPosting = money && before === null && after === null;
    const said = { before: JSON.parse(before ?? "null") as unknown, after: JSON.parse(after ?? "null") as unknown };
    const proof = isPlainPosting ? null : proveEvent(secrets, { ...event, ...said, createdAt });
    return { ...event, before, after, proof };
  });
}

type BookMovement = MerchantKey & { entries: number; terms: number; readonly movement: Movement };

/**
 * What entries of these kinds say decides on no payout. After any other, such as `merchant.changed` or `policy.changed`,
 * every server reads how the merchant stands before it accepts the next one.
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
  "invoice",
  "settlement",
  "credit_note",
  "subscription",
  "mail",
  "login",
]);

/** Whether an entry of this type may change which payouts its merchant can make. */
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

function movementColumns(books: readonly BookMovement[]): bigint[][] {
  return OWN_ACCOUNTS.map((account) => books.map(({ movement }) => movement[account]));
}

function ownedColumns(owned: readonly OwnedMovement<MerchantKey>[]): Item[][] {
  return [
    owned.map(({ bucket }) => bucket),
    owned.map(({ merchantId }) => merchantId),
    owned.map(({ kind }) => kind),
    owned.map(({ ownerId }) => ownerId),
    owned.map(({ paise }) => paise),
  ];
}

function postingColumns(events: readonly NewEvent[]): Item[][] {
  const postings = events.map(({ money }) => (money ? { ...money, ...sidesOf(money) } : null));
  return [
    postings.map((posting) => posting?.kind ?? null),
    postings.map((posting) => posting?.debitKind ?? null),
    postings.map((posting) => posting?.debitOwnerId ?? null),
    postings.map((posting) => posting?.creditKind ?? null),
    postings.map((posting) => posting?.creditOwnerId ?? null),
    postings.map((posting) => posting?.amountPaise ?? null),
  ];
}

const EVENTS = table<Event, Pick<Event, "eventNo">>("journal", ["eventNo"], {
  eventNo: "entry_no bigint",
  type: "text",
  subjectId: "bigint",
  createdAt: "timestamptz",
});

/** The merchant's first `limit` events after the given number, in order; of the given types, or of every one. */
export function listEvents(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  after: bigint,
  limit: number,
  types: readonly string[] | null = null,
): Promise<Event[]> {
  return EVENTS.select(
    db,
    `select ${EVENTS.columns} from journal
     where bucket = $1 and merchant_id = $2 and entry_no > $3 and ($5::text[] is null or type = any ($5))
     order by entry_no limit $4`,
    [bucket, merchantId, after, limit, types],
  );
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
