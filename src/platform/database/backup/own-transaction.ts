// A transaction that streams: on a connection of its own, which is thrown away when something breaks.
// What belongs here: that. Transactions of statements are in ../pool.ts.
import type { Connection, Pool } from "../pool.ts";

/**
 * Settings that a copy must not depend on: how values are written, and what would end long statements. A role that
 * row-level security applies to is refused rather than shown a part.
 */
const SETTINGS = `
  set local datestyle = 'ISO, YMD';
  set local intervalstyle = 'postgres';
  set local extra_float_digits = 1;
  set local bytea_output = 'hex';
  set local row_security = off;
  set local statement_timeout = 0;
  set local lock_timeout = 0;
  set local idle_in_transaction_session_timeout = 0`;

/**
 * Runs `work` in one transaction: committed when it returns. When it throws, the connection is closed, which rolls
 * back: in the middle of a COPY it could not be asked to, as it would first have to carry the rest.
 */
export async function inStreamingTransaction<T>(
  pool: Pool,
  begin: string,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await pool.connect();
  try {
    await connection.query(begin);
    await connection.query(SETTINGS);
    const result = await work(connection);
    await connection.query("commit");
    connection.release();
    return result;
  } catch (error) {
    connection.release(error instanceof Error ? error : true);
    throw error;
  }
}
