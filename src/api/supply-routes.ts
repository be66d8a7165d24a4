// The kind of GST to charge, for forms of invoices, subscriptions and customers.
import { readSupply } from "../invoices/index.ts";
import { digitsOrNumber, optional, optionalText } from "../platform/http/fields.ts";
import { dashboardRoute, type DashboardScope } from "./guarded-routes.ts";

/** Adds the kind of GST for a customer, or for a GSTIN and a state. */
export function registerSupplyRoute<const Of extends "invoices" | "subscriptions" | "customers">(
  scope: DashboardScope,
  of: Of,
) {
  return dashboardRoute(scope, {
    route: `GET /${of}/supply`,
    summary: "Work out the kind of GST",
    permission: `${of}.manage`,
    query: {
      template_id: optional(digitsOrNumber(16)),
      customer_code: optionalText(45),
      gstin: optionalText(15),
      state: optionalText(100),
    },
    handler: async ({ db, merchant, query }) => {
      const templateId = query.template_id === null ? null : BigInt(query.template_id);
      const found = await readSupply(
        { pool: db, merchant },
        { templateId, customerCode: query.customer_code, gstin: query.gstin ?? "", state: query.state ?? "" },
      );
      return {
        gstin: found.gstin,
        gstin_state: found.gstinState,
        address_state: found.addressState,
        taxes: found.taxes && [...found.taxes],
      };
    },
  });
}
