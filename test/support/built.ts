// Builds the dashboard and the program once before the tests, so that not every server they start has to.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { isDashboardFresh } from "../../src/api/built-files.ts";
import { ensureDashboardBuilt } from "../../src/api/index.ts";
import { createLogger } from "../../src/platform/log.ts";
import { isProgramBuilt } from "../../src/program.ts";
import { REPOSITORY } from "./files.ts";

/** Called by vitest before any test file. If a build fails, a server uses the previous build or the source; tests don't. */
export async function setup(): Promise<void> {
  await ensureDashboardBuilt(createLogger("warn"));
  if (!isDashboardFresh()) throw new Error("the dashboard could not be built from its source");
  if (isProgramBuilt()) return;
  await promisify(execFile)(process.execPath, ["scripts/build-program.ts"], { cwd: REPOSITORY });
  if (!isProgramBuilt()) throw new Error("the program could not be built from its source");
}
