// All SQL of customers. Searching them is in customer-search-store.ts, their groups are in customer-group-store.ts.
import type { MerchantKey } from "../merchants/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import type { Customer, CustomField } from "./customer.ts";

/** The columns that a save or an update writes, in the order of their parameters. */
const WRITTEN = {
  customer_id: "bigint",
  customer_code: "text",
  customer_name: "text",
  email: "text",
  mobile: "text",
  address: "text",
  city: "text",
  state: "text",
  zipcode: "text",
  custom_fields: "jsonb",
  created_at: "timestamptz",
  updated_at: "timestamptz",
} as const;
type Written = keyof typeof WRITTEN;
const NAMES = Object.keys(WRITTEN) as Written[];
/** $1 and $2 are the merchant's key. */
const ARRAYS = NAMES.map((name, index) => `$${index + 3}::${WRITTEN[name]}[]`).join(", ");
const CHANGED = NAMES.filter((name) => name !== "customer_id" && name !== "created_at");

type CustomerRow = {
  bucket: number;
  merchant_id: bigint;
  customer_id: bigint;
  customer_code: string;
  customer_name: string;
  email: string;
  mobile: string;
  address: string;
  city: string;
  state: string;
  zipcode: string;
  custom_fields: CustomField[];
  created_at: Temporal.Instant;
  updated_at: Temporal.Instant;
};

function fromRow(row: CustomerRow): Customer {
  return {
    bucket: row.bucket,
    merchantId: row.merchant_id,
    customerId: row.customer_id,
    customerCode: row.customer_code,
    customerName: row.customer_name,
    email: row.email,
    mobile: row.mobile,
    address: row.address,
    city: row.city,
    state: row.state,
    zipcode: row.zipcode,
    customFields: row.custom_fields,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

const READERS: Record<Written, (customer: Customer) => unknown> = {
  customer_id: (customer) => customer.customerId,
  customer_code: (customer) => customer.customerCode,
  customer_name: (customer) => customer.customerName,
  email: (customer) => customer.email,
  mobile: (customer) => customer.mobile,
  address: (customer) => customer.address,
  city: (customer) => customer.city,
  state: (customer) => customer.state,
  zipcode: (customer) => customer.zipcode,
  custom_fields: (customer) => JSON.stringify(customer.customFields),
  created_at: (customer) => customer.createdAt.toString(),
  updated_at: (customer) => customer.updatedAt.toString(),
};

function valuesOf({ bucket, merchantId }: MerchantKey, customers: readonly Customer[]): unknown[] {
  return [bucket, merchantId, ...NAMES.map((name) => customers.map(READERS[name]))];
}

/** Inserts a merchant's customers. The caller has made sure that their codes are free. */
export async function insertCustomers(
  connection: Connection,
  merchant: MerchantKey,
  customers: readonly Customer[],
): Promise<void> {
  await connection.query({
    name: "insert-customers",
    text: `insert into customer (bucket, merchant_id, ${NAMES.join(", ")})
      select $1::smallint, $2::bigint, * from unnest(${ARRAYS})`,
    values: valuesOf(merchant, customers),
  });
}

/** Writes a merchant's customers as they now are. The caller has made sure that their codes are free. */
export async function updateCustomers(
  connection: Connection,
  merchant: MerchantKey,
  customers: readonly Customer[],
): Promise<void> {
  await connection.query({
    name: "update-customers",
    text: `update customer set ${CHANGED.map((name) => `${name} = changed.${name}`).join(", ")}
      from unnest(${ARRAYS}) as changed (${NAMES.join(", ")})
      where bucket = $1 and merchant_id = $2 and customer.customer_id = changed.customer_id`,
    values: valuesOf(merchant, customers),
  });
}

/**
 * Frees the codes of customers that pass them on within one update. What stands in for a code until then begins with a
 * character that no code can have.
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

/** A merchant's customers by their ids; what there is none of is left out. */
export async function findCustomers(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  customerIds: readonly bigint[],
): Promise<Map<bigint, Customer>> {
  const { rows } = await db.query<CustomerRow>({
    name: "find-customers",
    text: "select * from customer where bucket = $1 and merchant_id = $2 and customer_id = any($3)",
    values: [bucket, merchantId, customerIds],
  });
  return new Map(rows.map((row) => [row.customer_id, fromRow(row)]));
}

/** A merchant's customers by their codes; what there is none of is left out. */
export async function findCustomersByCode(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  codes: readonly string[],
): Promise<Map<string, Customer>> {
  const { rows } = await db.query<CustomerRow>({
    name: "find-customers-by-code",
    text: "select * from customer where bucket = $1 and merchant_id = $2 and customer_code = any($3)",
    values: [bucket, merchantId, codes],
  });
  return new Map(rows.map((row) => [row.customer_code, fromRow(row)]));
}
