// The program in one piece: dist/, which `npm ci` makes of src/ and the libraries that it uses, so that a command and a start
// of the server read a few files instead of two thousand.
// What belongs here: finding it. It is made by scripts/build-program.ts.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isFresh, listFiles } from "./platform/fingerprint.ts";

/** The folder that this release is in. */
export const ROOT = join(import.meta.dirname, "..");
/** Where the build puts the program, below `ROOT`. */
export const BUILT_PROGRAM = "dist";

/** What processes begin with, by the names that files of `dist/` have: modules of src/. */
export const ENTRIES = { nodal: "src/cli/nodal.ts", start: "src/cli/start.ts" } as const;

/**
 * The URL of the module to begin with: that of the built program where it was built from the source as it is now, or else the
 * source itself, which Node runs as well.
 */
export function findProgram(entry: keyof typeof ENTRIES, root = ROOT): string {
  const isBuilt = isFresh(join(root, BUILT_PROGRAM), root, listSource(root));
  return pathToFileURL(join(root, isBuilt ? `${BUILT_PROGRAM}/${entry}.js` : ENTRIES[entry])).href;
}

/** The files that the program is built from, as paths below `root`, and what says how. */
export function listSource(root = ROOT): string[] {
  const own = listFiles(root, "src", [".ts"]).filter((path) => !path.endsWith(".test.ts"));
  return [...own, "package-lock.json", "scripts/build-program.ts"];
}
