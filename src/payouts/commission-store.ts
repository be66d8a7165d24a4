// SQL about transfers that pay commission out. They are accepted as all others are.
import type { FranchiseKey } from "../franchises/index.ts";
import type { Queryable } from "../platform/database/pool.ts";

/** What is under way to the bank for a franchise, or waits for approval, in paise. */
export async function readUnderWay(db: Queryable, { bucket, merchantId, franchiseId }: FranchiseKey): Promise<bigint> {
  const { rows } = await db.query<{ under_way: bigint }>(
    `select coalesce(sum(amount_paise), 0)::bigint as under_way
     from transfer
     where bucket = $1 and merchant_id = $2 and franchise_id = $3 and kind = 'commission'
       and state in ('AWAITING_APPROVAL', 'RESERVED', 'SUBMITTING', 'UNKNOWN', 'PENDING')`,
    [bucket, merchantId, franchiseId],
  );
  return rows[0]!.under_way;
}
