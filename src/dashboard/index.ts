// What the rest of the server may use of the dashboard.
// What belongs here: exports only.
export { readBuiltDashboard } from "./built-files.ts";
export { ensureDashboardBuilt } from "./ensure-built.ts";
export { registerDashboardPages } from "./static-routes.ts";
