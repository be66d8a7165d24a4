// SQL of seals: what is not sealed yet, the seals themselves, and the same digests computed again.
// What belongs here: the canonical text of an event and of a posting. It is in no function of the database, so that who
// can change the database can't change what is compared.
import type { MerchantKey } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import type { SealedRange } from "./seal.ts";

/**
 * The output of a row quotes and escapes its columns, so two different rows never have the same text. That a transfer was
 * accepted says also to whom it goes, what for and how: that never changes. Account numbers are bound to their rows.
 */
const EVENT_TEXT = `row(
  event_no, event.type, subject_id, extract(epoch from event.created_at), actor, address, before, after,
  case when event.type in ('transfer.accepted', 'withdrawal.accepted', 'commission.accepted') then (
    select row(
      transfer.kind, reference_id, beneficiary_id, franchise_id, payee_name, account_number is null, ifsc, upi is null,
      mode, rail, rail_mode, amount_paise, narrative, extract(epoch from added_at))::text
    from transfer
    where transfer.bucket = event.bucket and transfer.merchant_id = event.merchant_id
      and transfer.transfer_id = event.subject_id)
  end)::text`;
const POSTING_TEXT = `row(
  posting_no, kind, debit_kind, debit_owner_id, credit_kind, credit_owner_id, amount_paise, subject_id,
  extract(epoch from posted_at))::text`;

/** The marks and the digest of what `part` names: bucket, merchant_id, first and last numbers of events and postings. */
const HASHED = `
  cross join lateral (
    select
      coalesce(string_agg(substr(hash, 1, 4), ''::bytea order by event_no), '') as marks,
      coalesce(string_agg(hash, ''::bytea order by event_no), '') as hashes
    from (
      select event_no, sha256(convert_to(${EVENT_TEXT}, 'UTF8')) as hash
      from event
      where event.bucket = part.bucket and event.merchant_id = part.merchant_id
        and event_no between part.first_event_no and part.last_event_no
    ) as hashed
  ) as events
  cross join lateral (
    select coalesce(string_agg(${POSTING_TEXT}, '' order by posting_no), '') as texts
    from ledger_posting posting
    where posting.bucket = part.bucket and posting.merchant_id = part.merchant_id
      and posting_no between part.first_posting_no and part.last_posting_no
  ) as postings`;
const DIGEST = "sha256(events.hashes || sha256(convert_to(postings.texts, 'UTF8')))";

const IS_UNSEALED = `(book.last_event_no > coalesce(sealed.last_event_no, 0)
  or book.last_posting_no > coalesce(sealed.last_posting_no, 0))`;

/** Whether there is anything to seal. */
export async function hasUnsealed(db: Queryable): Promise<boolean> {
  const { rows } = await db.query({
    name: "has-unsealed",
    text: `select from ledger_book book left join sealed_book sealed using (bucket, merchant_id)
      where ${IS_UNSEALED} limit 1`,
  });
  return rows.length > 0;
}

/** A range that has to be sealed, after the merchant's last seal: `before`, with as many things as it says. */
export type Unsealed = SealedRange & { readonly marks: Buffer; readonly before: Buffer };

type RangeRow = {
  bucket: number;
  merchant_id: bigint;
  seal_no: bigint;
  first_event_no: bigint;
  last_event_no: bigint;
  last_posting_no: bigint;
  things: bigint;
  digest: Buffer;
  marks: Buffer;
};

function toRange(row: RangeRow): SealedRange & { readonly marks: Buffer } {
  return {
    bucket: row.bucket,
    merchantId: row.merchant_id,
    sealNo: row.seal_no,
    firstEventNo: row.first_event_no,
    lastEventNo: row.last_event_no,
    lastPostingNo: row.last_posting_no,
    things: row.things,
    digest: row.digest,
    marks: row.marks,
  };
}

/**
 * What has to be sealed next, of at most `merchants` merchants and `length` events and postings each. A book's counters
 * and its rows are of one snapshot, so no number is missing that is still being written.
 */
