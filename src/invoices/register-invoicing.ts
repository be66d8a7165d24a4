// The routes of invoicing, put together: those that merchants call, and those that their customers open.
import type { IdSource } from "../platform/database/ids.ts";
import type { TenantDatabase } from "../platform/database/tenant.ts";
import type { HttpServer } from "../platform/http/server.ts";
import { registerCustomerReadRoutes } from "./customer-read-routes.ts";
import { registerInvoiceRoutes } from "./invoice-routes.ts";
import type { Links } from "./invoice-wire.ts";
import { registerSettlementRoutes } from "./settlement-routes.ts";

/** Adds the routes that merchants call to a part of the server made by `registerBodyKeyRoutes`. */
export function registerInvoicing(
  scope: HttpServer,
  options: { readonly tenants: TenantDatabase; readonly ids: IdSource; readonly links: Links },
): void {
  registerCustomerReadRoutes(scope, options);
  registerInvoiceRoutes(scope, options);
  registerSettlementRoutes(scope, options);
}
