// SQL for transfers that came back with a backup: none of them is taken up as it was.
// What belongs here: what a restored dispatch queue must be set to. How it is worked off is in dispatcher.ts.
import type { Queryable } from "../platform/database/pool.ts";

/**
 * Makes every open transfer free, due at once, and one that the bank is asked about before it is sent: whoever the
 * backup was taken from may have sent it afterwards, also one that had not been sent yet (RESERVED). The processes that
 * had claims are forgotten. No server may be running on the database. Answers how many transfers are open.
 */
export async function questionRestoredTransfers(db: Queryable): Promise<number> {
  await db.query("update transfer set state = 'UNKNOWN' where state = 'RESERVED'");
  // Somebody may have approved it afterwards: nothing but a person may refuse it now.
  await db.query("update approval set expires_at = null where decision is null");
  await db.query("delete from dispatcher");
  const { rowCount } = await db.query("update transfer_dispatch set claimed_by = null, due_at = now(), attempts = 0");
  return rowCount ?? 0;
}