export async function findUnsealed(db: Queryable, merchants: number, length: number): Promise<Unsealed[]> {
  const { rows } = await db.query<RangeRow & { before: Buffer }>({
    name: "find-unsealed",
    text: `with part as materialized (
        select
          book.bucket, book.merchant_id, coalesce(sealed.seal_no, 0) + 1 as seal_no, coalesce(sealed.seal, '') as before,
          coalesce(sealed.last_event_no, 0) + 1 as first_event_no,
          -- A book that says less than was sealed was tampered with: that must not keep the others from being sealed.
          greatest(least(book.last_event_no, coalesce(sealed.last_event_no, 0) + $2), sealed.last_event_no)
            as last_event_no,
          coalesce(sealed.last_posting_no, 0) + 1 as first_posting_no,
          greatest(least(book.last_posting_no, coalesce(sealed.last_posting_no, 0) + $2), sealed.last_posting_no)
            as last_posting_no,
          -- Before the first seal there are those that no entry speaks of.
          coalesce(sealed.things, (
            select count(*) from sealed_thing thing
            where thing.bucket = book.bucket and thing.merchant_id = book.merchant_id)) as things
        from ledger_book book
        left join sealed_book sealed using (bucket, merchant_id)
        where ${IS_UNSEALED}
        limit $1
      )
      select
        part.bucket, part.merchant_id, seal_no, before, first_event_no, part.last_event_no, part.last_posting_no,
        things, events.marks, ${DIGEST} as digest
      from part ${HASHED}
      order by part.bucket, part.merchant_id`,
    values: [merchants, length],
  });
  return rows.map((row) => ({ ...toRange(row), before: row.before }));
}

/** Writes seals, all of one link. The caller holds the head of the chain. */
export async function insertSeals(
  db: Queryable,
  linkNo: bigint,
  seals: readonly (Unsealed & { readonly seal: Buffer })[],
): Promise<void> {
  await db.query({
    name: "insert-seals",
    text: `with made as (
        select * from unnest(
          $1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
          $8::bytea[], $9::bytea[], $10::bytea[])
          as made (
            bucket, merchant_id, seal_no, first_event_no, last_event_no, last_posting_no, things, marks, digest, seal)
      ), moved as (
        insert into sealed_book (bucket, merchant_id, seal_no, last_event_no, last_posting_no, things, seal)
        select bucket, merchant_id, seal_no, last_event_no, last_posting_no, things, seal
        from made
        order by bucket, merchant_id
        on conflict (bucket, merchant_id) do update
        set
          seal_no = excluded.seal_no, last_event_no = excluded.last_event_no,
          last_posting_no = excluded.last_posting_no, things = excluded.things, seal = excluded.seal
      )
      insert into event_seal (
        bucket, merchant_id, seal_no, first_event_no, last_event_no, last_posting_no, things, marks, digest, seal,
        link_no, sealed_at)
      select
        bucket, merchant_id, seal_no, first_event_no, last_event_no, last_posting_no, things, marks, digest, seal, $11,
        now()
      from made`,
    values: [
      seals.map(({ bucket }) => bucket),
      seals.map(({ merchantId }) => merchantId),
      seals.map(({ sealNo }) => sealNo),
      seals.map(({ firstEventNo }) => firstEventNo),
      seals.map(({ lastEventNo }) => lastEventNo),
      seals.map(({ lastPostingNo }) => lastPostingNo),
      seals.map(({ things }) => things),
      seals.map(({ marks }) => marks),
      seals.map(({ digest }) => digest),
      seals.map(({ seal }) => seal),
      linkNo,
    ],
  });
}

/** A seal as it stands, with the digest and the marks that its rows have now. */
export type CheckedSeal = SealedRange & {
  readonly seal: Buffer;
  readonly marks: Buffer;
  readonly foundDigest: Buffer;
  readonly foundMarks: Buffer;
};

