// SQL of transfers that are stuck: open for too long, or of unknown outcome for an hour.
import type { MerchantKey } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { TRANSFERS_IN_HAND } from "./claim-store.ts";
import type { TransferIdentity, TransferState } from "./transfer.ts";

/** A transfer that is stuck, with what is known of it. */
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

/** When a transfer counts as stuck: see `stuckSince`. */
export type StuckSince = { readonly open: Temporal.Instant; readonly unknown: Temporal.Instant };

/**
 * Transfers that may have been sent and are stuck, the oldest first: of one merchant, or of all where it is `null`; one of them
 * where its id is given.
 */
export async function listStuck(
  db: Queryable,
  merchant: MerchantKey | null,
  since: StuckSince,
  { transferId = null, limit }: { readonly transferId?: bigint | null; readonly limit: number },
): Promise<StuckTransfer[]> {
  const { rows } = await db.query<{
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
    attempts: number | null;
    due_at: Temporal.Instant | null;
  }>(
    `select transfer.*, asked.attempts, asked.due_at
     from (
       select bucket, merchant_id, transfer_id, attempts, due_at from transfer_dispatch where due_at < 'infinity'
       union all
       select transfer.bucket, transfer.merchant_id, transfer.transfer_id, null, null from ${TRANSFERS_IN_HAND}
     ) as asked
     join transfer using (bucket, merchant_id, transfer_id)
     where ($1::smallint is null or (bucket = $1 and merchant_id = $2)) and ($3::bigint is null or transfer_id = $3)
       and state in ('SUBMITTING', 'UNKNOWN', 'PENDING')
       and (added_at < $4 or (state = 'UNKNOWN' and added_at < $5))
     order by added_at, transfer_id
     limit $6`,
    [
      merchant?.bucket ?? null,
      merchant?.merchantId ?? null,
      transferId,
      since.open.toString(),
      since.unknown.toString(),
      limit,
    ],
  );
  return rows.map((row) => ({
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
    attempts: row.attempts,
    dueAt: row.due_at,
  }));
}

/** Notes what people said that a transfer came to. The caller holds the book. */
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
