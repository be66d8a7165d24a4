// The few customers that a form offers while somebody types a name or a code.
// What belongs here: that search. Lists of customers are the customers' own pages.
import { findCustomerIds, findCustomers } from "../customers/index.ts";
import { optionalText } from "../platform/http/fields.ts";
import { dashboardRoute, type DashboardScope } from "./guarded-routes.ts";

const OFFERED = 12;

/** Adds the search of the customer picker. */
export function registerCustomerChoiceRoutes(scope: DashboardScope): void {
  dashboardRoute(scope, {
    method: "GET",
    url: "/customer-choices",
    permission: "customers.view",
    query: { search: optionalText(100) },
    handler: async ({ db, merchant, query }) => {
      const ids = await findCustomerIds(db, merchant, query.search ?? "", OFFERED);
      const found = await findCustomers(db, merchant, ids);
      return {
        customers: ids.flatMap((id) => {
          const customer = found.get(id);
          if (!customer) return [];
          const { customerCode, customerName, email, city, state } = customer;
          return [{ customer_code: customerCode, customer_name: customerName, email, city, state }];
        }),
      };
    },
  });
}
