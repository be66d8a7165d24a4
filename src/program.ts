// The program in one piece: dist/, which `npm ci` makes of src/ and the libraries that it uses, so that a command and a
// start of the server read a few files instead of two thousand. It is made by scripts/build-program.ts.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isFresh, listFiles, LOCK_FILE } from "./platform/fingerprint.ts";

/** The folder that this release is in. */
export const ROOT = join(import.meta.dirname, "..");
/** Where the build puts the program, below `ROOT`. */
export const BUILT_PROGRAM = "dist";

/** What processes begin with, by the names that files of `dist/` have: modules of src/. */
export const ENTRIES = { nodal: "src/cli/nodal.ts", start: "src/cli/start.ts" } as const;
type Entry = keyof typeof ENTRIES;

/** Where it says `source`, the source is run, whatever is built: for whoever wants its lines in stacks, or other modules in it. */
const CHOICE = "NODAL_PROGRAM";

/** The build writes `true` in the place of this name. */
declare const NODAL_BUILT: true | undefined;

/** Whether this module is part of the built program. */
export const isInOnePiece = typeof NODAL_BUILT !== "undefined";

/** Whether a built program exists, is up to date with its source, and is wanted. */
export function isProgramBuilt(root = ROOT): boolean {
  return process.env[CHOICE] !== "source" && isFresh(join(root, BUILT_PROGRAM), root, listSource(root));
}

/** The module to begin with: that of the built program, or else of the source, which Node runs as well. */
export async function loadProgram(entry: Entry): Promise<unknown> {
  const source = urlOf(ROOT, ENTRIES[entry]);
  if (!isProgramBuilt()) return import(source);
  return import(urlOf(ROOT, `${BUILT_PROGRAM}/${entry}.js`)).catch((error: NodeJS.ErrnoException) => {
    // It is being built anew at this moment.
    if (error.code === "ERR_MODULE_NOT_FOUND") return import(source);
    throw error;
  });
}

function urlOf(root: string, path: string): string {
  return pathToFileURL(join(root, path)).href;
}

/** The files that the program is built from, as paths below `root`, and what says how. */
export function listSource(root = ROOT): string[] {
  const own = listFiles(root, "src", [".ts", ".json"]).filter((path) => !path.endsWith(".test.ts"));
  return [...own, LOCK_FILE, "scripts/build-program.ts"];
}
