// Routes for things that both merchants and the installation have, such as webhooks: written once, added for both.
import type { ApiCaller } from "../merchants/index.ts";
import type { Pool } from "../platform/database/pool.ts";
import type { Field } from "../platform/http/fields.ts";
import type { Json } from "../platform/json.ts";
import { INSTALLATION_OWNER, type EventOwner } from "../webhooks/index.ts";
import type { Method } from "./addresses.ts";
import type { Once } from "./once.ts";
import { dashboardRoute, operatorRoute, type DashboardScope, type Route } from "./guarded-routes.ts";

type Fields = { readonly [name: string]: Field<unknown> };

/** A call of such a route. `merchant` is the owner: a merchant, or the installation. */
export type OwnerCall = { readonly caller: ApiCaller; readonly merchant: EventOwner; readonly db: Pool };

/** The prefix of the installation's routes. */
const INSTALLATION = "/installation" as const;

/** Adds a route about a merchant, and the same about the installation, for operators who manage its webhooks. */
export function ownerRoutes<
  const M extends Method,
  const U extends string,
  A extends Json,
  P extends Fields = Record<never, never>,
  Q extends Fields = Record<never, never>,
  B extends Fields = Record<never, never>,
>(
  scope: DashboardScope,
  route: Route<OwnerCall, P, Q, B, M, U, A> & { readonly summary: string; readonly once?: Once },
) {
  const [method, url] = route.route.split(" ") as [M, U];
  return [
    dashboardRoute(scope, { ...route, permission: "webhooks.manage" }),
    operatorRoute(scope, {
      ...route,
      summary: `${route.summary} (of the installation)`,
      route: `${method} ${INSTALLATION}${url}`,
      permission: "installation.webhooks",
      handler: (call) => {
        return route.handler({ ...call, merchant: INSTALLATION_OWNER });
      },
    }),
  ] as const;
}
