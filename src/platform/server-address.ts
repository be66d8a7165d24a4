// The address of the server that has a data folder, as a file in it, for commands that print links and know no
// PUBLIC_URL. Which address counts is for who asks.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const NAME = "server-address";

/** Notes where the server of a data folder listens, as the beginning of a URL. */
export function noteServerAddress(dataDir: string, address: string): void {
  writeFileSync(join(dataDir, NAME), `${address}\n`);
}

/** Takes the note away. */
export function forgetServerAddress(dataDir: string): void {
  rmSync(join(dataDir, NAME), { force: true });
}

/** Where the server of a data folder listens, or did when it was killed; `null` where none does. */
export function readServerAddress(dataDir: string): string | null {
  try {
    return readFileSync(join(dataDir, NAME), "utf8").trim() || null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
