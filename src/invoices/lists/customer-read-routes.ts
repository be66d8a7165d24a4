// The API of customers: detail and list, whose records are invoices: docs/rules/customers.md#records.
import { Type, type Static } from "typebox";
import { customerCode, SEARCH_ATTRIBUTES, type CustomerSearch } from "../../customers/index.ts";
import { merchantRoute, todayOf, type Merchant } from "../../merchants/index.ts";
import type { TenantDatabase } from "../../platform/database/tenant.ts";
import { fieldRefusal, type NodalError } from "../../platform/errors.ts";
import { oneOf, optional, textOrNumber, wholeNumber } from "../../platform/http/fields.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import { contactOf, invoiceRecord, toCustomerGroup, toRecord } from "../invoice-wire.ts";
import { listCustomerRecords, type CustomerRecord, type CustomerRecords } from "./customer-read-store.ts";

const MAX_PAGE = 1_000_000;
/** docs/rules/values-and-errors.md#lists. */
const MAX_LIMIT = 1000;
/** The longest value that can be searched for: an e-mail address. */
const MAX_KEYWORD_LENGTH = 254;

type WireRecord = Static<typeof invoiceRecord>;
type Paging = { readonly page: number | null; readonly limit: number | null };

const paging = {
  page: optional(wholeNumber(1, MAX_PAGE)),
  limit: optional(wholeNumber(1, MAX_LIMIT)),
};

/** Adds the routes that read customers to a part of the server made by `registerBodyKeyRoutes`. */
export function registerCustomerReadRoutes(app: HttpServer, { tenants }: { readonly tenants: TenantDatabase }): void {
  merchantRoute(app, {
    url: "/api/v1/merchant/customer/detail",
    summary: "Find a customer by its code, with its invoices",
    tag: "Customers",
    kind: "read",
    scopes: ["customers.view", "invoices.view"],
    body: { customer_code: customerCode(), ...paging },
    srvrsp: Type.Array(invoiceRecord),
    errors: ["customer_not_found"],
    read: ({ customer_code: keyword, page, limit }) => {
      return { search: { by: "customer_code", keyword } satisfies CustomerSearch, page, limit };
    },
    handler: async ({ merchant, request: { search, page, limit } }) => {
      const found = await listCustomerRecords(tenants.of(merchant), merchant, { search, ...toPage({ page, limit }) });
      if (found.total === 0) throw notFound(search.keyword);
      return { srvrsp: toRecords(found, merchant), totalRecords: found.total };
    },
  });

  merchantRoute(app, {
    url: "/api/v1/merchant/customer/getlist",
    summary: "List matching customers with their invoices, newest first; an empty keyword matches every customer",
    tag: "Customers",
    kind: "read",
    scopes: ["customers.view", "invoices.view"],
    body: { searchby: oneOf(SEARCH_ATTRIBUTES), keyword: optional(textOrNumber(MAX_KEYWORD_LENGTH)), ...paging },
    srvrsp: Type.Array(invoiceRecord),
    read: ({ searchby: by, keyword, page, limit }) => ({ search: { by, keyword }, page, limit }),
    handler: async ({ merchant, request: { search, page, limit } }) => {
      const found = await listCustomerRecords(tenants.of(merchant), merchant, { search, ...toPage({ page, limit }) });
      return { srvrsp: toRecords(found, merchant), totalRecords: found.total };
    },
  });
}

function toPage({ page, limit }: Paging): { offset: number; limit: number } {
  const size = limit ?? MAX_LIMIT;
  return { offset: ((page ?? 1) - 1) * size, limit: size };
}

function notFound(code: string): NodalError {
  const message = `No customer has the code ${code}. Look it up with customer/getlist.`;
  return fieldRefusal("customer_not_found", "customer_code", message);
}

function toRecords({ invoices, customerRecords }: CustomerRecords, merchant: Merchant): WireRecord[] {
  const today = todayOf(merchant);
  return [
    ...invoices.map((record) => toRecord(record, merchant, today)),
    ...customerRecords.map((bare) => toBareRecord(bare, merchant)),
  ];
}

/** The record of a customer without invoices, so that a search never hides a customer. */
function toBareRecord({ customer, groups }: CustomerRecord, merchant: Merchant): WireRecord {
  return {
    invoice_id: null,
    invoice_number: null,
    bill_date: "",
    due_date: "",
    sent_date: "",
    customer_id: Number(customer.customerId),
    customer_code: customer.customerCode,
    customer_name: customer.customerName,
    customer_group: toCustomerGroup(groups),
    custom_fields: [...customer.customFields],
    ...contactOf(customer),
    amount: "0.00",
    paid_amount: "0.00",
    previous_dues: "0.00",
    due_amount: "0.00",
    due: 0,
    status: "",
    cycle_name: "",
    franchise_id: "0",
    franchise_name: null,
    created_by: merchant.name,
  };
}