/** Where a look through all seals goes on: after this seal, or at the first one. */
export type SealPlace = MerchantKey & { readonly sealNo: bigint };

/** The next seals in key order, of one merchant or of all, each with what its rows come to now. */
export async function readSeals(
  db: Queryable,
  scope: MerchantKey | null,
  after: SealPlace | null,
  limit: number,
): Promise<CheckedSeal[]> {
  const { rows } = await db.query<RangeRow & { seal: Buffer; found_digest: Buffer; found_marks: Buffer }>({
    name: "read-seals",
    text: `with part as materialized (
        select
          page.*, coalesce(earlier.last_posting_no, 0) + 1 as first_posting_no
        from (
          select * from event_seal
          where (bucket, merchant_id, seal_no) > ($1, $2, $3)
            and ($4::smallint is null or (bucket = $4 and merchant_id = $5))
          order by bucket, merchant_id, seal_no limit $6
        ) as page
        left join event_seal earlier
          on earlier.bucket = page.bucket and earlier.merchant_id = page.merchant_id
          and earlier.seal_no = page.seal_no - 1
      )
      select
        part.bucket, part.merchant_id, seal_no, first_event_no, part.last_event_no, part.last_posting_no, things, digest,
        seal, part.marks, case when events.marks = part.marks then part.marks else events.marks end as found_marks,
        ${DIGEST} as found_digest
      from part ${HASHED}
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
  return rows.map((row) => ({
    ...toRange(row),
    seal: row.seal,
    foundDigest: row.found_digest,
    foundMarks: row.found_marks,
  }));
}

/** How far a merchant's book and its seals go, as their tables say. `sealNo` is 0 where nothing is sealed. */
export type BookEnd = MerchantKey & {
  readonly lastEventNo: bigint;
  readonly lastPostingNo: bigint;
  readonly sealNo: bigint;
  readonly sealedEventNo: bigint;
  readonly sealedPostingNo: bigint;
  /** How many things have a mark. */
  readonly things: bigint;
};

/** The ends of the books and seals of one merchant, or of the next ones in key order. */
export async function listBookEnds(
  db: Queryable,
  scope: MerchantKey | null,
  after: MerchantKey | null,
  limit: number,
): Promise<BookEnd[]> {
  const { rows } = await db.query<{
    bucket: number;
    merchant_id: bigint;
    last_event_no: bigint;
    last_posting_no: bigint;
    seal_no: bigint;
    sealed_event_no: bigint;
    sealed_posting_no: bigint;
    things: bigint;
  }>(
    `select
       bucket, merchant_id, coalesce(book.last_event_no, 0) as last_event_no,
       coalesce(book.last_posting_no, 0) as last_posting_no, coalesce(sealed.seal_no, 0) as seal_no,
       coalesce(sealed.last_event_no, 0) as sealed_event_no, coalesce(sealed.last_posting_no, 0) as sealed_posting_no,
       (select count(*) from sealed_thing thing
        where thing.bucket = coalesce(book.bucket, sealed.bucket)
          and thing.merchant_id = coalesce(book.merchant_id, sealed.merchant_id)) as things
     from ledger_book book
     full join sealed_book sealed using (bucket, merchant_id)
     where (bucket, merchant_id) > ($1::smallint, $2::bigint)
       and ($3::smallint is null or (bucket = $3 and merchant_id = $4::bigint))
     order by bucket, merchant_id limit $5`,
    [after?.bucket ?? -1, after?.merchantId ?? 0n, scope?.bucket ?? null, scope?.merchantId ?? null, limit],
  );
  return rows.map((row) => ({
    bucket: row.bucket,
    merchantId: row.merchant_id,
    lastEventNo: row.last_event_no,
    lastPostingNo: row.last_posting_no,
    sealNo: row.seal_no,
    sealedEventNo: row.sealed_event_no,
    sealedPostingNo: row.sealed_posting_no,
    things: row.things,
  }));
}
