// What forms look up that is the same for everybody: which bank an IFSC is of, while it is typed, and the states of India.
import { describeIfsc } from "../payouts/index.ts";
import { ifsc } from "../platform/http/fields.ts";
import { STATES } from "../platform/indian-states.ts";
import { sessionRoute, type DashboardScope } from "./guarded-routes.ts";

/** Adds them, for everybody who is signed in. */
export function registerLookUpRoutes(scope: DashboardScope) {
  return [
    sessionRoute(scope, {
      route: "GET /ifsc/:ifsc",
      params: { ifsc: ifsc() },
      handler: ({ params }) => {
        const { bank, isListed } = describeIfsc(params.ifsc);
        return { bank: bank ?? "", is_listed: isListed };
      },
    }),
    sessionRoute(scope, { route: "GET /states", handler: () => ({ states: STATES }) }),
  ];
}
