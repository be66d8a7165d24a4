// SQL for transfers from a restored backup: none of them continues unchanged. The dispatcher works off the queue that this sets.
import { endRestoredBatches } from "../bulk/batch-store.ts";
import type { Queryable } from "../../platform/database/pool.ts";
import { SENT_PROOF } from "../instruction-proof.ts";

const RESTORED =
  "It was restored from a backup and may have been paid since: check with the bank before requesting it again.";

/**
 * Puts every open transfer into the queue, due at once, so that the bank is asked about it before it is sent: the original installation
 * may have sent it after the backup, even if it was unsent then (RESERVED). Removes processes and their claims, and ends batches
 * without requesting the rest. No server may be running on the database. Returns how many transfers are open.
 */
export async function askAboutRestoredTransfers(db: Queryable): Promise<number> {
  await db.query(`update transfer set state = 'UNKNOWN', instruction_proof = ${SENT_PROOF} where state = 'RESERVED'`);
  // Somebody may have approved it after the backup, so it must not expire: only a person may refuse it.
  await db.query("update approval set expires_at = null where decision is null");
  await db.query("delete from dispatcher");
  await db.query("delete from dispatch_claim");
  await db.query(
    `with in_hand as (
       update transfer set claim_id = null where claim_id is not null returning bucket, merchant_id, transfer_id
     )
     insert into transfer_dispatch (bucket, merchant_id, transfer_id, due_at)
     select bucket, merchant_id, transfer_id, now() from in_hand
     returning 1`,
  );
  await endRestoredBatches(db, RESTORED);
  const { rowCount } = await db.query("update transfer_dispatch set due_at = now(), attempts = 0");
  return rowCount ?? 0;
}
