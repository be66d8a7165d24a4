// SQL of lists of transfers: walking through a merchant's payouts by time, a bounded way at once. What a list is asked
// for is list-transfers.ts.
import type { MerchantKey } from "../../merchants/index.ts";
import type { Queryable } from "../../platform/database/pool.ts";
import type { TransferKind, TransferState } from "../transfer.ts";

/** What a transfer must be; `null` stands for any. */
export type TransferFilter = {
  readonly kind: TransferKind | null;
  readonly states: readonly TransferState[] | null;
  readonly amountFromPaise: bigint | null;
  readonly amountToPaise: bigint | null;
  readonly beneficiaryIds: readonly bigint[] | null;
  /** Part of its reference, its UTR or its payee's name, in any case; or it is one of the two that follow. */
  readonly text: string | null;
  /** The amount that the text is. */
  readonly textPaise: bigint | null;
  /** The payees whom the text means. */
  readonly textPayees: readonly bigint[];
  readonly addedFrom: Temporal.Instant | null;
  readonly addedUntil: Temporal.Instant | null;
};

/** A transfer in a walk. `place` is where to go on. */
export type Step = { readonly place: bigint; readonly transferId: bigint };

/** The places from `first` up to, and without, `end`. */
export type Walk = {
  readonly first: bigint;
  readonly end: bigint;
  readonly oldestFirst: boolean;
  readonly limit: number;
};

/** Looked up for each transfer by itself, and only where a text is searched for. */
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
 * Walks through the book: places are numbers of postings, of those that set an amount aside, or of those that gave one
 * back. The time is bounded by the length of the walk, whatever the filter.
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

/**
 * Of the newest `steps` transfers those whose reference or UTR has the text in it, in any case, or whose amount it is, or those
 * to one of the payees; the newest first. The time is bounded by the steps: UTRs and amounts have no index, which each transfer would pay for.
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
 * The number at which a walk meets its first payout: whatever else is in the journal is stepped over. `null` where there is
 * none among the next `steps` postings.
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

/** When a posting was made; `null` where there is none of this number. */
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
 * How far the bank was tried for a transfer that is not finished; `null` once it is, and while it is asked about again.
 * `nextAt` is `null` while it is sent, and while it is held back.
 */
export type Dispatch = { readonly attempts: number; readonly nextAt: Temporal.Instant | null };

/** How a transfer stands in the queue, or on its first way to the bank. */
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
 * How many payouts failed or were returned since a posting: rare ones, with an index of their own. Those that nobody approved are
 * not among them, since they never went to the bank and somebody decided so.
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
