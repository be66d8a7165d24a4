// Telling whether something that was built is of the source as it is now.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";

/** The file in a folder of something built that holds the fingerprint of what it was built from. */
export const FINGERPRINT_FILE = "source.sha256";

/** Whether the folder holds what was built from these files of `root`, as they are. Throws where one can't be read. */
export function isFresh(built: string, root: string, paths: readonly string[]): boolean {
  try {
    return readFileSync(join(built, FINGERPRINT_FILE), "utf8") === fingerprintOf(root, paths);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

/** A hash over the names and contents of files, which are paths below `root`. */
export function fingerprintOf(root: string, paths: readonly string[]): string {
  const hash = createHash("sha256");
  for (const path of paths.toSorted()) {
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update("\0");
  }
  return hash.digest("hex");
}

/** The files with one of these endings in a folder below `root`, at any depth, as paths below `root`. */
export function listFiles(root: string, folder: string, endings: readonly string[]): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => endings.includes(extname(name)))
    .map((name) => join(folder, name));
}
