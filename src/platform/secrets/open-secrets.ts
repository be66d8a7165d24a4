// Two use cases: a master key is tried before anything is changed, and the secrets of a database are made ready for
// use.
import type { Connection, Queryable } from "../database/pool.ts";
import { hasDataKeys, hasDataKeyTable, insertDataKeys, listDataKeys, lockDataKeys } from "./data-key-store.ts";
import type { MasterKeys } from "./master-keys.ts";
import { encryptPlainTables, type InTransaction, type Progress } from "./reseal.ts";
import type { SecretTable } from "./secret-table.ts";
import { newDataKey, Secrets } from "./secrets.ts";

const INDEX_KEY_ID = 1;
const FIRST_FIELD_KEY_ID = 2;

/**
 * Whether the master keys at hand open the database's data keys, asked before anything is changed. A database that has
 * none yet is opened by any.
 * @throws SecretsError where they do not
 */
export async function checkMasterKeys(db: Queryable, masterKeys: MasterKeys): Promise<void> {
  if (!(await hasDataKeyTable(db))) return;
  const wrapped = await listDataKeys(db);
  if (wrapped.length > 0) new Secrets(masterKeys).open(wrapped);
}

/**
 * Opens the secrets of a migrated database, and encrypts what is plain yet in the given tables. A new database gets its
 * data keys, and where nobody has given a master key, a file with one. The connections' user must own the database.
 * @throws SecretsError where the master keys at hand do not open the data keys, or none may be made
 */
export async function prepareSecrets(
  run: InTransaction,
  secrets: Secrets,
  tables: readonly SecretTable[],
  progress: Progress,
): Promise<void> {
  if (!(await run(hasDataKeys))) await run((connection) => makeDataKeys(connection, secrets.masterKeys));
  await run((connection) => secrets.refresh(connection));
  await encryptPlainTables(run, secrets, tables, progress);
}

async function makeDataKeys(connection: Connection, masterKeys: MasterKeys): Promise<void> {
  await lockDataKeys(connection);
  // Another process may have made them meanwhile.
  if (await hasDataKeys(connection)) return;
  const master = await masterKeys.provide();
  await insertDataKeys(connection, [
    ...newDataKey(INDEX_KEY_ID, "index", [master]),
    ...newDataKey(FIRST_FIELD_KEY_ID, "field", [master]),
  ]);
}
