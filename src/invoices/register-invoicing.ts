// The routes of invoicing, put together: those that merchants call, and those that their customers open.
import type { HttpServer } from "../platform/http/server.ts";
import { registerCustomerReadRoutes } from "./customer-read-routes.ts";
import { registerInvoiceRoutes, type InvoiceRoutesOptions } from "./invoice-routes.ts";
import { registerSettlementRoutes } from "./settlement-routes.ts";

/** Adds the routes that merchants call to a part of the server made by `registerBodyKeyRoutes`. */
export function registerInvoicing(scope: HttpServer, options: InvoiceRoutesOptions): void {
  registerCustomerReadRoutes(scope, options);
  registerInvoiceRoutes(scope, options);
  registerSettlementRoutes(scope, options);
}
