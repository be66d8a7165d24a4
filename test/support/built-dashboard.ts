// The dashboard is built once before the tests, so that not every server that they start does it by itself.
import { ensureDashboardBuilt } from "../../src/dashboard-api/index.ts";
import { isDashboardFresh } from "../../src/dashboard-api/built-files.ts";
import { createLogger } from "../../src/platform/log.ts";

/** Called by vitest before any file of tests. A server goes on with the build before; tests do not. */
export async function setup(): Promise<void> {
  await ensureDashboardBuilt(createLogger("warn"));
  if (!(await isDashboardFresh())) throw new Error("the dashboard could not be built from its source");
}
