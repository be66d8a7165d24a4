// The server's address in a file of its data folder, for commands that print links without a PUBLIC_URL. The caller
// decides whether to use it.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const NAME = "server-address";

/** Writes the address of a data folder's server, as the beginning of a URL. */
export function noteServerAddress(dataDir: string, address: string): void {
  writeFileSync(join(dataDir, NAME), `${address}\n`);
}

/** Removes the file. */
export function forgetServerAddress(dataDir: string): void {
  rmSync(join(dataDir, NAME), { force: true });
}

/** The address of a data folder's server, which may be stale if the server was killed; `null` if there is none. */
export function readServerAddress(dataDir: string): string | null {
  try {
    return readFileSync(join(dataDir, NAME), "utf8").trim() || null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
