// SQL of lists of transfers: walks through a merchant's payouts by time, in bounded steps. list-transfers.ts has the search.
import type { MerchantKey } from "../../merchants/index.ts";
import type { Queryable } from "../../platform/database/pool.ts";
import type { TransferKind, TransferState } from "../transfer.ts";

/** The conditions for a transfer; `null` means any. */
export type TransferFilter = {
  readonly kind: TransferKind | null;
  readonly states: readonly TransferState[] | null;
  readonly amountFromPaise: bigint | null;
  readonly amountToPaise: bigint | null;
  readonly beneficiaryIds: readonly bigint[] | null;
  /** Part of its reference, UTR or payee's name, ignoring case. A transfer also matches by one of the next two. */
  readonly text: string | null;
  /** The text as an amount. */
  readonly textPaise: bigint | null;
  /** The payees that the text matches. */
  readonly textPayees: readonly bigint[];
  readonly addedFrom: Temporal.Instant | null;
  readonly addedUntil: Temporal.Instant | null;
};

/** A transfer in a walk. `place` is where to continue. */
export type Step = { readonly place: bigint; readonly transferId: bigint };

/** The places from `first` (included) to `end` (excluded). */
export type Walk = {
  readonly first: bigint;
  readonly end: bigint;
  readonly oldestFirst: boolean;
  readonly limit: number;
};

/** Looked up for each transfer separately, and only for a search by text. */
const PAYEE_NAME = `coalesce(account_holder, (
    select payee.name from beneficiary payee
    where payee.bucket = $1 and payee.merchant_id = $2 and payee.beneficiary_id = transfer.beneficiary_id))`;

/** $1 and $2 are the merchant's key, $3 and $4 the walk, $5 its limit. */
const CONDITION = `
  ($6::text is null or kind = $6) and ($7::text[] is null or state = any ($7))
  and ($8::bigint is null or amount_paise >= $8) and ($9::bigint is null or amount_paise <= $9)
  and ($10::bigint[] is null or beneficiary_id = any ($10))
  and ($11::text is null or strpos(lower(reference_id), lower($11)) > 0 or strpos(lower(utr), lower($11)) > 0
    or amount_paise = $14 or beneficiary_id = any ($15::bigint[]) or strpos(lower(${PAYEE_NAME}), lower($11)) > 0)
  and ($12::timestamptz is null or added_at >= $12) and ($13::timestamptz is null or added_at < $13)`;

function valuesOf({ bucket, merchantId }: MerchantKey, walk: Walk, filter: TransferFilter): unknown[] {
  return [
    bucket,
    merchantId,
    walk.first,
    walk.end,
    walk.limit,
    filter.kind,
    filter.states,
    filter.amountFromPaise,
    filter.amountToPaise,
    filter.beneficiaryIds,
    filter.text,
    filter.addedFrom?.toString() ?? null,
    filter.addedUntil?.toString() ?? null,
    filter.textPaise,
    filter.textPayees,
  ];
}

/**
 * Walks through the book. Places are numbers of postings that reserved an amount, or of postings that released one. The length of the
 * walk limits the time, with any filter.
 */
export async function walkBook(
  db: Queryable,
  merchant: MerchantKey,
  of: "accepted" | "given back",
  walk: Walk,
  filter: TransferFilter,
): Promise<Step[]> {
  const { rows } = await db.query<{ place: bigint; transfer_id: bigint }>(
    `select posting.entry_no as place, found.transfer_id
     from journal posting
     cross join lateral (
       select transfer_id from transfer
       where bucket = $1 and merchant_id = $2 and transfer_id = posting.subject_id and ${CONDITION}
       offset 0
     ) as found
     where posting.bucket = $1 and posting.merchant_id = $2
       and posting.entry_no >= $3 and posting.entry_no < $4
       and ${of === "accepted" ? "posting.kind = 'reserve'" : "posting.kind in ('failed', 'reversed')"}
     order by posting.entry_no ${walk.oldestFirst ? "" : "desc"}
     limit $5`,
    valuesOf(merchant, walk, filter),
  );
  return rows.map((row) => ({ place: row.place, transferId: row.transfer_id }));
}

/** Walks through withdrawals, or payouts of commission: places are ids. */
export async function walkKind(
  db: Queryable,
  merchant: MerchantKey,
  walk: Walk,
  filter: TransferFilter & { readonly kind: Exclude<TransferKind, "transfer"> },
): Promise<Step[]> {
  const { rows } = await db.query<{ transfer_id: bigint }>(
    `select transfer_id from transfer
     where bucket = $1 and merchant_id = $2 and transfer_id >= $3 and transfer_id < $4
       and kind = '${filter.kind === "withdrawal" ? "withdrawal" : "commission"}' and ${CONDITION}
     order by transfer_id ${walk.oldestFirst ? "" : "desc"}
     limit $5`,
    valuesOf(merchant, walk, filter),
  );
  return rows.map((row) => ({ place: row.transfer_id, transferId: row.transfer_id }));
}

/** Walks through the payouts that have a tag: places are ids. */
export async function walkTag(
  db: Queryable,
  merchant: MerchantKey,
  tagKey: string,
  walk: Walk,
  filter: TransferFilter,
): Promise<Step[]> {
  const { rows } = await db.query<{ transfer_id: bigint }>(
    `select found.transfer_id
     from transfer_tag tagged
     cross join lateral (
       select transfer_id from transfer
       where bucket = $1 and merchant_id = $2 and transfer_id = tagged.transfer_id and ${CONDITION}
       offset 0
     ) as found
     where tagged.bucket = $1 and tagged.merchant_id = $2 and tagged.tag_key = $16
       and tagged.transfer_id >= $3 and tagged.transfer_id < $4
     order by tagged.transfer_id ${walk.oldestFirst ? "" : "desc"}
     limit $5`,
    [...valuesOf(merchant, walk, filter), tagKey],
  );
  return rows.map((row) => ({ place: row.transfer_id, transferId: row.transfer_id }));
}

