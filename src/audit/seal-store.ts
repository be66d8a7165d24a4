// SQL of seals: unsealed entries, the seals, recomputed digests, and the chain over the seals of all merchants. None of
// it is in database functions, so that changing the database can't change the comparison.
import { listBuckets } from "../ledger/index.ts";
import type { MerchantKey } from "../merchants/index.ts";
import { searchNodes, isSpread, leadsToSpread, pinOf, type BucketPin } from "../platform/database/citus/index.ts";
import type { Queryable, Connection } from "../platform/database/pool.ts";
import { table, type Columns } from "../platform/database/table.ts";
import type { Settled } from "../platform/settled.ts";
import type { SealedRange } from "./seal.ts";

/**
 * The bytes of a row include each column's type and length, so different rows never have the same bytes, whatever the
 * connection's settings. The entry that accepts a transfer, or submits it for approval, also covers its payee, purpose
 * and rail, which never change. A later change of rail has a separate entry. The beneficiary itself is sealed with the
 * entries about it. Account numbers are bound to their rows.
 */
const entryBytes = (pin: BucketPin): string => `record_send(row(
  entry_no, change_no, journal.type, subject_id, journal.created_at, actor, address, before, after, journal.kind, debit_kind,
  debit_owner_id, credit_kind, credit_owner_id, journal.amount_paise,
  case when journal.type in (
    'transfer.accepted', 'withdrawal.accepted', 'commission.accepted',
    'transfer.awaiting_approval', 'withdrawal.awaiting_approval', 'commission.awaiting_approval'
  ) then (
    select record_send(row(
      transfer.kind, reference_id, beneficiary_id, franchise_id, account_holder, account_number is null, ifsc, mode,
      coalesce(first_rail, rail),
      rail_mode, transfer.amount_paise, narrative, added_at))
    from transfer
    where transfer.bucket = journal.bucket and transfer.merchant_id = journal.merchant_id
      and transfer.transfer_id = journal.subject_id${pin.of("transfer")})
  end))`;

/** The marks and the digest for the ranges in `part`: bucket, merchant_id, first and last entry numbers. */
const hashed = (pin: BucketPin): string => `
  cross join lateral (
    select
      coalesce(string_agg(substr(hash, 1, 4), ''::bytea order by entry_no), '') as marks,
      sha256(coalesce(string_agg(hash, ''::bytea order by entry_no), '')) as digest
    from (
      select entry_no, sha256(${entryBytes(pin)}) as hash
      from journal
      where journal.bucket = part.bucket and journal.merchant_id = part.merchant_id
        and entry_no between part.first_entry_no and part.last_entry_no${pin.of("journal")}
    ) as hashed
  ) as entries`;

const IS_UNSEALED = "book.last_entry_no > coalesce(sealed.last_entry_no, 0)";

/** The books to check: those that changed within so many milliseconds, or all, which needs a scan. */
export type SealScope = number | "all";

/** For a statement's last parameter. `changed_at` is rounded down, so it may be up to 10 s too early. */
const isInScope = (scope: SealScope, parameter: string): string =>
  scope === "all" ? "" : `and changed_at >= now() - interval '10 s' - ${parameter} * interval '1 millisecond'`;
const scopeName = (scope: SealScope): string => (scope === "all" ? "" : "-lately");
const scopeValues = (scope: SealScope): number[] => (scope === "all" ? [] : [scope]);

/**
 * Finds unsealed entries: one bucket with any, or on Citus all of them, since checking one costs as much as checking
 * all. `failure` means that buckets of a node that is down may be missing.
 */
export async function listUnsealedBuckets(db: Queryable, scope: SealScope): Promise<Settled<number>> {
  const spread = await leadsToSpread(db);
  const condition = `true ${isInScope(scope, "$1")}`;
  const books = { table: "ledger_book", condition, values: scopeValues(scope), limit: null };
  return searchNodes(db, books, async (part) => {
    const { rows } = await part.query<{ bucket: number }>({
      name: `list-unsealed-buckets${scopeName(scope)}`,
      text: `select ${spread ? "distinct" : ""} bucket from ledger_book book left join sealed_book sealed using (bucket, merchant_id)
        where ${IS_UNSEALED} ${isInScope(scope, "$1")} ${spread ? "" : "limit 1"}`,
      values: scopeValues(scope),
    });
    return rows.map(({ bucket }) => bucket);
  });
}

