// SQL of how many transfers are open, by state, at a cost that does not grow with the tables.
import type { Queryable } from "../platform/database/pool.ts";
import type { TransferState } from "./transfer.ts";

/** The open transfers of one state. */
export type OpenTransfers = {
  readonly state: TransferState;
  readonly transfers: bigint;
  /** When the first of them was asked for. */
  readonly oldestAddedAt: Temporal.Instant;
};

/**
 * The transfers of all merchants that are accepted and not finished, but for those that wait for approval: of those that wait the
 * `limit` that have been due for longest, and all that processes have in hand, of which there are a few thousand for each.
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
