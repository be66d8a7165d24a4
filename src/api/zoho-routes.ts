// The files of a period for Zoho Books: docs/zoho-books.md
import {
  walkZohoDocuments,
  walkZohoPayments,
  ZOHO_CREDIT_NOTE_COLUMNS,
  ZOHO_INVOICE_COLUMNS,
  ZOHO_PAYMENT_COLUMNS,
  zohoCustomer,
  zohoPaymentRows,
  zohoRows,
  zohoState,
  zohoTreatment,
} from "../books/index.ts";
import { findCustomers, gstinOf, pageCustomers, type Customer } from "../customers/index.ts";
import { stateOf } from "../invoices/index.ts";
import type { Merchant } from "../merchants/index.ts";
import type { CsvCell } from "../platform/csv.ts";
import type { Queryable } from "../platform/database/pool.ts";
import { dashboardRoute, type DashboardScope } from "./guarded-routes.ts";
import { sendCsv } from "./list-routes.ts";
import { PERIOD, reading } from "./report-routes.ts";

const permission = "invoices.view";
const PAGE = 1000;

/** Adds them. */
export function registerZohoRoutes(scope: DashboardScope) {
  return [
    dashboardRoute(scope, {
      route: "GET /reports/zoho-customers.csv",
      summary: "Read all customers for Zoho Books",
      permission: "customers.view",
      handler: (call) => {
        const rows = walkCustomers(scope.parts.reports.of(call.merchant), call.merchant);
        return sendCsv(call.reply, "zoho-customers.csv", CUSTOMER_COLUMNS, rows);
      },
    }),
    dashboardRoute(scope, {
      route: "GET /reports/zoho-invoices.csv",
      summary: "Read the invoices of a period for Zoho Books",
      permission,
      query: PERIOD,
      handler: (call) => {
        const rows = zohoRows(walkZohoDocuments(...reading(scope, call), "invoice"));
        return sendCsv(call.reply, "zoho-invoices.csv", ZOHO_INVOICE_COLUMNS, rows);
      },
    }),
    dashboardRoute(scope, {
      route: "GET /reports/zoho-credit-notes.csv",
      summary: "Read the credit notes of a period for Zoho Books",
      permission,
      query: PERIOD,
      handler: (call) => {
        const rows = zohoRows(walkZohoDocuments(...reading(scope, call), "credit_note"));
        return sendCsv(call.reply, "zoho-credit-notes.csv", ZOHO_CREDIT_NOTE_COLUMNS, rows);
      },
    }),
    dashboardRoute(scope, {
      route: "GET /reports/zoho-payments.csv",
      summary: "Read the payments of a period for Zoho Books",
      permission,
      query: PERIOD,
      handler: (call) => {
        const rows = zohoPaymentRows(walkZohoPayments(...reading(scope, call)));
        return sendCsv(call.reply, "zoho-payments.csv", ZOHO_PAYMENT_COLUMNS, rows);
      },
    }),
  ];
}

async function* walkCustomers(db: Queryable, merchant: Merchant): AsyncGenerator<Customer> {
  const filter = {
    search: { by: "anywhere", keyword: null },
    group: null,
    franchiseId: null,
    sort: "created_at",
  } as const;
  let after: string | null = null;
  for (;;) {
    const ids: bigint[] = await pageCustomers(db, merchant, filter, { after, limit: PAGE });
    const customers = await findCustomers(db, merchant, ids);
    for (const id of ids) yield customers.get(id)!;
    if (ids.length < PAGE) return;
    after = String(ids.at(-1)!);
  }
}

const stateIn = (customer: Customer): string =>
  stateOf({ gstin: gstinOf(customer.customFields), state: customer.state })?.code ?? "";

const CUSTOMER_COLUMNS: Readonly<Record<string, (customer: Customer) => CsvCell>> = {
  "Display Name": zohoCustomer,
  "Customer Number": (customer) => customer.customerCode,
  "Company Name": (customer) => customer.customerName,
  EmailID: (customer) => customer.email,
  MobilePhone: (customer) => customer.mobile,
  "Currency Code": () => "INR",
  "GST Treatment": (customer) =>
    zohoTreatment({
      gstin: gstinOf(customer.customFields),
      placeOfSupply: customer.gstCategory === "overseas" ? "96" : stateIn(customer),
      isSez: customer.gstCategory === "sez",
      isComposition: customer.gstCategory === "composition",
    }),
  "GST Identification Number (GSTIN)": (customer) => gstinOf(customer.customFields),
  "Place of Contact": (customer) => zohoState(stateIn(customer)),
  "Billing Address": (customer) => customer.address,
  "Billing City": (customer) => customer.city,
  "Billing State": (customer) => customer.state,
  "Billing Country": (customer) => customer.country || "India",
  "Billing Code": (customer) => customer.zipcode,
};