/** A range to seal after the merchant's last seal, which is `before`, with its number of things. */
export type Unsealed = SealedRange & { readonly marks: Buffer; readonly before: Buffer };

const RANGE: Columns<SealedRange & { readonly marks: Buffer }> = {
  bucket: "smallint",
  merchantId: "bigint",
  sealNo: "bigint",
  firstEntryNo: "bigint",
  lastEntryNo: "bigint",
  things: "bigint",
  digest: "bytea",
  marks: "bytea",
};
const UNSEALED = table<Unsealed, SealPlace>("journal_seal", ["bucket", "merchantId", "sealNo"], {
  ...RANGE,
  before: "bytea",
});
type MadeSeal = SealedRange & { readonly marks: Buffer; readonly seal: Buffer };
const MADE = table<MadeSeal, SealPlace>("journal_seal", ["bucket", "merchantId", "sealNo"], {
  ...RANGE,
  seal: "bytea",
});
const CHECKED = table<CheckedSeal, SealPlace>("journal_seal", ["bucket", "merchantId", "sealNo"], {
  ...RANGE,
  seal: "bytea",
  foundDigest: "bytea",
  foundMarks: "bytea",
});

/**
 * The ranges to seal of the next merchants in key order, at most `length` entries of each. A book's counter and its
 * rows are from one snapshot, so no entry that is still being written is missing.
 */
export async function findUnsealed(
  db: Queryable,
  after: MerchantKey | null,
  merchants: number,
  length: number,
  scope: SealScope = "all",
  buckets?: readonly number[],
): Promise<Unsealed[]> {
  return pageByBucket(
    db,
    null,
    after,
    merchants,
    (pin, limit) => findUnsealedIn(db, pin, after, limit, length, scope),
    buckets,
  );
}

/**
 * A page in key order. On Citus it is read bucket by bucket with the rest of `limit`, starting where the page before
 * ended: queries over several rows of a merchant can't span buckets there.
 */
export async function pageByBucket<T>(
  db: Queryable,
  scope: MerchantKey | null,
  after: MerchantKey | null,
  limit: number,
  read: (pin: BucketPin, limit: number) => Promise<T[]>,
  buckets?: readonly number[],
): Promise<T[]> {
  if (!isSpread(db)) return read(pinOf(null), limit);
  const rows: T[] = [];
  for (const bucket of scope ? [scope.bucket] : (buckets ?? (await listBuckets(db)))) {
    if (rows.length === limit) break;
    if (bucket >= (after?.bucket ?? 0)) rows.push(...(await read(pinOf(bucket), limit - rows.length)));
  }
  return rows;
}

function findUnsealedIn(
  db: Queryable,
  pin: BucketPin,
  after: MerchantKey | null,
  merchants: number,
  length: number,
  scope: SealScope,
): Promise<Unsealed[]> {
  return UNSEALED.select(db, {
    name: pin.name(`find-unsealed${scopeName(scope)}`),
    text: `with part as materialized (
        select
          book.bucket, book.merchant_id, coalesce(sealed.seal_no, 0) + 1 as seal_no, coalesce(sealed.seal, '') as before,
          coalesce(sealed.last_entry_no, 0) + 1 as first_entry_no,
          -- A book with fewer entries than were sealed was tampered with. That must not block the sealing of others.
          greatest(least(book.last_entry_no, coalesce(sealed.last_entry_no, 0) + $2), sealed.last_entry_no)
            as last_entry_no,
          -- Before the first seal, there are things without any entry.
          coalesce(sealed.things, (
            select count(*) from sealed_thing thing
            where thing.bucket = book.bucket and thing.merchant_id = book.merchant_id${pin.of("thing")})) as things
        from ledger_book book
        left join sealed_book sealed
          on sealed.bucket = book.bucket and sealed.merchant_id = book.merchant_id${pin.of("sealed")}
        where (book.bucket, book.merchant_id) > ($3, $4) and ${IS_UNSEALED} ${isInScope(scope, "$5")}${pin.of("book")}
        order by bucket, merchant_id limit $1
      )
      select
        part.bucket, part.merchant_id, seal_no, before, first_entry_no, last_entry_no, things, entries.marks,
        entries.digest
      from part ${hashed(pin)}
      order by part.bucket, part.merchant_id`,
    values: [merchants, length, after?.bucket ?? -1, after?.merchantId ?? 0n, ...scopeValues(scope)],
  });
}

