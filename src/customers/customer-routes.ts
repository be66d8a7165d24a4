// The API of customers: save and update. Lists show invoices, so their routes are in invoices/.
import { Type } from "typebox";
import { merchantRoute, type MerchantKey } from "../merchants/index.ts";
import type { IdSource } from "../platform/database/ids.ts";
import type { TenantDatabase } from "../platform/database/tenant.ts";
import type { FieldError } from "../platform/errors.ts";
import { fail } from "../platform/http/field.ts";
import type { HttpServer } from "../platform/http/server.ts";
import { changeCustomers, saveCustomers } from "./save-customers.ts";
import type { CustomColumn, SavedCustomer } from "./customer.ts";
import { findColumns } from "./customer-store.ts";
import {
  customerChangeList,
  newCustomerList,
  readCustomerChange,
  readCustomFields,
  readNewCustomer,
  type SentCustomFields,
} from "./customer-fields.ts";

/** 500 customers with long texts in a script of three bytes a character exceed the server's own limit. */
const BODY_LIMIT_BYTES = 4 * 1024 * 1024;

const savedSchema = Type.Array(
  Type.Array(
    Type.Object({
      customer_id: Type.Integer(),
      customer_code: Type.String(),
      customer_name: Type.String(),
      email: Type.String(),
    }),
  ),
  { description: "The array contains one list: the customers in the order of the request." },
);

/** Adds the routes that write customers to a part of the server made by `registerBodyKeyRoutes`. */
export function registerCustomerRoutes(
  app: HttpServer,
  { tenants, ids }: { readonly tenants: TenantDatabase; readonly ids: IdSource },
): void {
  merchantRoute(app, {
    url: "/api/v1/merchant/customer/save",
    summary: "Save new customers, all or none",
    tag: "Customers",
    kind: "write",
    scopes: ["customers.manage"],
    body: { customer: newCustomerList() },
    bodyLimitBytes: BODY_LIMIT_BYTES,
    srvrsp: savedSchema,
    errors: ["customer_code_exists"],
    check: (body, { merchant, errors }) => checkFields(tenants, merchant, body?.customer, errors),
    read: ({ customer }, { errors, found: columns }) =>
      customer.map((wire, index) => readNewCustomer(wire, `customer[${index}]`, columns, errors)),
    handler: async ({ merchant, origin, request, idempotency }) => {
      const { answer, replayed } = await saveCustomers(
        { pool: tenants.of(merchant, origin), ids, merchant, idempotency },
        request,
      );
      return { srvrsp: [answer.map(toWire)], replayed };
    },
  });

  merchantRoute(app, {
    url: "/api/v1/merchant/customer/update",
    summary: "Update customers, all or none; fields not sent stay unchanged",
    tag: "Customers",
    kind: "write",
    scopes: ["customers.manage"],
    body: { customer: customerChangeList() },
    bodyLimitBytes: BODY_LIMIT_BYTES,
    srvrsp: savedSchema,
    errors: ["customer_not_found", "customer_code_exists"],
    check: (body, { merchant, errors }) => {
      refuseDuplicates(body?.customer, errors);
      return checkFields(tenants, merchant, body?.customer, errors);
    },
    read: ({ customer }, { errors, found: columns }) =>
      customer.map((wire, index) => readCustomerChange(wire, `customer[${index}]`, columns, errors)),
    handler: async ({ merchant, origin, request, idempotency }) => {
      const { answer, replayed } = await changeCustomers(
        { pool: tenants.of(merchant, origin), ids, merchant, idempotency },
        request,
      );
      return { srvrsp: [answer.map(toWire)], replayed };
    },
  });
}

/** The checked members of customers in a request. Invalid members are missing. */
type SentList = readonly (Sent | undefined)[];
type Sent = {
  readonly customer_id?: string | undefined;
  readonly custom_fields?: SentCustomFields | undefined;
};

/** Checks custom fields against the merchant's columns, beside members that may be invalid, and returns the columns. */
async function checkFields(
  tenants: TenantDatabase,
  merchant: MerchantKey,
  customers: SentList = [],
  errors: FieldError[],
): Promise<ReadonlyMap<string, CustomColumn>> {
  const columns = await findColumns(tenants.of(merchant), merchant, customers);
  for (const [index, customer] of customers.entries()) {
    readCustomFields(customer?.custom_fields, `customer[${index}]`, columns, errors);
  }
  return columns;
}

/** The result of two changes of one customer would depend on their order. */
function refuseDuplicates(customers: SentList | undefined, errors: FieldError[]): void {
  const seen = new Set<string>();
  for (const [index, customer] of (customers ?? []).entries()) {
    const id = customer?.customer_id?.replace(/^0+/, "");
    if (!id) continue;
    if (seen.has(id)) {
      fail(errors, `customer[${index}].customer_id`, "not_allowed", `must not be sent twice in one request: ${id}.`);
    }
    seen.add(id);
  }
}

function toWire({ customerId, customerCode, customerName, email }: SavedCustomer) {
  return { customer_id: customerId, customer_code: customerCode, customer_name: customerName, email };
}
