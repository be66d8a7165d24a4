// SQL that finds positions in a merchant's book by time, and the balances there, without reading the whole book.
import type { Queryable } from "../platform/database/pool.ts";
import { table } from "../platform/database/table.ts";
import type { Balances } from "./ledger-store.ts";

type BookKey = { readonly bucket: number; readonly merchantId: bigint };

/** Servers' clocks differ by less. Entries are in the order of their times, to within this slack. */
const CLOCK_SLACK_MS = 60_000;

/**
 * A binary search as a `with recursive` part. Its row with `low = high` has the number of the first entry that is not
 * `isBefore`, or one after the last. It takes some twenty look-ups by key, since numbers have no gaps and rise with
 * time. $1 and $2 are the merchant's key.
 */
function placeSearch(name: string, isBefore: string): string {
  return `${name} (low, high) as (
      select 1::bigint, last_entry_no + 1 from ledger_book where bucket = $1 and merchant_id = $2
      union all
      select
        case when middle.at ${isBefore} then middle.no + 1 else low end,
        case when middle.at ${isBefore} then high else middle.no end
      from ${name}
      cross join lateral (
        select entry_no as no, created_at as at from journal
        where bucket = $1 and merchant_id = $2 and entry_no = (low + high) / 2
        offset 0
      ) as middle
      where low < high
    )`;
}

/** The number of the first entry at or after an instant, or one after the last. */
export async function findFirstEntry(
  db: Queryable,
  { bucket, merchantId }: BookKey,
  since: Temporal.Instant,
): Promise<bigint> {
  const { rows } = await db.query<{ first: bigint }>({
    name: "find-first-entry",
    text: `with recursive ${placeSearch("search", "< to_timestamp($4::bigint / 1000.0)")}
      select coalesce(
        (
          select entry_no from journal
          where bucket = $1 and merchant_id = $2
            and entry_no >= (select low from search where low = high) and created_at >= to_timestamp($3::bigint / 1000.0)
          order by entry_no limit 1
        ),
        (select last_entry_no + 1 from ledger_book where bucket = $1 and merchant_id = $2)
      ) as first`,
    values: [bucket, merchantId, since.epochMilliseconds, since.epochMilliseconds - CLOCK_SLACK_MS],
  });
  return rows[0]!.first;
}

/** Have a merchant's balances ever changed? */
export async function hasPostings(db: Queryable, { bucket, merchantId }: BookKey): Promise<boolean> {
  const { rowCount } = await db.query(
    "select from journal where bucket = $1 and merchant_id = $2 and kind is not null limit 1",
    [bucket, merchantId],
  );
  return rowCount === 1;
}

/** SQL: how much a range of postings added to the account. */
const CHANGE_OF = (kind: string): string =>
  `coalesce(sum(case '${kind}' when credit_kind then amount_paise when debit_kind then -amount_paise end), 0)::bigint`;

/** As in book_balance. */
export const KEPT_EVERY = 2000;
/** Per statement: reading their entries takes some tens of milliseconds. */
const KEPT_AT_ONCE = 50;

/** Stores the balances for parts of a book that were completed since the last call. */
export async function keepBalances(db: Queryable, { bucket, merchantId }: BookKey): Promise<void> {
  for (let kept = KEPT_AT_ONCE; kept === KEPT_AT_ONCE;) {
    const { rowCount } = await db.query({
      name: "keep-balances",
      text: `with start as (
          select coalesce(max(entry_no), 0) as entry_no, coalesce(max(available_paise), 0) as available,
            coalesce(max(held_paise), 0) as held
          from (
            select entry_no, available_paise, held_paise from book_balance
            where bucket = $1 and merchant_id = $2 order by entry_no desc limit 1
          ) as last
        ), part as (
          select start.entry_no + place * $3 as entry_no, changed.*
          from start
          cross join ledger_book book
          cross join generate_series(1, least($4, (book.last_entry_no - start.entry_no) / $3)) as place
          cross join lateral (
            select ${CHANGE_OF("available")} as available, ${CHANGE_OF("held")} as held
            from journal
            where bucket = $1 and merchant_id = $2 and kind is not null
              and entry_no > start.entry_no + (place - 1) * $3 and entry_no <= start.entry_no + place * $3
          ) as changed
          where book.bucket = $1 and book.merchant_id = $2
        )
        insert into book_balance (bucket, merchant_id, entry_no, available_paise, held_paise)
        select $1, $2, part.entry_no, start.available + sum(part.available) over (order by part.entry_no),
          start.held + sum(part.held) over (order by part.entry_no)
        from start, part
        on conflict do nothing
        returning 1`,
      values: [bucket, merchantId, KEPT_EVERY, KEPT_AT_ONCE],
    });
    kept = rowCount ?? 0;
  }
}

/**
 * The balances before the entry with a number. They are added up from the nearest known ones: stored balances before
 * it, the beginning of the book, or the current balances.
 */
