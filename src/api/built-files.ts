// The built files of the dashboard, in memory: they are few, small, and the same for everybody.
// scripts/build-dashboard.ts builds them.
import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { fingerprintOf, isFresh, listFiles, LOCK_FILE } from "../platform/fingerprint.ts";
import type { Logger } from "../platform/log.ts";

/** The folder of the dashboard's source. */
export const DASHBOARD = fileURLToPath(new URL("../../web", import.meta.url));
/** The output folder of the build. */
export const BUILT = join(DASHBOARD, "dist");

const ROOT = join(DASHBOARD, "..");
/** Endings of the files that the build reads in the dashboard's folder. */
const READ = [".ts", ".tsx", ".css", ".html", ".json", ".svg"];
/** Other files that the build reads. */
export const SHARED = [
  LOCK_FILE,
  "src/api/sections.ts",
  "src/customers/customer-members.ts",
  "src/franchises/contact-members.ts",
  "src/invoices/lines/line-amount.ts",
  "src/invoices/lines/line.ts",
  "src/invoices/receipts/share-in-order.ts",
  "src/items/item-members.ts",
  "src/merchants/profile-members.ts",
  "src/payouts/beneficiaries/beneficiary-members.ts",
  "src/platform/amount-words.ts",
  "src/platform/as-typed.ts",
  "src/platform/discount.ts",
  "src/platform/file-size.ts",
  "src/platform/gst.ts",
  "src/platform/indian-format.ts",
  "src/platform/member.ts",
  "src/platform/money.ts",
  "src/platform/units.ts",
];
const TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

export type BuiltFile = {
  readonly type: string;
  readonly plain: Buffer;
  /** Compressed at build time, by the encoding's name in Accept-Encoding. */
  readonly encoded: ReadonlyMap<string, Buffer>;
};

export type BuiltDashboard = {
  /** The page for every address of the dashboard. */
  readonly page: string;
  /** The page of the API's reference. */
  readonly reference: string;
  /** By file name. Each name contains the hash of its content. */
  readonly assets: ReadonlyMap<string, BuiltFile>;
};

/** Reads the built files; `null` if there are none. */
export async function readBuiltDashboard(): Promise<BuiltDashboard | null> {
  const page = await readFile(join(BUILT, "index.html"), "utf8").catch(orNull);
  if (page === null) return null;
  const reference = await readFile(join(BUILT, "docs.html"), "utf8");
  const names = await readdir(join(BUILT, "assets"));
  const read = async (name: string): Promise<Buffer> => readFile(join(BUILT, "assets", name));
  const assets = names
    .filter((name) => extname(name) in TYPES)
    .map(async (name): Promise<[string, BuiltFile]> => {
      const encoded = [];
      if (names.includes(`${name}.br`)) encoded.push(["br", await read(`${name}.br`)] as const);
      if (names.includes(`${name}.gz`)) encoded.push(["gzip", await read(`${name}.gz`)] as const);
      return [name, { type: TYPES[extname(name)]!, plain: await read(name), encoded: new Map(encoded) }];
    });
  return { page, reference, assets: new Map(await Promise.all(assets)) };
}

/** Is the build up to date with its source? */
export function isDashboardFresh(): boolean {
  return isFresh(BUILT, ROOT, listSource());
}

/** A hash over every file that the build reads. */
export function fingerprintOfSource(): string {
  return fingerprintOf(ROOT, listSource());
}

/** Every file that the build may read. */
function listSource(): string[] {
  const own = listFiles(ROOT, "web", READ).filter((path) => !/\/(dist[^/]*|node_modules)\//.test(path));
  return [...own, ...SHARED];
}

function orNull(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT") return null;
  throw error;
}

const BUILD = join(DASHBOARD, "../scripts/build-dashboard.ts");
const REMEDY = "Run `npm ci && npm run build` as a user who can write to this folder, then start again.";

/** Builds the dashboard unless it is up to date. A failing build is logged, and the API is served without the dashboard. */
export async function ensureDashboardBuilt(logger: Logger): Promise<void> {
  if (isDashboardFresh()) return;
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
