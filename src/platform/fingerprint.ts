// Is a build up to date with its source?
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";

/** The file in a folder of something built that holds the fingerprint of what it was built from. */
export const FINGERPRINT_FILE = "source.sha256";

/** Lists the libraries and their versions. */
export const LOCK_FILE = "package-lock.json";

type LockFile = {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly integrity?: string }>>;
};

/** Was the folder built from the current content of these files of `root`? False if something can't be read. */
export function isFresh(built: string, root: string, paths: readonly string[]): boolean {
  try {
    return readFileSync(join(built, FINGERPRINT_FILE), "utf8") === fingerprintOf(root, paths);
  } catch {
    return false;
  }
}

/** A hash over the names and contents of files, which are paths below `root`. */
export function fingerprintOf(root: string, paths: readonly string[]): string {
  const hash = createHash("sha256");
  for (const path of paths.toSorted()) {
    const content = readFileSync(join(root, path));
    hash
      .update(`${path}\0`)
      .update(path === LOCK_FILE ? versionsIn(content.toString()) : content)
      .update("\0");
  }
  return hash.digest("hex");
}

/**
 * The library versions of a lock file. The file itself may differ: npm rewrites it when it omits some, and older
 * versions drop fields they don't know.
 */
function versionsIn(lockFile: string): string {
  const { packages } = JSON.parse(lockFile) as LockFile;
  return Object.entries(packages)
    .map(([path, { version = "", integrity = "" }]) => `${path} ${version} ${integrity}`)
    .join("\n");
}

/** The files with one of these endings in a folder below `root`, at any depth, as paths below `root`. */
export function listFiles(root: string, folder: string, endings: readonly string[]): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => endings.includes(extname(name)))
    .map((name) => join(folder, name));
}
