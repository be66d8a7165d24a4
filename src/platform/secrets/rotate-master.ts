// Use case: rotate the master key, and encrypt everything again under a new data key, while servers run.
// docs/security.md#rotate-it
import { setTimeout as sleep } from "node:timers/promises";
import { inTransaction, type Pool } from "../database/pool.ts";
import { BUCKETS } from "../database/buckets.ts";
import { insertDataKeys, listDataKeys, lockDataKeys, removeDataKeys, type WrappedDataKey } from "./data-key-store.ts";
import { type MasterKey, SecretsError } from "./master-keys.ts";
import { type SecretTable, resealRow, type SecretRow } from "./secret-table.ts";
import { countStaleRows, type Pattern, lockStaleRows, writeSecretRows } from "./secret-table-store.ts";
import { FRESH_MS, newDataKey, rewrap, type Secrets } from "./secrets.ts";

/** By then, every process checks for a newer key before it encrypts. */
const FOLLOWED_MS = 2 * FRESH_MS;
/** Each pass only skips rows that others are changing at that moment. */
const MAX_PASSES = 20;

export type RotatedMaster = {
  readonly masterKeyId: string;
  readonly dataKeyId: number;
  /** The number of re-encrypted rows. */
  readonly rows: number;
  /** The path of the old master key's file; `null` if there is none. */
  readonly earlierKeyFile: string | null;
};

/**
 * Rotates to the next master key of `secrets.masterKeys`. It continues an interrupted rotation to the same key. The
 * pool's user must own the database. @throws SecretsError if there is no next key, or if rows remain under old keys:
 * call it again to continue
 */
export async function rotateMaster(
  pool: Pool,
  secrets: Secrets,
  tables: readonly SecretTable[],
  progress: Progress,
): Promise<RotatedMaster> {
  const next = await secrets.masterKeys.provideNext();
  await wrapBy(pool, secrets, next);
  await secrets.refresh(pool);
  const pattern: Pattern = `enc1:${secrets.currentId}:%`;
  await sleep(FOLLOWED_MS);
  let rows = 0;
  for (let pass = 1; ; pass += 1) {
    for (const table of tables) rows += await resealTable(pool, secrets, table, pattern, progress);
    const left = await countStale(pool, tables, pattern);
    if (left === 0n) break;
    if (pass === MAX_PASSES) {
      throw new SecretsError(
        `${left} rows are still encrypted with an earlier key: run \`nodal key rotate-master\` again.`,
      );
    }
    await sleep(FOLLOWED_MS);
  }
  await endEarlier(pool, secrets, next);
  return {
    masterKeyId: next.id,
    dataKeyId: secrets.currentId,
    rows,
    earlierKeyFile: secrets.masterKeys.settle(next),
  };
}

/**
 * Wraps every data key by the next master key too, and adds a new data key that both can open: running servers, which
 * only have the old one, can follow. In one transaction, so that an interrupted rotation has done all of it or nothing.
 */
function wrapBy(pool: Pool, secrets: Secrets, next: MasterKey): Promise<void> {
  return inTransaction(pool, async (connection) => {
    await lockDataKeys(connection);
    const wrapped = await listDataKeys(connection);
    const byId = Map.groupBy(wrapped, (key) => key.dataKeyId);
    if (opensAll(next.id, byId)) return;
    const masterKeys = secrets.masterKeys.list();
    const additions = [...byId.values()]
      .filter((wraps) => wraps.every((key) => key.masterKeyId !== next.id))
      .map((wraps) => rewrap(wraps, masterKeys, next));
    const freshId = Math.max(...byId.keys()) + 1;
    const openers = [...masterKeys.filter(({ id }) => opensAll(id, byId)), next];
    await insertDataKeys(connection, [...additions, ...newDataKey(freshId, "field", openers)]);
  });
}

function opensAll(masterKeyId: string, byId: ReadonlyMap<number, readonly WrappedDataKey[]>): boolean {
  return [...byId.values()].every((wraps) => wraps.some((key) => key.masterKeyId === masterKeyId));
}

/**
 * From here on only the new master key opens the database. The previous data key is kept until the next rotation, for a
 * process that was paused between encrypting and writing during the whole rotation.
 */
function endEarlier(pool: Pool, secrets: Secrets, next: MasterKey): Promise<void> {
  return inTransaction(pool, async (connection) => {
    await lockDataKeys(connection);
    const fields = (await listDataKeys(connection))
      .filter((key) => key.purpose === "field")
      .map((key) => key.dataKeyId);
    const earlier = fields.filter((id) => id < secrets.currentId);
    await removeDataKeys(connection, next.id, earlier.length > 0 ? Math.max(...earlier) : secrets.currentId);
  });
}

async function countStale(pool: Pool, tables: readonly SecretTable[], pattern: Pattern): Promise<bigint> {
  let count = 0n;
  for (const table of tables) count += await countStaleRows(pool, table, pattern);
  return count;
}

/** Rows per transaction, so that locks are held for milliseconds only. */
const BATCH_ROWS = 250;

/** Called after every writing transaction, with the table and the number of rows. */
export type Progress = (table: string, rows: number) => void;

/**
 * Encrypts a table's values that do not match the pattern under the key in use. It skips rows that others are changing.
 * Returns the number of written rows.
 */
async function resealTable(
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
