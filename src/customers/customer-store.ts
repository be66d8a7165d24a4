// All SQL of customers and of merchants' custom columns. customer-search-store.ts searches customers, customer-group-store.ts has
// their groups.
import type { MerchantKey } from "../merchants/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import { table } from "../platform/database/table.ts";
import { customerRecord, nameKey, type CustomColumn, type Customer } from "./customer.ts";

type CustomerKey = MerchantKey & { readonly customerId: bigint };

const CUSTOMERS = table<Customer, CustomerKey>("customer", ["bucket", "merchantId", "customerId"], {
  bucket: "smallint",
  merchantId: "bigint",
  customerId: "bigint",
  ...customerRecord.columns,
  customFields: "jsonb",
  createdAt: "timestamptz",
  updatedAt: "timestamptz",
});
export const CUSTOMER_SECRETS = CUSTOMERS.secretTable();
const CHANGING = CUSTOMERS.without("createdAt");

/** Inserts customers. The caller has made sure that their codes are free. */
export async function insertCustomers(connection: Connection, customers: readonly Customer[]): Promise<void> {
  await CUSTOMERS.insertAll(connection, customers);
}

/** Saves changed customers. The caller has made sure that their codes are free. */
export async function updateCustomers(connection: Connection, customers: readonly Customer[]): Promise<void> {
  await CHANGING.updateAll(connection, customers);
}

/**
 * Frees the codes of customers that exchange them within one update. The temporary code begins with a character that no code can
 * have.
 */
export async function parkCodes(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  customerIds: readonly bigint[],
): Promise<void> {
  await connection.query(
    `update customer set customer_code = E'\\x01' || customer_id
     where bucket = $1 and merchant_id = $2 and customer_id = any($3)`,
    [bucket, merchantId, customerIds],
  );
}

/** A merchant's customers by their ids; missing ones are left out. */
export async function findCustomers(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  customerIds: readonly bigint[],
): Promise<Map<bigint, Customer>> {
  const customers = await findCustomersByIds(
    db,
    customerIds.map((customerId) => ({ bucket, merchantId, customerId })),
  );
  return new Map(customers.map((customer) => [customer.customerId, customer]));
}

/** Customers of several merchants by their ids; missing ones are left out. */
export async function findCustomersByIds(db: Queryable, wanted: readonly CustomerKey[]): Promise<Customer[]> {
  return CUSTOMERS.select(db, {
    name: "find-customers",
    text: `select customer.* from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as wanted (bucket, merchant_id, id)
      join customer
        on customer.bucket = wanted.bucket and customer.merchant_id = wanted.merchant_id
          and customer.customer_id = wanted.id`,
    values: [
      wanted.map(({ bucket }) => bucket),
      wanted.map(({ merchantId }) => merchantId),
      wanted.map(({ customerId }) => customerId),
    ],
  });
}

/** A merchant's customers by their codes; missing ones are left out. */
export async function findCustomersByCode(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  codes: readonly string[],
): Promise<Map<string, Customer>> {
  const customers = await findCustomersByCodes(
    db,
    codes.map((code) => ({ bucket, merchantId, code })),
  );
  return new Map(customers.map((customer) => [customer.customerCode, customer]));
}

/** Customers of several merchants by their codes; missing ones are left out. */
export async function findCustomersByCodes(
  db: Queryable,
  wanted: readonly (MerchantKey & { readonly code: string })[],
): Promise<Customer[]> {
  return CUSTOMERS.select(db, {
    name: "find-customers-by-code",
    text: `select customer.* from unnest($1::smallint[], $2::bigint[], $3::text[]) as wanted (bucket, merchant_id, code)
      join customer
        on customer.bucket = wanted.bucket and customer.merchant_id = wanted.merchant_id
          and customer.customer_code = wanted.code`,
    values: [
      wanted.map(({ bucket }) => bucket),
      wanted.map(({ merchantId }) => merchantId),
      wanted.map(({ code }) => code),
    ],
  });
}

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

/** The merchant's columns by their ids; empty if no customer has custom fields to check. */
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
