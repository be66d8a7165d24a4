// SQL about transfers that pay commission out. They are accepted as all others are.
import type { MerchantKey } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import type { TransferState } from "./transfer.ts";

/** The franchise that commission is paid to. */
export type CommissionOwner = MerchantKey & { readonly franchiseId: bigint };

/** What is under way to the bank for a franchise, or waits for approval, in paise. */
export async function readUnderWay(
  db: Queryable,
  { bucket, merchantId, franchiseId }: CommissionOwner,
): Promise<bigint> {
  const { rows } = await db.query<{ under_way: bigint }>(
    `select coalesce(sum(amount_paise), 0)::bigint as under_way
     from transfer
     where bucket = $1 and merchant_id = $2 and franchise_id = $3 and kind = 'commission'
       and state in ('AWAITING_APPROVAL', 'RESERVED', 'SUBMITTING', 'UNKNOWN', 'PENDING')`,
    [bucket, merchantId, franchiseId],
  );
  return rows[0]!.under_way;
}

/** A payout of commission as its franchise sees it. */
export type CommissionTransfer = {
  readonly transferId: bigint;
  readonly amountPaise: bigint;
  readonly state: TransferState;
  readonly utr: string | null;
  readonly addedAt: Temporal.Instant;
};

/** The last payouts of commission to a franchise, latest first. */
export async function listCommissionTransfers(
  db: Queryable,
  { bucket, merchantId, franchiseId }: CommissionOwner,
  limit: number,
): Promise<CommissionTransfer[]> {
  const { rows } = await db.query<{
    transfer_id: bigint;
    amount_paise: bigint;
    state: TransferState;
    utr: string | null;
    added_at: Temporal.Instant;
  }>({
    name: "list-commission-transfers",
    text: `select transfer_id, amount_paise, state, utr, added_at
      from transfer
      where bucket = $1 and merchant_id = $2 and franchise_id = $3 and kind = 'commission'
      order by transfer_id desc
      limit $4`,
    values: [bucket, merchantId, franchiseId, limit],
  });
  return rows.map((row) => ({
    transferId: row.transfer_id,
    amountPaise: row.amount_paise,
    state: row.state,
    utr: row.utr,
    addedAt: row.added_at,
  }));
}
