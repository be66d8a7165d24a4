// SQL of unfinished payouts: a merchant's waiting payouts while they are blocked, and the number of all open ones by state. The
// cost does not grow with the tables.
import type { MerchantKey } from "../../merchants/index.ts";
import type { Queryable } from "../../platform/database/pool.ts";
import type { TransferState } from "../transfer.ts";

/** A merchant's waiting payouts while they are blocked. */
export type WaitingPayouts = {
  /** Accepted, without an answer from the bank: not sent, except those that are being sent right now. */
  readonly unsent: { readonly count: bigint; readonly amountPaise: bigint };
  /** The bank has or may have them, and is asked about them. */
  readonly atBank: { readonly count: bigint; readonly amountPaise: bigint };
  /** Waiting for a second person. */
  readonly approvals: bigint;
};

export async function readWaitingPayouts(db: Queryable, { bucket, merchantId }: MerchantKey): Promise<WaitingPayouts> {
  const { rows } = await db.query<{
    unsent: bigint;
    unsent_paise: bigint;
    at_bank: bigint;
    at_bank_paise: bigint;
    approvals: bigint;
  }>(
    `select
       count(*) filter (where is_unsent) as unsent,
       coalesce(sum(amount_paise) filter (where is_unsent), 0)::bigint as unsent_paise,
       count(*) filter (where not is_unsent) as at_bank,
       coalesce(sum(amount_paise) filter (where not is_unsent), 0)::bigint as at_bank_paise,
       (
         select count(*) from approval
         where approval.bucket = $1 and approval.merchant_id = $2 and decision is null
       ) as approvals
     from (
       select state in ('RESERVED', 'SUBMITTING') as is_unsent, amount_paise
       from (
         select state, amount_paise
         from transfer_dispatch
         join transfer using (bucket, merchant_id, transfer_id)
         where bucket = $1 and merchant_id = $2
         union all
         select state, amount_paise from transfer_in_hand
         where bucket = $1 and merchant_id = $2
       ) as unfinished
     ) as waiting`,
    [bucket, merchantId],
  );
  const row = rows[0]!;
  return {
    unsent: { count: row.unsent, amountPaise: row.unsent_paise },
    atBank: { count: row.at_bank, amountPaise: row.at_bank_paise },
    approvals: row.approvals,
  };
}

/** The open transfers of one state. */
export type OpenTransfers = {
  readonly state: TransferState;
  readonly transfers: bigint;
  /** When the first of them was requested. */
  readonly oldestAddedAt: Temporal.Instant;
};

/**
 * Counts the unfinished transfers of all merchants, without those that wait for approval: among queued ones the `limit` that have been
 * due longest, and all that processes have claimed, a few thousand for each.
 */
export async function countOpenTransfers(db: Queryable, limit: number): Promise<OpenTransfers[]> {
  const { rows } = await db.query<{ state: TransferState; transfers: bigint; oldest_added_at: Temporal.Instant }>(
    `select state, count(*) as transfers, min(added_at) as oldest_added_at
     from (
       select state, added_at
       from (select bucket, merchant_id, transfer_id from transfer_dispatch order by due_at limit $1) as due
       join transfer using (bucket, merchant_id, transfer_id)
       union all
       select state, added_at from transfer_in_hand
     ) as open
     group by state`,
    [limit],
  );
  return rows.map((row) => ({
    state: row.state,
    transfers: row.transfers,
    oldestAddedAt: row.oldest_added_at,
  }));
}