/** The first payout with a tag that a walk of so many of them does not reach; `null` if it reaches all. */
export async function findBeyondTagWalk(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  tagKey: string,
  { first, end, oldestFirst }: Pick<Walk, "first" | "end" | "oldestFirst">,
  steps: bigint,
): Promise<bigint | null> {
  const { rows } = await db.query<{ transfer_id: bigint }>(
    `select transfer_id from transfer_tag
     where bucket = $1 and merchant_id = $2 and tag_key = $3 and transfer_id >= $4 and transfer_id < $5
     order by transfer_id ${oldestFirst ? "" : "desc"}
     offset $6 limit 1`,
    [bucket, merchantId, tagKey, first, end, steps],
  );
  return rows[0]?.transfer_id ?? null;
}

/**
 * Finds those of the newest `steps` transfers whose reference or UTR contains the text, ignoring case, whose amount it is, or that go
 * to one of the payees; the newest first. The steps limit the time, since UTRs and amounts have no index, which would slow down each
 * transfer.
 */
export async function findAmongNewest(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  {
    text,
    amountPaise,
    payeeIds,
  }: { readonly text: string; readonly amountPaise: bigint | null; readonly payeeIds: readonly bigint[] },
  { steps, limit }: { readonly steps: number; readonly limit: number },
): Promise<bigint[]> {
  const { rows } = await db.query<{ transfer_id: bigint }>({
    name: "find-among-newest-transfers",
    text: `select transfer_id
      from (
        select transfer_id, reference_id, utr, amount_paise, beneficiary_id from transfer
        where bucket = $1 and merchant_id = $2
        order by transfer_id desc
        limit $3
      ) as newest
      where strpos(lower(reference_id), lower($4)) > 0 or strpos(lower(utr), lower($4)) > 0 or amount_paise = $5
        or beneficiary_id = any ($7::bigint[])
      order by transfer_id desc
      limit $6`,
    values: [bucket, merchantId, steps, text, amountPaise, limit, payeeIds],
  });
  return rows.map((row) => row.transfer_id);
}

/**
 * The number of the first payout in a walk, skipping all other entries; `null` if there is none among the next `steps` postings.
 */
export async function findNearestPayout(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  { first, end, oldestFirst }: Pick<Walk, "first" | "end" | "oldestFirst">,
  steps: bigint,
): Promise<bigint | null> {
  const order = `order by entry_no ${oldestFirst ? "" : "desc"}`;
  const { rows } = await db.query<{ entry_no: bigint }>(
    `select entry_no
     from (
       select entry_no, kind from journal
       where bucket = $1 and merchant_id = $2 and entry_no >= $3 and entry_no < $4 and kind is not null
       ${order} limit $5
     ) as posting
     where kind = 'reserve'
     ${order} limit 1`,
    [bucket, merchantId, first, end, steps],
  );
  return rows[0]?.entry_no ?? null;
}

/** When a posting was made; `null` if there is none with this number. */
export async function findPostedAt(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  entryNo: bigint,
): Promise<Temporal.Instant | null> {
  const { rows } = await db.query<{ created_at: Temporal.Instant }>({
    name: "find-posted-at",
    text: "select created_at from journal where bucket = $1 and merchant_id = $2 and entry_no = $3",
    values: [bucket, merchantId, entryNo],
  });
  return rows[0]?.created_at ?? null;
}

/**
 * The attempts of an unfinished transfer; `null` once it is finished, or while it is being checked again. `nextAt` is `null` while it is
 * being sent or is on hold.
 */
export type Dispatch = { readonly attempts: number; readonly nextAt: Temporal.Instant | null };

/** The attempts of a transfer that is in the queue, or being sent for the first time. */
export async function findDispatch(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  transferId: bigint,
): Promise<Dispatch | null> {
  const { rows } = await db.query<{ attempts: number; due_at: Temporal.Instant | null }>({
    name: "find-dispatch",
    text: `select coalesce(attempts, 0) as attempts, nullif(due_at, 'infinity') as due_at
      from transfer
      left join transfer_dispatch queued using (bucket, merchant_id, transfer_id)
      where bucket = $1 and merchant_id = $2 and transfer_id = $3
        and (queued.transfer_id is not null or state = 'SUBMITTING')`,
    values: [bucket, merchantId, transferId],
  });
  return rows[0] ? { attempts: rows[0].attempts, nextAt: rows[0].due_at } : null;
}

/**
 * How many payouts failed or were returned since a posting. They are rare and have an index. Rejected approvals don't count, since they
 * never went to the bank and were decided by a user.
 */
export async function countGivenBack(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  firstPostingNo: bigint,
): Promise<bigint> {
  const { rows } = await db.query<{ count: bigint }>(
    `select count(*) as count from journal
     where bucket = $1 and merchant_id = $2 and entry_no >= $3 and kind in ('failed', 'reversed')
       and not exists (
         select 1 from approval
         where approval.bucket = $1 and approval.merchant_id = $2
           and approval.approval_id = journal.subject_id and approval.decision <> 'approved')`,
    [bucket, merchantId, firstPostingNo],
  );
  return rows[0]!.count;
}
