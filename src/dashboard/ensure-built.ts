// The dashboard is built when the server starts, where `npm ci` has not done it or the source has changed since.
// What belongs here: deciding and running the build in a process of its own, so that its memory is not the server's.
import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Logger } from "../platform/log.ts";
import { DASHBOARD, isDashboardFresh } from "./built-files.ts";

const BUILD = join(DASHBOARD, "../scripts/build-dashboard.ts");
const REMEDY = "Run `npm ci && npm run build` as somebody who may write to this folder, then start again.";

/** Builds the dashboard unless what is built is fresh. A build that fails is logged: the API is served without it. */
export async function ensureDashboardBuilt(logger: Logger): Promise<void> {
  if (await isDashboardFresh()) return;
  try {
    createRequire(import.meta.url).resolve("vite/package.json");
  } catch {
    logger.warn({ remedy: REMEDY }, "the dashboard is not built, and Vite, which builds it, is not installed");
    return;
  }
  logger.info("building the dashboard");
  try {
    await promisify(execFile)(process.execPath, [BUILD]);
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    logger.warn({ reason: stderr || message, remedy: REMEDY }, "the dashboard could not be built");
  }
}
