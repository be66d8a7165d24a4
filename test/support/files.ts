// Files for the tests that read the source: listing a folder's, and creating a small tree of them.
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the repository. */
export const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");

/** The files below a folder whose path ends in `ending`, as absolute paths. Throws if the folder doesn't exist. */
export function listFiles(folder: string, ending: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(ending))
    .map((path) => join(folder, path))
    .toSorted();
}

/** Writes a tree of files (path to text) into a new temporary folder, and returns that folder. */
export function plantFiles(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "nodal-planted-"));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}
