// The payees of transfers, read with SQL. No assertions.
import type { Pool } from "../../src/platform/database/pool.ts";
import { readSecretRows } from "../../src/platform/secrets/index.ts";
import type { Payee } from "../../src/payouts/rails/rail.ts";
import { readPayee, type PayeeRow } from "../../src/payouts/transfer-store.ts";

/** The rows of a statement with `JOIN_PAYEE` and `PAYEE_COLUMNS`, each with its payee decrypted. */
export async function readWithPayees<Row extends object>(
  pool: Pool,
  sql: string,
): Promise<(Row & { readonly payee: Payee })[]> {
  const { rows } = await pool.query<Row & PayeeRow>(sql);
  return readSecretRows(pool, rows, (row, secrets) => ({ ...row, payee: readPayee(row, secrets) }));
}