export async function readBalancesBefore(
  db: Queryable,
  { bucket, merchantId }: BookKey,
  entryNo: bigint,
): Promise<Balances> {
  const { rows } = await db.query<{ available: bigint; held: bigint }>({
    name: "read-balances-before",
    text: `with kept as (
        select entry_no, available_paise, held_paise from book_balance
        where bucket = $1 and merchant_id = $2 and entry_no < $3
        order by entry_no desc limit 1
      ), book as (
        select
          book.last_entry_no - $3 < $3 - coalesce(kept.entry_no, 0) as is_late, coalesce(kept.entry_no, 0) + 1 as first,
          book.available_paise, book.held_paise,
          coalesce(kept.available_paise, 0) as kept_available, coalesce(kept.held_paise, 0) as kept_held
        from ledger_book book left join kept on true
        where book.bucket = $1 and book.merchant_id = $2
      ), changed as (
        select ${CHANGE_OF("available")} as available, ${CHANGE_OF("held")} as held
        from journal
        where bucket = $1 and merchant_id = $2 and kind is not null
          and entry_no >= (select case when is_late then $3 else first end from book)
          and entry_no < (select case when is_late then 9223372036854775807 else $3 end from book)
      )
      select
        case when is_late then available_paise - changed.available else kept_available + changed.available end as available,
        case when is_late then held_paise - changed.held else kept_held + changed.held end as held
      from book, changed`,
    values: [bucket, merchantId, entryNo],
  });
  return { availablePaise: rows[0]!.available, heldPaise: rows[0]!.held };
}

/** A posting about something. */
export type PostingOfSubject = {
  readonly subjectId: bigint;
  readonly entryNo: bigint;
  readonly kind: string;
  readonly debitAccount: string;
  readonly creditAccount: string;
  readonly amountPaise: bigint;
  readonly postedAt: Temporal.Instant;
};

const POSTINGS = table<PostingOfSubject, Pick<PostingOfSubject, "entryNo">>("journal", ["entryNo"], {
  subjectId: "bigint",
  entryNo: "bigint",
  kind: "text",
  debitAccount: "debit_kind text",
  creditAccount: "credit_kind text",
  amountPaise: "bigint",
  postedAt: "created_at timestamptz",
});

/** The postings about some things, in the order of the book. */
export function listPostingsOf(
  db: Queryable,
  { bucket, merchantId }: BookKey,
  subjectIds: readonly bigint[],
): Promise<PostingOfSubject[]> {
  return POSTINGS.select(db, {
    name: "list-postings-of",
    text: `select ${POSTINGS.columns} from journal
      where bucket = $1 and merchant_id = $2 and subject_id = any($3) and kind is not null
      order by entry_no`,
    values: [bucket, merchantId, subjectIds],
  });
}

/** An event of a subject, with actor and address. */
export type EventOfSubject = {
  readonly entryNo: bigint;
  readonly type: string;
  readonly createdAt: Temporal.Instant;
  readonly actor: string;
  readonly address: string | null;
};

/** Was an event of one of these types recorded about the subject? Not for types of transfers. */
export async function hasEvent(
  db: Queryable,
  { bucket, merchantId }: BookKey,
  subjectId: bigint,
  types: readonly string[],
): Promise<boolean> {
  const { rows } = await db.query<{ found: boolean }>({
    name: "has-event",
    text: `select exists (
        select from journal
        where bucket = $1 and merchant_id = $2 and subject_id = $3 and type not like 'transfer.%' and type = any ($4)
      ) as found`,
    values: [bucket, merchantId, subjectId, types],
  });
  return rows[0]!.found;
}

/** Around an instant: all entries of a batch have the same time. */
const EVENT_SLACK_MS = 2000;

const EVENTS = table<EventOfSubject, Pick<EventOfSubject, "entryNo">>("journal", ["entryNo"], {
  entryNo: "bigint",
  type: "text",
  createdAt: "timestamptz",
  actor: "text",
  address: "text",
});

/**
 * The events of one subject that were written around an instant. They are found by time, since the journal is in that
 * order: moving money then needs no index by subject.
 */
export async function findEventsAt(
  db: Queryable,
  { bucket, merchantId }: BookKey,
  subjectId: bigint,
  at: Temporal.Instant,
): Promise<EventOfSubject[]> {
  return EVENTS.select(db, {
    name: "find-events-at",
    text: `with recursive ${placeSearch("first", "< to_timestamp($4::bigint / 1000.0)")},
      ${placeSearch("ending", "<= to_timestamp($5::bigint / 1000.0)")}
      select ${EVENTS.columns} from journal
      where bucket = $1 and merchant_id = $2 and subject_id = $3
        and entry_no >= (select low from first where low = high)
        and entry_no < (select low from ending where low = high)
        and created_at between to_timestamp($6::bigint / 1000.0) and to_timestamp($7::bigint / 1000.0)
      order by entry_no`,
    values: [
      bucket,
      merchantId,
      subjectId,
      at.epochMilliseconds - CLOCK_SLACK_MS,
      at.epochMilliseconds + CLOCK_SLACK_MS,
      at.epochMilliseconds - EVENT_SLACK_MS,
      at.epochMilliseconds + EVENT_SLACK_MS,
    ],
  });
}
