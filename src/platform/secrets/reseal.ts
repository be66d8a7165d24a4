// One use case: values are encrypted under the key in use, those that are plain yet and those under an earlier key.
// What belongs here: going through tables in small transactions, beside servers at work, so that it may end at any
// point and be begun again.
import { inTransaction, type Connection, type Pool } from "../database/pool.ts";
import { resealRow, type SecretRow, type SecretTable } from "./secret-table.ts";
import {
  BUCKETS,
  countStaleRows,
  findUnencryptedTables,
  lockStaleRows,
  markEncrypted,
  writeSecretRows,
  type Pattern,
} from "./secret-table-store.ts";
import type { Secrets } from "./secrets.ts";

/** Whatever is encrypted, under any key, is right. */
const PLAIN: Pattern = "enc1:%";
/** So many rows to a transaction: their locks are held for milliseconds. */
const BATCH_ROWS = 250;

/** How a step of the work is run: in a transaction of its own, or in one that the caller has begun. */
export type InTransaction = <T>(work: (connection: Connection) => Promise<T>) => Promise<T>;

/** Every step in a transaction of its own. */
export function ownTransactions(pool: Pool): InTransaction {
  return (work) => inTransaction(pool, work);
}

/** Called after every transaction that wrote, with the table and the number of rows. */
export type Progress = (table: string, rows: number) => void;

/**
 * Encrypts what was stored before there was encryption, table by table. What is done is remembered in the database, so
 * that a later call costs one look. The connections' user must own the tables.
 * @throws SecretsError where a value does not open
 */
export async function encryptPlainTables(
  run: InTransaction,
  secrets: Secrets,
  tables: readonly SecretTable[],
  progress: Progress,
): Promise<void> {
  for (const table of await run((connection) => findUnencryptedTables(connection, tables))) {
    do await resealTable(run, secrets, table, PLAIN, progress);
    // What another process was encrypting at the same time was left out.
    while ((await run((connection) => countStaleRows(connection, table, PLAIN))) > 0n);
    await run((connection) => markEncrypted(connection, table));
  }
}

/**
 * Encrypts a table's values that do not fit the pattern under the key in use. Rows that somebody else is changing at
 * the moment are left out. Answers how many rows were written.
 */
export async function resealTable(
  run: InTransaction,
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
      const rows = await resealBatch(run, secrets, table, { bucket, pattern, after, limit: BATCH_ROWS });
      count = rows.length;
      after = rows.at(-1) ?? null;
      written += count;
      if (count > 0) progress(table.table, count);
    } while (count === BATCH_ROWS);
  }
  return written;
}

function resealBatch(
  run: InTransaction,
  secrets: Secrets,
  table: SecretTable,
  page: Parameters<typeof lockStaleRows>[2],
): Promise<SecretRow[]> {
  return run(async (connection) => {
    const rows = await lockStaleRows(connection, table, page);
    const sealed = rows.map((row) => ({ row, sealed: resealRow(secrets, table, row) }));
    if (rows.length > 0) await writeSecretRows(connection, table, sealed);
    return rows;
  });
}
