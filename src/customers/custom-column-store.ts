// All SQL of the columns that merchants define for their customers.
import type { MerchantKey } from "../merchants/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import type { ColumnType, CustomColumn } from "./custom-column.ts";
import { nameKey } from "./customer.ts";

/** A merchant's columns, oldest first. */
export async function listColumns(db: Queryable, { bucket, merchantId }: MerchantKey): Promise<CustomColumn[]> {
  const { rows } = await db.query<{ column_id: bigint; name: string; type: ColumnType }>({
    name: "list-customer-columns",
    text: `select column_id, name, type from customer_column
      where bucket = $1 and merchant_id = $2 order by created_at, column_id`,
    values: [bucket, merchantId],
  });
  return rows.map((row) => ({ columnId: row.column_id, name: row.name, type: row.type }));
}

/** The merchant's columns by their ids; none where no customer has custom fields to check against them. */
export async function findColumns(
  db: Queryable,
  merchant: MerchantKey,
  customers: readonly ({ readonly custom_fields?: readonly unknown[] | null | undefined } | null | undefined)[],
): Promise<ReadonlyMap<string, CustomColumn>> {
  const isNeeded = customers.some((customer) => customer?.custom_fields?.length);
  const columns = isNeeded ? await listColumns(db, merchant) : [];
  return new Map(columns.map((column) => [String(column.columnId), column]));
}

/** Adds a column; answers whether its name was free. */
export async function insertColumn(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  now: Temporal.Instant,
  { columnId, name, type }: CustomColumn,
): Promise<boolean> {
  const { rowCount } = await connection.query(
    `insert into customer_column (bucket, merchant_id, column_id, name, name_key, type, created_at)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict do nothing`,
    [bucket, merchantId, columnId, name, nameKey(name), type, now.toString()],
  );
  return rowCount === 1;
}
