// The dashboard is built once before the tests, so that not every server that they start does it by itself.
// What belongs here: that one step of vitest's global setup.
import { ensureDashboardBuilt } from "../../src/dashboard/index.ts";
import { createLogger } from "../../src/platform/log.ts";

/** Called by vitest before any file of tests. */
export function setup(): Promise<void> {
  return ensureDashboardBuilt(createLogger("warn"));
}
