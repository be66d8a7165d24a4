// Use case: check that encrypted values can be decrypted and have the right index hashes. secret-table.ts describes the faults.
import type { Queryable } from "../database/pool.ts";
import { secretsOf } from "./secrets.ts";
import { findFault, pathOf, type SecretRow, type SecretTable } from "./secret-table.ts";
import { listLatestSecretRows, listSecretRows, type Owner } from "./secret-table-store.ts";

const PAGE_ROWS = 1000;
const SAMPLE_OF_BUCKET = 10;
const SAMPLE_OF_OWNER = 1000;
/** The most faults to report: nothing in a table may be decryptable. */
const MAX_FAULTS = 1000;

export type SecretFault = {
  readonly table: string;
  readonly owner: bigint;
  /** The row's id: the last number of its path. */
  readonly rowId: bigint;
  readonly what: string;
};

/**
 * Looks for values that can't be decrypted, are not encrypted, or have a wrong index hash: in the latest rows, or in
 * all rows if `deep` is set. Returns the first thousand. @throws SecretsError if the data keys can't be opened
 */
export async function checkSecrets(
  db: Queryable,
  tables: readonly SecretTable[],
  owner: Owner | null,
  deep: boolean,
): Promise<SecretFault[]> {
  const faults: SecretFault[] = [];
  for (const table of tables) {
    for await (const rows of deep ? allRows(db, table, owner) : sample(db, table, owner)) {
      faults.push(...(await findFaults(db, table, rows)));
      if (faults.length >= MAX_FAULTS) return faults.slice(0, MAX_FAULTS);
    }
  }
  return faults;
}

async function findFaults(db: Queryable, table: SecretTable, rows: readonly SecretRow[]): Promise<SecretFault[]> {
  const secrets = await secretsOf(db);
  // Read again after the rows, so that a data key that was just added does not count as a fault.
  await secrets.refresh(db);
  return rows.flatMap((row) => {
    const what = findFault(secrets, table, row);
    const path = pathOf(table, row);
    return what ? [{ table: table.table, owner: path[1], rowId: path.at(-1) as bigint, what }] : [];
  });
}

async function* allRows(db: Queryable, table: SecretTable, owner: Owner | null): AsyncGenerator<SecretRow[]> {
  let page: SecretRow[] = [];
  do {
    page = await listSecretRows(db, table, owner, { after: page.at(-1) ?? null, limit: PAGE_ROWS });
    yield page;
  } while (page.length === PAGE_ROWS);
}

async function* sample(db: Queryable, table: SecretTable, owner: Owner | null): AsyncGenerator<SecretRow[]> {
  yield await listLatestSecretRows(db, table, owner, owner ? SAMPLE_OF_OWNER : SAMPLE_OF_BUCKET);
}
