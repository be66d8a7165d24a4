// The files of a period for Zoho Books: docs/zoho-books.md
import { ZOHO_FILES } from "../documents/index.ts";
import { dashboardRoute, type DashboardScope } from "./guarded-routes.ts";
import { CSV_TYPE, sendFile } from "./list-routes.ts";
import { PERIOD, reading } from "./report-routes.ts";

const permission = "invoices.view";

/** Adds them. */
export function registerZohoRoutes(scope: DashboardScope) {
  return [
    dashboardRoute(scope, {
      route: "GET /reports/zoho-customers.csv",
      summary: "Read all customers for Zoho Books",
      permission: "customers.view",
      handler: ({ merchant, reply }) => {
        const name = "zoho-customers.csv";
        const pieces = ZOHO_FILES[name](scope.parts.reports.of(merchant), merchant);
        return sendFile(reply, { name, type: CSV_TYPE, pieces });
      },
    }),
    dashboardRoute(scope, {
      route: "GET /reports/zoho-invoices.csv",
      summary: "Read the invoices of a period for Zoho Books",
      permission,
      query: PERIOD,
      handler: (call) => {
        const name = "zoho-invoices.csv";
        return sendFile(call.reply, { name, type: CSV_TYPE, pieces: ZOHO_FILES[name](...reading(scope, call)) });
      },
    }),
    dashboardRoute(scope, {
      route: "GET /reports/zoho-credit-notes.csv",
      summary: "Read the credit notes of a period for Zoho Books",
      permission,
      query: PERIOD,
      handler: (call) => {
        const name = "zoho-credit-notes.csv";
        return sendFile(call.reply, { name, type: CSV_TYPE, pieces: ZOHO_FILES[name](...reading(scope, call)) });
      },
    }),
    dashboardRoute(scope, {
      route: "GET /reports/zoho-payments.csv",
      summary: "Read the payments of a period for Zoho Books",
      permission,
      query: PERIOD,
      handler: (call) => {
        const name = "zoho-payments.csv";
        return sendFile(call.reply, { name, type: CSV_TYPE, pieces: ZOHO_FILES[name](...reading(scope, call)) });
      },
    }),
  ];
}
