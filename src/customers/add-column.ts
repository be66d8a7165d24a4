// One use case: a merchant defines a further column for its customers.
import { auditValues, recordEvents } from "../ledger/index.ts";
import { lockMerchant, type MerchantKey } from "../merchants/index.ts";
import type { IdSource } from "../platform/database/ids.ts";
import { inTransaction, type Pool } from "../platform/database/pool.ts";
import { NodalError } from "../platform/errors.ts";
import { MAX_COLUMNS, type ColumnType, type CustomColumn } from "./custom-column.ts";
import { insertColumn, listColumns } from "./custom-column-store.ts";

/**
 * Adds a column and answers it.
 * @throws NodalError `column_exists` where the merchant has a column of this name, `limit_exceeded` at 100 columns
 */
export async function addColumn(
  pool: Pool,
  ids: IdSource,
  merchant: MerchantKey,
  name: string,
  type: ColumnType,
): Promise<CustomColumn> {
  const column: CustomColumn = { columnId: await ids.next(), name, type };
  return inTransaction(pool, async (connection) => {
    await lockMerchant(connection, merchant);
    const existing = await listColumns(connection, merchant);
    if (existing.length >= MAX_COLUMNS) {
      throw new NodalError("limit_exceeded", `A merchant has at most ${MAX_COLUMNS} columns: use one that exists.`);
    }
    if (!(await insertColumn(connection, merchant, Temporal.Now.instant(), column))) {
      throw new NodalError("column_exists", `There is a column named ${name} already: use it, or choose another name.`);
    }
    const created = { type: "customer_column.created", subjectId: column.columnId, after: auditValues(column) };
    await recordEvents(connection, merchant, [created]);
    return column;
  });
}
