// One use case: encrypted values open, and their indexes are theirs. What is wrong with one is for secret-table.ts to
// say.
import type { Queryable } from "../database/pool.ts";
import { secretsOf } from "./secrets.ts";
import { findFault, pathOf, type SecretRow, type SecretTable } from "./secret-table.ts";
import { listLatestSecretRows, listSecretRows, type Owner } from "./secret-table-store.ts";

const PAGE_ROWS = 1000;
const SAMPLE_OF_BUCKET = 10;
const SAMPLE_OF_OWNER = 1000;
/** A table may hold nothing that opens: then the first so many faults say enough. */
const MAX_FAULTS = 1000;

export type SecretFault = {
  readonly table: string;
  readonly owner: bigint;
  /** The last number of the row's path. */
  readonly rowId: bigint;
  readonly what: string;
};

/**
 * Looks for values that do not open, that are not encrypted, or whose index is another's: in the latest rows, or in all
 * of them when `deep` is set. Returns the first thousand.
 * @throws SecretsError where the data keys do not open
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
  // Read again after the rows, so that a key that somebody has just begun to use is not taken for a fault.
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
