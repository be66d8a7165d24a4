// Builds the dashboard into web/dist: `npm run build`, which `npm ci` runs, and the server's start where it is
// missing.
// What belongs here: running Vite, compressing what it wrote, and putting it in place in one step.
import { chmod, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type * as Vite from "vite";
import { brotliCompress, constants, gzip } from "node:zlib";
import {
  BUILT,
  DASHBOARD,
  FINGERPRINT_FILE,
  fingerprintOfSource,
  isDashboardFresh,
} from "../src/dashboard-api/built-files.ts";

/** Nearly as small as the best, in a tenth of the time. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

// A caller may be running as something else (tests do), for which React would be built with its checks for developers.
process.env["NODE_ENV"] = "production";

if (process.argv.includes("--if-needed") && (await isDashboardFresh())) process.exit(0);
const vite = await import("vite").catch(() => null);
if (vite) await buildDashboard(vite);
else
  console.log("The dashboard is not built: Vite is left out with the development packages. The API works without it.");

/** Several builds may run at once: each works in a folder of its own, and the last one in place wins. */
async function buildDashboard({ build }: typeof Vite): Promise<void> {
  const fingerprint = await fingerprintOfSource();
  const folder = await mkdtemp(`${BUILT}-`);
  // Who runs the server may be another user than who built.
  await chmod(folder, 0o755);
  try {
    const configFile = join(DASHBOARD, "vite.config.ts");
    await build({ root: DASHBOARD, configFile, logLevel: "warn", build: { outDir: folder, emptyOutDir: true } });
    await compressAssets(join(folder, "assets"));
    await writeFile(join(folder, FINGERPRINT_FILE), fingerprint);
    await putInPlace(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function compressAssets(folder: string): Promise<void> {
  const names = await readdir(folder);
  await Promise.all(
    names.map(async (name) => {
      const content = await readFile(join(folder, name));
      await writeFile(join(folder, `${name}.br`), await promisify(brotliCompress)(content, BROTLI));
      await writeFile(join(folder, `${name}.gz`), await promisify(gzip)(content));
    }),
  );
}

/** A folder can't be replaced by another in one step where it isn't empty: the earlier one is moved aside first. */
async function putInPlace(folder: string): Promise<void> {
  const earlier = `${folder}-earlier`;
  await rename(BUILT, earlier).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  await rename(folder, BUILT).catch((error: NodeJS.ErrnoException) => {
    // Another build was faster; what it put there is of the same source.
    if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
  });
  await rm(earlier, { recursive: true, force: true });
}
