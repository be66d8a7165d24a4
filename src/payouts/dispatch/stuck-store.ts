// SQL of stuck transfers (open for too long, or with an unknown outcome for an hour), and of those that were resolved by hand.
import type { MerchantKey } from "../../merchants/index.ts";
import type { Queryable } from "../../platform/database/pool.ts";
import { readClaimedTransfersOf } from "../claim-store.ts";
import type { TransferIdentity, TransferState } from "../transfer.ts";

export type StuckTransfer = TransferIdentity & {
  readonly kind: string;
  readonly referenceId: string | null;
  readonly rail: string;
  readonly railMode: string;
  readonly amountPaise: bigint;
  readonly state: TransferState;
  readonly reason: string | null;
  readonly addedAt: Temporal.Instant;
  /** How often the bank was asked; `null` while a process is asking. */
  readonly attempts: number | null;
  /** When it is asked again; `null` while a process is asking. */
  readonly dueAt: Temporal.Instant | null;
};

type StuckRow = {
  bucket: number;
  merchant_id: bigint;
  transfer_id: bigint;
  kind: string;
  reference_id: string | null;
  rail: string;
  rail_mode: string;
  amount_paise: bigint;
  state: TransferState;
  reason: string | null;
  added_at: Temporal.Instant;
};

/** When a transfer counts as stuck: see `stuckSince`. */
export type StuckSince = { readonly open: Temporal.Instant; readonly unknown: Temporal.Instant };

/**
 * Stuck transfers that may have been sent, the oldest first: of one merchant, or of all for `null`; only one if its id is given.
 */
export async function listStuck(
  db: Queryable,
  merchant: MerchantKey | null,
  since: StuckSince,
  { transferId = null, limit }: { readonly transferId?: bigint | null; readonly limit: number },
): Promise<StuckTransfer[]> {
  const claimed = await readClaimedTransfersOf(db, merchant?.merchantId ?? 0n);
  const { rows } = await db.query<
    StuckRow & {
      attempts: number | null;
      due_at: Temporal.Instant | null;
    }
  >(
    `select transfer.*, asked.attempts, asked.due_at
     from (
       select bucket, merchant_id, transfer_id, attempts, due_at from transfer_dispatch where due_at < 'infinity'
       union all
       select bucket, merchant_id, transfer_id, null, null
       from unnest($7::smallint[], $8::bigint[], $9::bigint[]) as in_hand (bucket, merchant_id, transfer_id)
       union all
       -- A transfer that a server claims between the two reads is in neither.
       select $1, $2::bigint, $3::bigint, null, null where $3::bigint is not null
     ) as asked
     join transfer using (bucket, merchant_id, transfer_id)
     where ($1::smallint is null or (bucket = $1 and merchant_id = $2::bigint)) and ($3::bigint is null or transfer_id = $3)
       and state in ('SUBMITTING', 'UNKNOWN', 'PENDING')
       and (added_at < $4 or (state = 'UNKNOWN' and added_at < $5))
     order by added_at, transfer_id, attempts nulls last
     limit $6`,
    [
      merchant?.bucket ?? null,
      merchant?.merchantId ?? null,
      transferId,
      since.open.toString(),
      since.unknown.toString(),
      limit,
      claimed.map((transfer) => transfer.bucket),
      claimed.map((transfer) => transfer.merchantId),
      claimed.map((transfer) => transfer.transferId),
    ],
  );
  // A transfer that a server puts back between the two reads is in both. The row with its attempts comes first.
  const byTransfer = new Map<string, StuckTransfer>();
  for (const row of rows) {
    const id = `${row.merchant_id}-${row.transfer_id}`;
    if (!byTransfer.has(id)) byTransfer.set(id, { ...readStuck(row), attempts: row.attempts, dueAt: row.due_at });
  }
  return [...byTransfer.values()];
}

function readStuck(row: StuckRow): Omit<StuckTransfer, "attempts" | "dueAt"> {
  return {
    bucket: row.bucket,
    merchantId: row.merchant_id,
    transferId: row.transfer_id,
    kind: row.kind,
    referenceId: row.reference_id,
    rail: row.rail,
    railMode: row.rail_mode,
    amountPaise: row.amount_paise,
    state: row.state,
    reason: row.reason,
    addedAt: row.added_at,
  };
}

/** A transfer that was resolved by hand, with any later contradiction from its provider. */
export type ResolvedTransfer = Omit<StuckTransfer, "attempts" | "dueAt"> & {
  readonly utr: string | null;
  readonly resolvedAs: "success" | "failed";
  readonly resolvedAt: Temporal.Instant;
  /** The approver, as named in the journal. */
  readonly resolvedBy: string;
  readonly resolvedUtr: string | null;
  /** The provider reported another `outcome`, or a payment with another `utr`; `null` for no contradiction. */
  readonly contradicts: "outcome" | "utr" | null;
};

/** Transfers that were resolved by hand, the newest first: of one merchant, or of all for `null`. */
export async function listResolved(
  db: Queryable,
  merchant: MerchantKey | null,
  limit: number,
): Promise<ResolvedTransfer[]> {
  const { rows } = await db.query<
    StuckRow & {
      utr: string | null;
      resolved_as: "success" | "failed";
      resolved_at: Temporal.Instant;
      resolved_by: string;
      resolved_utr: string | null;
      contradicts: "outcome" | "utr" | null;
    }
  >(
    `select transfer.*, resolved.at as resolved_at, resolved.actor as resolved_by, resolved.utr as resolved_utr,
       case
         when state <> case resolved_as when 'success' then 'SUCCESS' else 'FAILED' end then 'outcome'
         when resolved_as = 'success' and transfer.utr <> resolved.utr then 'utr'
       end as contradicts
     from transfer
     cross join lateral (
       select created_at as at, actor, after ->> 'utr' as utr from journal
       where journal.bucket = transfer.bucket and journal.merchant_id = transfer.merchant_id
         and subject_id = transfer.transfer_id and type = 'transfer.resolved'
       order by entry_no desc limit 1
     ) as resolved
     where resolved_as is not null and ($1::smallint is null or (bucket = $1 and merchant_id = $2::bigint))
     order by transfer_id desc
     limit $3`,
    [merchant?.bucket ?? null, merchant?.merchantId ?? null, limit],
  );
  return rows.map((row) => ({
    ...readStuck(row),
    utr: row.utr,
    resolvedAs: row.resolved_as,
    resolvedAt: row.resolved_at,
    resolvedBy: row.resolved_by,
    resolvedUtr: row.resolved_utr,
    contradicts: row.contradicts,
  }));
}

/** Whether a process has claimed a transfer and may be sending it. While the book is held, nobody else can claim it. */
export async function isClaimed(db: Queryable, { bucket, merchantId, transferId }: TransferIdentity): Promise<boolean> {
  const { rows } = await db.query<{ is_in_hand: boolean }>(
    `select claim_id is not null as is_in_hand from transfer where bucket = $1 and merchant_id = $2 and transfer_id = $3`,
    [bucket, merchantId, transferId],
  );
  return rows[0]?.is_in_hand ?? false;
}

/** Notes how a transfer was resolved by hand. The caller holds the book. */
export async function markResolved(
  db: Queryable,
  { bucket, merchantId, transferId }: TransferIdentity,
  resolvedAs: "success" | "failed",
): Promise<void> {
  await db.query("update transfer set resolved_as = $4 where bucket = $1 and merchant_id = $2 and transfer_id = $3", [
    bucket,
    merchantId,
    transferId,
    resolvedAs,
  ]);
}