/** Writes seals, all of one link. The caller has locked the head of the chain. */
export async function insertSeals(
  db: Queryable,
  linkNo: bigint,
  seals: readonly (Unsealed & { readonly seal: Buffer })[],
): Promise<void> {
  const { columns, arrays, values } = MADE.arrays(seals, { from: 2 });
  await db.query({
    name: "insert-seals",
    text: `with made as (
        select * from unnest(${arrays}) as made (${columns})
      ), moved as (
        insert into sealed_book (bucket, merchant_id, seal_no, last_entry_no, things, seal)
        select bucket, merchant_id, seal_no, last_entry_no, things, seal
        from made
        order by bucket, merchant_id
        on conflict (bucket, merchant_id) do update
        set
          seal_no = excluded.seal_no, last_entry_no = excluded.last_entry_no, things = excluded.things,
          seal = excluded.seal
        returning 1
      )
      insert into journal_seal (
        bucket, merchant_id, seal_no, first_entry_no, last_entry_no, things, marks, digest, seal, link_no, sealed_at)
      select bucket, merchant_id, seal_no, first_entry_no, last_entry_no, things, marks, digest, seal, $1, now()
      from made
      returning 1`,
    values: [linkNo, ...values],
  });
}

/** A stored seal, with the current digest and marks of its rows. */
export type CheckedSeal = SealedRange & {
  readonly seal: Buffer;
  readonly marks: Buffer;
  readonly foundDigest: Buffer;
  readonly foundMarks: Buffer;
};

/** The position in a scan of all seals: after this seal, or at the first one. */
export type SealPlace = MerchantKey & { readonly sealNo: bigint };

/** The next seals in key order, of one merchant or of all, each with the current digest of its rows. */
export async function readSeals(
  db: Queryable,
  scope: MerchantKey | null,
  after: SealPlace | null,
  limit: number,
): Promise<CheckedSeal[]> {
  return pageByBucket(db, scope, after, limit, (pin, some) => readSealsIn(db, pin, scope, after, some));
}

function readSealsIn(
  db: Queryable,
  pin: BucketPin,
  scope: MerchantKey | null,
  after: SealPlace | null,
  limit: number,
): Promise<CheckedSeal[]> {
  return CHECKED.select(db, {
    name: pin.name("read-seals"),
    text: `with part as materialized (
        select * from journal_seal
        where (bucket, merchant_id, seal_no) > ($1, $2, $3)
          and ($4::smallint is null or (bucket = $4 and merchant_id = $5))${pin.of("journal_seal")}
        order by bucket, merchant_id, seal_no limit $6
      )
      select
        part.bucket, part.merchant_id, seal_no, first_entry_no, last_entry_no, things, part.digest, seal, part.marks,
        case when entries.marks = part.marks then part.marks else entries.marks end as found_marks,
        entries.digest as found_digest
      from part ${hashed(pin)}
      order by part.bucket, part.merchant_id, seal_no`,
    values: [
      after?.bucket ?? -1,
      after?.merchantId ?? 0n,
      after?.sealNo ?? 0n,
      scope?.bucket ?? null,
      scope?.merchantId ?? null,
      limit,
    ],
  });
}

/** The stored ends of a merchant's book and seals. `sealNo` is 0 if nothing is sealed. */
export type BookEnd = MerchantKey & {
  readonly lastEntryNo: bigint;
  readonly sealNo: bigint;
  readonly sealedEntryNo: bigint;
  /** The number of things with a mark. */
  readonly things: bigint;
};

const BOOK_ENDS = table<BookEnd, MerchantKey>("ledger_book", ["bucket", "merchantId"], {
  bucket: "smallint",
  merchantId: "bigint",
  lastEntryNo: "bigint",
  sealNo: "bigint",
  sealedEntryNo: "bigint",
  things: "bigint",
});

/** The ends of the books and seals of one merchant, or of the next ones in key order. */
export async function listBookEnds(
  db: Queryable,
  scope: MerchantKey | null,
  after: MerchantKey | null,
  limit: number,
): Promise<BookEnd[]> {
  return pageByBucket(db, scope, after, limit, (pin, some) => listBookEndsIn(db, pin, scope, after, some));
}

