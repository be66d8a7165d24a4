// Builds the dashboard into web/dist: `npm run build`, which `npm ci` runs, and the server's start where it is missing.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type * as Vite from "vite";
import { brotliCompress, constants, gzip } from "node:zlib";
import { BUILT, DASHBOARD, fingerprintOfSource, isDashboardFresh } from "../src/api/built-files.ts";
import { FINGERPRINT_FILE } from "../src/platform/fingerprint.ts";
import { replaceFolder } from "./replace-folder.ts";

/** Nearly as small as the best, in a tenth of the time. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

// A caller may be running as something else (tests do), for which React would be built with its checks for developers.
process.env["NODE_ENV"] = "production";

if (process.argv.includes("--if-needed") && isDashboardFresh()) process.exit(0);
const vite = await import("vite").catch(() => null);
if (vite) await buildDashboard(vite);
else
  console.log("The dashboard is not built: Vite is left out with the development packages. The API works without it.");

async function buildDashboard({ build }: typeof Vite): Promise<void> {
  const fingerprint = fingerprintOfSource();
  await replaceFolder(BUILT, async (folder) => {
    const configFile = join(DASHBOARD, "vite.config.ts");
    await build({ root: DASHBOARD, configFile, logLevel: "warn", build: { outDir: folder, emptyOutDir: true } });
    await compressAssets(join(folder, "assets"));
    await writeFile(join(folder, FINGERPRINT_FILE), fingerprint);
  });
}

async function compressAssets(folder: string): Promise<void> {
  // Typefaces are compressed as they are.
  const names = (await readdir(folder)).filter((name) => !name.endsWith(".woff2"));
  await Promise.all(
    names.map(async (name) => {
      const content = await readFile(join(folder, name));
      await writeFile(join(folder, `${name}.br`), await promisify(brotliCompress)(content, BROTLI));
      await writeFile(join(folder, `${name}.gz`), await promisify(gzip)(content));
    }),
  );
}
