// SQL of transfers that wait for a second person, once it is decided. How they come to wait is accept_transfers in
// schema/09_accept_transfers.sql.
import { insertPostings, lockBook, recordEvents } from "../../ledger/index.ts";
import type { Connection } from "../../platform/database/pool.ts";
import { refusalOf } from "../accept-refusal.ts";
import type { TransferIdentity, TransferKind } from "../transfer.ts";

/** A transfer that waits; its approval, which the caller holds, is open. */
export type WaitingTransfer = TransferIdentity & {
  readonly kind: TransferKind;
  /** Whether it came back with a backup: the bank may have paid it since. */
  readonly isRestored: boolean;
};

/**
 * Lets a waiting transfer go on as one that was just accepted: any process may take it to the bank, which is asked
 * about a restored one first. Holds the book.
 * @throws NodalError `access_denied` or `no_payout_provider` where its merchant's money may not leave over its rail
 */
export async function releaseTransfer(
  connection: Connection,
  now: Temporal.Instant,
  { bucket, merchantId, transferId, kind, isRestored }: WaitingTransfer,
): Promise<void> {
  await lockBook(connection, bucket, merchantId);
  // Only now, with the book held: nobody suspends the merchant, or takes it live, meanwhile.
  const { rows } = await connection.query<{ refusal: "suspended" | "wrong_rail" | null }>(
    `select payout_refusal(merchant.status, merchant.live, transfer.rail) as refusal
     from transfer
     join merchant using (bucket, merchant_id)
     where bucket = $1 and merchant_id = $2 and transfer_id = $3`,
    [bucket, merchantId, transferId],
  );
  const refusal = rows[0]?.refusal;
  if (refusal) throw refusalOf({ outcome: refusal, transferId });
  const { rowCount } = await connection.query(
    `with released as (
       update transfer set state = $5
       where bucket = $1 and merchant_id = $2 and transfer_id = $3 and state = 'AWAITING_APPROVAL'
       returning bucket, merchant_id, transfer_id
     )
     insert into transfer_dispatch (bucket, merchant_id, transfer_id, due_at)
     select bucket, merchant_id, transfer_id, $4::timestamptz from released`,
    [bucket, merchantId, transferId, now.toString(), isRestored ? "UNKNOWN" : "RESERVED"],
  );
  if (rowCount !== 1) throw new Error(`transfer ${transferId} does not wait for approval`);
  await recordEvents(connection, { bucket, merchantId }, [{ type: `${kind}.accepted`, subjectId: transferId }]);
}

/** Gives the money of a waiting transfer back, and to the limit of its day. Holds the book. */
export async function refuseTransfer(
  connection: Connection,
  now: Temporal.Instant,
  { bucket, merchantId, transferId, kind }: WaitingTransfer,
  reason: string,
): Promise<void> {
  await lockBook(connection, bucket, merchantId);
  const { rows } = await connection.query<{ amount_paise: bigint }>(
    `update transfer set state = 'REJECTED', reason = $4, processed_at = $5
     where bucket = $1 and merchant_id = $2 and transfer_id = $3 and state = 'AWAITING_APPROVAL'
     returning amount_paise`,
    [bucket, merchantId, transferId, reason, now.toString()],
  );
  if (!rows[0]) throw new Error(`transfer ${transferId} does not wait for approval`);
  const amountPaise = rows[0].amount_paise;
  const posting = { kind: "failed", eventType: `${kind}.rejected`, subjectId: transferId, amountPaise };
  await insertPostings(connection, now, bucket, merchantId, [posting]);
  await connection.query(
    `select recount_payout_days(array[$1::smallint], array[$2::bigint], array[1], array[$3::bigint], array['failed'])`,
    [bucket, merchantId, transferId],
  );
}