function listBookEndsIn(
  db: Queryable,
  pin: BucketPin,
  scope: MerchantKey | null,
  after: MerchantKey | null,
  limit: number,
): Promise<BookEnd[]> {
  return BOOK_ENDS.select(
    db,
    `select
       bucket, merchant_id, coalesce(book.last_entry_no, 0) as last_entry_no, coalesce(sealed.seal_no, 0) as seal_no,
       coalesce(sealed.last_entry_no, 0) as sealed_entry_no,
       (select count(*) from sealed_thing thing
        where thing.bucket = coalesce(book.bucket, sealed.bucket)
          and thing.merchant_id = coalesce(book.merchant_id, sealed.merchant_id)${pin.of("thing")}) as things
     from (select * from ledger_book book where true${pin.of("book")}) as book
     full join (select * from sealed_book sealed where true${pin.of("sealed")}) as sealed using (bucket, merchant_id)
     where (bucket, merchant_id) > ($1::smallint, $2::bigint)
       and ($3::smallint is null or (bucket = $3 and merchant_id = $4::bigint))
     order by bucket, merchant_id limit $5`,
    [after?.bucket ?? -1, after?.merchantId ?? 0n, scope?.bucket ?? null, scope?.merchantId ?? null, limit],
  );
}

/** The time of the first unsealed entry, by merchant. */
export async function readUnsealedSince(
  db: Queryable,
  ends: readonly BookEnd[],
): Promise<Map<bigint, Temporal.Instant>> {
  const { rows } = await db.query<{ merchant_id: bigint; created_at: Temporal.Instant }>(
    `select merchant_id, created_at
     from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as wanted (bucket, merchant_id, entry_no)
     join journal using (bucket, merchant_id, entry_no)`,
    [
      ends.map(({ bucket }) => bucket),
      ends.map(({ merchantId }) => merchantId),
      ends.map(({ sealedEntryNo }) => sealedEntryNo + 1n),
    ],
  );
  return new Map(rows.map((row) => [row.merchant_id, row.created_at]));
}

/** The last link of the chain; number 0 and an empty head if there is none. */
export type Head = { readonly linkNo: bigint; readonly head: Buffer };

const LINKS = table<Head, Pick<Head, "linkNo">>("seal_link", ["linkNo"], { linkNo: "bigint", head: "bytea" });

/** Reads the head; `hold` locks it against new links until the transaction ends. */
export async function readHead(db: Queryable, hold = false): Promise<Head> {
  const [last] = await LINKS.select(db, `select link_no, head from seal_head${hold ? " for update" : ""}`);
  return last ?? { linkNo: 0n, head: Buffer.alloc(0) };
}

/** Adds a link. The caller has locked the head. */
export async function insertLink(connection: Connection, { linkNo, head }: Head): Promise<void> {
  await connection.query({
    name: "insert-link",
    text: `with link as (insert into seal_link (link_no, head, made_at) values ($1, $2, now()))
      update seal_head set link_no = $1, head = $2`,
    values: [linkNo, head],
  });
}

/** The next links after a number, in order. */
export function listLinks(db: Queryable, after: bigint, limit: number): Promise<Head[]> {
  const text = "select link_no, head from seal_link where link_no > $1 order by link_no limit $2";
  return LINKS.select(db, text, [after, limit]);
}

/** The part of a seal that a link covers. */
export type LinkedSeal = MerchantKey & { readonly linkNo: bigint; readonly sealNo: bigint; readonly seal: Buffer };

const LINKED_SEALS = table<LinkedSeal, SealPlace>("journal_seal", ["bucket", "merchantId", "sealNo"], {
  linkNo: "bigint",
  bucket: "smallint",
  merchantId: "bigint",
  sealNo: "bigint",
  seal: "bytea",
});

/** The next seals in the order of links and of their keys, after the given one. */
export function listLinkedSeals(db: Queryable, after: LinkedSeal | null, limit: number): Promise<LinkedSeal[]> {
  return LINKED_SEALS.select(
    db,
    `select link_no, bucket, merchant_id, seal_no, seal from journal_seal
     where (link_no, bucket, merchant_id, seal_no) > ($1::bigint, $2::smallint, $3::bigint, $4::bigint)
     order by link_no, bucket, merchant_id, seal_no limit $5`,
    [after?.linkNo ?? -1n, after?.bucket ?? -1, after?.merchantId ?? 0n, after?.sealNo ?? 0n, limit],
  );
}
