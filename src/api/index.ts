// The dashboard's exports for the rest of the server.
export { readBuiltDashboard } from "./built-files.ts";
export { registerDashboardRoutes, type DashboardContract, type DashboardOptions } from "./routes.ts";
export type { AddedRoute, RouteAccess } from "./guarded-routes.ts";
export { ensureDashboardBuilt } from "./built-files.ts";
export { LoginMailer } from "./login-mailer.ts";
export { RequestRate } from "./callers.ts";
export { registerDashboardPages } from "./static-routes.ts";
