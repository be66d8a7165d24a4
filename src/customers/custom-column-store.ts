// All SQL of the columns that merchants define for their customers.
import type { MerchantKey } from "../merchants/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import { table } from "../platform/database/table.ts";
import type { CustomColumn } from "./custom-column.ts";
import { nameKey } from "./customer.ts";

type StoredColumn = MerchantKey & CustomColumn & { readonly nameKey: string; readonly createdAt: Temporal.Instant };

const COLUMNS = table<StoredColumn, MerchantKey & Pick<CustomColumn, "columnId">>(
  "customer_column",
  ["bucket", "merchantId", "columnId"],
  {
    bucket: "smallint",
    merchantId: "bigint",
    columnId: "bigint",
    name: "text",
    nameKey: "text",
    type: "text",
    createdAt: "timestamptz",
  },
);

/** A merchant's columns, oldest first. */
export async function listColumns(db: Queryable, { bucket, merchantId }: MerchantKey): Promise<CustomColumn[]> {
  const columns = await COLUMNS.select(db, {
    name: "list-customer-columns",
    text: "select * from customer_column where bucket = $1 and merchant_id = $2 order by created_at, column_id",
    values: [bucket, merchantId],
  });
  return columns.map(({ columnId, name, type }) => ({ columnId, name, type }));
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

/** Adds a column; returns whether its name was free. */
export function insertColumn(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  createdAt: Temporal.Instant,
  column: CustomColumn,
): Promise<boolean> {
  const stored = { ...column, bucket, merchantId, nameKey: nameKey(column.name), createdAt };
  return COLUMNS.insert(connection, stored, "on conflict do nothing");
}
