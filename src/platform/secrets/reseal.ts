// One use case: values under an earlier key are encrypted under the one in use.
// What belongs here: going through a table in small transactions, beside servers at work, so that it may end at any
// point and be begun again.
import { inTransaction, type Pool } from "../database/pool.ts";
import { resealRow, type SecretRow, type SecretTable } from "./secret-table.ts";
import { BUCKETS, lockStaleRows, writeSecretRows, type Pattern } from "./secret-table-store.ts";
import type { Secrets } from "./secrets.ts";

/** So many rows to a transaction: their locks are held for milliseconds. */
const BATCH_ROWS = 250;

/** Called after every transaction that wrote, with the table and the number of rows. */
export type Progress = (table: string, rows: number) => void;

/**
 * Encrypts a table's values that do not fit the pattern under the key in use. Rows that somebody else is changing at
 * the moment are left out. Answers how many rows were written.
 */
export async function resealTable(
  pool: Pool,
  secrets: Secrets,
  table: SecretTable,
  pattern: Pattern,
  progress: Progress,
): Promise<number> {
  let written = 0;
  for (let bucket = 0; bucket < BUCKETS; bucket += 1) {
    let after: SecretRow | null = null;
    let count: number;
    do {
      const rows = await resealBatch(pool, secrets, table, { bucket, pattern, after, limit: BATCH_ROWS });
      count = rows.length;
      after = rows.at(-1) ?? null;
      written += count;
      if (count > 0) progress(table.table, count);
    } while (count === BATCH_ROWS);
  }
  return written;
}

function resealBatch(
  pool: Pool,
  secrets: Secrets,
  table: SecretTable,
  page: Parameters<typeof lockStaleRows>[2],
): Promise<SecretRow[]> {
  return inTransaction(pool, async (connection) => {
    const rows = await lockStaleRows(connection, table, page);
    const sealed = rows.map((row) => ({ row, sealed: resealRow(secrets, table, row) }));
    if (rows.length > 0) await writeSecretRows(connection, table, sealed);
    return rows;
  });
}
