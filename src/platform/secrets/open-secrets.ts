// Two use cases: a master key is tried before anything is changed, and the secrets of a database are made ready for
// use.
import { inTransaction, type Connection, type Pool, type Queryable } from "../database/pool.ts";
import { hasDataKeys, hasDataKeyTable, insertDataKeys, listDataKeys, lockDataKeys } from "./data-key-store.ts";
import type { MasterKeys } from "./master-keys.ts";
import { newDataKey, Secrets } from "./secrets.ts";

const INDEX_KEY_ID = 1;
const FIRST_FIELD_KEY_ID = 2;

/** How a step of the work is run: in a transaction of its own, or in one that the caller has begun. */
type InTransaction = <T>(work: (connection: Connection) => Promise<T>) => Promise<T>;

/** Every step in a transaction of its own. */
export function ownTransactions(pool: Pool): InTransaction {
  return (work) => inTransaction(pool, work);
}

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
 * Opens the secrets of a migrated database. A new database gets its data keys, and where nobody has given a master key, a
 * file with one; in the same transaction, `begin` writes what a database has encrypted from the start. The connections'
 * user must own the database, and they know these secrets.
 * @throws SecretsError where the master keys at hand do not open the data keys, or none may be made
 */
export async function prepareSecrets(
  run: InTransaction,
  secrets: Secrets,
  begin: (connection: Connection) => Promise<void>,
): Promise<void> {
  if (!(await run(hasDataKeys))) {
    await run(async (connection) => {
      await lockDataKeys(connection);
      // Another process may have made them meanwhile.
      if (await hasDataKeys(connection)) return;
      const master = await secrets.masterKeys.provide();
      await insertDataKeys(connection, [
        ...newDataKey(INDEX_KEY_ID, "index", [master]),
        ...newDataKey(FIRST_FIELD_KEY_ID, "field", [master]),
      ]);
      await begin(connection);
    });
  }
  await run((connection) => secrets.refresh(connection));
}
