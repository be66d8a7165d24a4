import { requireMerchant } from "../../src/merchants/index.ts";
import { inTransaction, type Connection, type Pool, type Queryable } from "../../src/platform/database/pool.ts";
import { CITUS_URL } from "./citus.ts";

/** Locks a merchant's book during `work`, in the transaction passed to it. */
export function whileBookIsHeld<T>(
  pool: Pool,
  merchantId: string,
  work: (holder: Connection) => Promise<T>,
): Promise<T> {
  return inTransaction(pool, async (connection) => {
    // Citus locks rows of one bucket only.
    const { bucket } = await requireMerchant(connection, BigInt(merchantId));
    await connection.query("select from ledger_book where bucket = $1 and merchant_id = $2 for update", [
      bucket,
      merchantId,
    ]);
    return work(connection);
  });
}

/**
 * How many connections of a database wait for a lock, in a statement whose text contains `word`. On Citus rows are locked at the
 * nodes, to which servers have their own connections.
 */
export async function countLockWaits(pool: Queryable, word = ""): Promise<number> {
  const activity = CITUS_URL === null ? "pg_stat_activity" : "citus_stat_activity";
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::integer as count from ${activity}
     where datname = current_database() and wait_event_type = 'Lock' and strpos(query, $1) > 0`,
    [word],
  );
  return rows[0]!.count;
}
