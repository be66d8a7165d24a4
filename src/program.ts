// The bundled program: dist/, which `npm ci` builds from src/ and the libraries that it uses, so that a command and a start of the
// server read a few files instead of two thousand. scripts/build-program.ts builds it.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isFresh, listFiles, LOCK_FILE } from "./platform/fingerprint.ts";

/** The folder of this release. */
export const ROOT = join(import.meta.dirname, "..");
/** Where the build puts the program, below `ROOT`. */
export const BUILT_PROGRAM = "dist";

/** The entry points of processes, by the names of their files in `dist/`: modules of src/. */
export const ENTRIES = { nodal: "src/cli/nodal.ts", start: "src/cli/start.ts" } as const;
type Entry = keyof typeof ENTRIES;

/**
 * If it is `source`, the source is run even if there is a build: for debugging with its lines in stacks, or other modules in it.
 */
const CHOICE = "NODAL_PROGRAM";

/** The build replaces this name by `true`. */
declare const NODAL_BUILT: true | undefined;

/** Whether this module is part of the built program. */
export const isInOnePiece = typeof NODAL_BUILT !== "undefined";

/** Whether a built program exists, is up to date with its source, and is wanted. */
export function isProgramBuilt(root = ROOT): boolean {
  return process.env[CHOICE] !== "source" && isFresh(join(root, BUILT_PROGRAM), root, listSource(root));
}

/** The module to run: that of the built program, or else of the source, which Node runs as well. */
export async function loadProgram(entry: Entry): Promise<unknown> {
  const source = urlOf(ROOT, ENTRIES[entry]);
  if (!isProgramBuilt()) return import(source);
  return import(urlOf(ROOT, `${BUILT_PROGRAM}/${entry}.js`)).catch((error: NodeJS.ErrnoException) => {
    // It is being rebuilt right now.
    if (error.code === "ERR_MODULE_NOT_FOUND") return import(source);
    throw error;
  });
}

function urlOf(root: string, path: string): string {
  return pathToFileURL(join(root, path)).href;
}

/** The files that the program is built from, as paths below `root`, including the build's own. */
export function listSource(root = ROOT): string[] {
  const own = listFiles(root, "src", [".ts", ".json"]).filter((path) => !path.endsWith(".test.ts"));
  return [...own, LOCK_FILE, "scripts/build-program.ts"];
}
