// Use case: define a further column for a merchant's customers.
import { auditValues, recordEvents } from "../ledger/index.ts";
import { lockMerchant, type WriteContext } from "../merchants/index.ts";
import { inTransaction } from "../platform/database/pool.ts";
import { NodalError } from "../platform/errors.ts";
import { MAX_COLUMNS, type CustomColumn } from "./customer.ts";
import { insertColumn, listColumns } from "./customer-store.ts";

export type SaveColumn = Pick<CustomColumn, "name" | "type">;

/**
 * Adds a column and returns it.
 * @throws NodalError `column_exists` if the merchant has a column of this name, `limit_exceeded` at 100 columns
 */
export async function saveColumn(
  { pool, ids, merchant }: WriteContext,
  { name, type }: SaveColumn,
): Promise<CustomColumn> {
  const column: CustomColumn = { columnId: await ids.next(), name, type };
  return inTransaction(pool, async (connection) => {
    await lockMerchant(connection, merchant);
    const existing = await listColumns(connection, merchant);
    if (existing.length >= MAX_COLUMNS) {
      throw new NodalError(
        "limit_exceeded",
        `A merchant can have at most ${MAX_COLUMNS} columns: use an existing one.`,
      );
    }
    if (!(await insertColumn(connection, merchant, Temporal.Now.instant(), column))) {
      throw new NodalError("column_exists", `A column named ${name} already exists: use it, or choose another name.`);
    }
    const created = { type: "customer_column.created", subjectId: column.columnId, after: auditValues(column) };
    await recordEvents(connection, merchant, [created]);
    return column;
  });
}
