// The route that says which bank an IFSC is of, while it is typed.
import { describeIfsc } from "../payouts/index.ts";
import { ifsc } from "../platform/http/fields.ts";
import { sessionRoute, type DashboardScope } from "./guarded-routes.ts";

/** Adds it, for everybody who is signed in. */
export function registerIfscRoutes(scope: DashboardScope) {
  return [
    sessionRoute(scope, {
      route: "GET /ifsc/:ifsc",
      params: { ifsc: ifsc() },
      handler: ({ params }) => {
        const { bank, isListed } = describeIfsc(params.ifsc);
        return { bank: bank ?? "", is_listed: isListed };
      },
    }),
  ];
}
