// SQL of the journal: what happened to a merchant, in order, and what money moved with it. It is ledger, audit log and
// outbox. What belongs here: its writer, and reading entries by number. Group commits of payouts write in batch-store.ts.
import type { Connection, Queryable } from "../platform/database/pool.ts";
import { secretsOf, type Secrets } from "../platform/secrets/index.ts";
import { toMicrosecond } from "../platform/time.ts";
import type { AuditChange } from "./audit-values.ts";
import {
  addTo,
  noMovement,
  OWN_ACCOUNTS,
  ownedMovements,
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

/** What happened, to what, what it changed where no posting or row says it, and the money that it moved. */
export type Happening = AuditChange & { readonly type: string; readonly subjectId: bigint; readonly money?: Money };
type MerchantKey = { readonly bucket: number; readonly merchantId: bigint };

/**
 * Adds entries to a merchant's journal, in the given order and in the name of whoever acts in the transaction, moves the
 * balances, and holds the merchant's book from then on: call it last in a transaction, with every other lock taken.
 * @throws Error where a posting has no rule or account, or the merchant no book
 */
export async function recordEvents(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  happenings: readonly Happening[],
  now: Temporal.Instant = Temporal.Now.instant(),
): Promise<void> {
  await recordEventsOfMany(
    connection,
    happenings.map((happening) => ({ ...happening, bucket, merchantId })),
    now,
  );
}

/** The same for several merchants. Their books must be new or held: nothing here takes them in order. */
export async function recordEventsOfMany(
  connection: Connection,
  happenings: readonly (Happening & MerchantKey)[],
  now: Temporal.Instant = Temporal.Now.instant(),
): Promise<void> {
  if (happenings.length === 0) return;
  const createdAt = toMicrosecond(now);
  const books = booksOf(happenings);
  const entries = toRows(await secretsOf(connection), createdAt, happenings);
  const movesMoney = happenings.some(({ money }) => money);
  const owned = ownedMovements(happenings);
  const { rows } = await connection.query<{ written: bigint; moved: bigint }>({
    name: movesMoney ? "record-postings" : "record-events",
    text: movesMoney ? RECORD_POSTINGS : RECORD_EVENTS,
    values: [
      createdAt.toString(),
      entries.map(({ bucket }) => bucket),
      entries.map(({ merchantId }) => merchantId),
      entries.map(({ type }) => type),
      entries.map(({ subjectId }) => subjectId),
      entries.map(({ before }) => before),
      entries.map(({ after }) => after),
      entries.map(({ proof }) => proof),
      books.map(({ bucket }) => bucket),
      books.map(({ merchantId }) => merchantId),
      books.map(({ entries: count }) => count),
      ...(movesMoney ? [...postingColumns(happenings), ...movementColumns(books), ...ownedColumns(owned)] : []),
    ],
  });
  if (Number(rows[0]!.written) !== happenings.length) throw new Error("a merchant has no book");
  if (Number(rows[0]!.moved) !== owned.length) throw new Error("a posting has no account");
}

/**
 * The entries' columns, and the numbers that their books give them. $1 is the time, $2 to $8 the entries, $9 to $11 the
 * books with how many entries each gets.
 */
const GIVEN = (more: string, moreColumns: string): string => `
  given as (
    select given.*, row_number() over (partition by bucket, merchant_id order by place) as place_in_book
    from unnest(
      $2::smallint[], $3::bigint[], $4::text[], $5::bigint[], $6::jsonb[], $7::jsonb[], $8::bytea[]${more})
      with ordinality
      as given (bucket, merchant_id, type, subject_id, before, after, proof${moreColumns}, place)
  )`;

const ENTRY_COLUMNS =
  "bucket, merchant_id, entry_no, type, subject_id, created_at, actor, address, before, after, proof";
const ENTRY_VALUES = `
  bucket, merchant_id, book.earlier + given.place_in_book, type, subject_id, $1, nodal_actor(), nodal_address(), before,
  after, proof`;

const RECORD_EVENTS = `
  with ${GIVEN("", "")}, book as (
    update ledger_book
    set last_entry_no = last_entry_no + counted.entries
    from unnest($9::smallint[], $10::bigint[], $11::bigint[]) as counted (bucket, merchant_id, entries)
    where ledger_book.bucket = counted.bucket and ledger_book.merchant_id = counted.merchant_id
    returning ledger_book.bucket, ledger_book.merchant_id, last_entry_no - counted.entries as earlier
  ), written as (
    insert into journal (${ENTRY_COLUMNS})
    select ${ENTRY_VALUES} from given join book using (bucket, merchant_id)
    returning 1
  )
  select (select count(*) from written) as written, 0::bigint as moved`;

/** $12 to $17 are the postings, $18 to $23 what is added to the books' own accounts, $24 to $28 to those with owners. */
const RECORD_POSTINGS = `
  with ${GIVEN(
    ", $12::text[], $13::text[], $14::bigint[], $15::text[], $16::bigint[], $17::bigint[]",
    ", kind, debit_kind, debit_owner_id, credit_kind, credit_owner_id, amount_paise",
  )}, book as (
    update ledger_book
    set
      last_entry_no = last_entry_no + counted.entries,
      ${OWN_ACCOUNTS.map((account) => `${account}_paise = ledger_book.${account}_paise + counted.${account}`).join(", ")}
    from unnest(
      $9::smallint[], $10::bigint[], $11::bigint[], $18::bigint[], $19::bigint[], $20::bigint[], $21::bigint[],
      $22::bigint[], $23::bigint[])
      as counted (bucket, merchant_id, entries, ${OWN_ACCOUNTS.join(", ")})
    where ledger_book.bucket = counted.bucket and ledger_book.merchant_id = counted.merchant_id
    returning ledger_book.bucket, ledger_book.merchant_id, last_entry_no - counted.entries as earlier
  ), account as (
    update ledger_account
    set balance = balance + movement.paise
    from unnest($24::smallint[], $25::bigint[], $26::text[], $27::bigint[], $28::bigint[])
      as movement (bucket, merchant_id, kind, owner_id, paise)
    where ledger_account.bucket = movement.bucket and ledger_account.merchant_id = movement.merchant_id
      and ledger_account.kind = movement.kind and ledger_account.owner_id = movement.owner_id
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
function toRows(secrets: Secrets, createdAt: Temporal.Instant, happenings: readonly (Happening & MerchantKey)[]) {
  return happenings.map(({ money, ...happening }) => {
    const [before, after] = [happening.before, happening.after].map((values) =>
      values ? JSON.stringify(values) : null,
    );
    const isPlainPosting = money && before === null && after === null;
    const said = { before: JSON.parse(before ?? "null") as unknown, after: JSON.parse(after ?? "null") as unknown };
    const proof = isPlainPosting ? null : proveEvent(secrets, { ...happening, ...said, createdAt });
    return { ...happening, before, after, proof };
  });
}

type BookMovement = MerchantKey & { entries: number; readonly movement: Movement };

/** The books of some entries, once each. */
function booksOf(happenings: readonly (Happening & MerchantKey)[]): BookMovement[] {
  const books = new Map<bigint, BookMovement>();
  for (const { bucket, merchantId, money } of happenings) {
    const book = books.get(merchantId) ?? { bucket, merchantId, entries: 0, movement: noMovement() };
    books.set(merchantId, book);
    book.entries += 1;
    if (money) addTo(book.movement, money);
  }
  return [...books.values()];
}

function movementColumns(books: readonly BookMovement[]): bigint[][] {
  return OWN_ACCOUNTS.map((account) => books.map(({ movement }) => movement[account]));
}

function ownedColumns(owned: readonly OwnedMovement<MerchantKey>[]): unknown[][] {
  return [
    owned.map(({ bucket }) => bucket),
    owned.map(({ merchantId }) => merchantId),
    owned.map(({ kind }) => kind),
    owned.map(({ ownerId }) => ownerId),
    owned.map(({ paise }) => paise),
  ];
}

function postingColumns(happenings: readonly Happening[]): unknown[][] {
  const postings = happenings.map(({ money }) => (money ? { ...money, ...sidesOf(money) } : null));
  return [
    postings.map((posting) => posting?.kind ?? null),
    postings.map((posting) => posting?.debitKind ?? null),
    postings.map((posting) => posting?.debitOwnerId ?? null),
    postings.map((posting) => posting?.creditKind ?? null),
    postings.map((posting) => posting?.creditOwnerId ?? null),
    postings.map((posting) => posting?.amountPaise ?? null),
  ];
}

type EventRow = { entry_no: bigint; type: string; subject_id: bigint; created_at: Temporal.Instant };

/** The merchant's first `limit` events after the given number, in order; of the given types, or of every one. */
export async function listEvents(
  db: Queryable,
  merchant: { readonly bucket: number; readonly merchantId: bigint },
  after: bigint,
  limit: number,
  types: readonly string[] | null = null,
): Promise<Event[]> {
  const { rows } = await db.query<EventRow>(
    `select entry_no, type, subject_id, created_at from journal
     where bucket = $1 and merchant_id = $2 and entry_no > $3 and ($5::text[] is null or type = any ($5))
     order by entry_no limit $4`,
    [merchant.bucket, merchant.merchantId, after, limit, types],
  );
  return rows.map((row) => ({
    eventNo: row.entry_no,
    type: row.type,
    subjectId: row.subject_id,
    createdAt: row.created_at,
  }));
}

/** The merchant's events of these numbers, in order. */
export async function findEvents(
  db: Queryable,
  merchant: { readonly bucket: number; readonly merchantId: bigint },
  eventNos: readonly bigint[],
): Promise<Event[]> {
  const { rows } = await db.query<EventRow>(
    `select entry_no, type, subject_id, created_at from journal
     where bucket = $1 and merchant_id = $2 and entry_no = any ($3)
     order by entry_no`,
    [merchant.bucket, merchant.merchantId, eventNos],
  );
  return rows.map((row) => ({
    eventNo: row.entry_no,
    type: row.type,
    subjectId: row.subject_id,
    createdAt: row.created_at,
  }));
}
