// The address of the server that has a data folder, as a file in it, for commands that print links and know no PUBLIC_URL.
// What belongs here: the file. Which address counts is for who asks.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const NAME = "server-address";

/** Notes where the server of a data folder listens, as the beginning of a URL. Returns what takes the note away again. */
export function noteServerAddress(dataDir: string, address: string): () => void {
  const file = join(dataDir, NAME);
  writeFileSync(file, `${address}\n`);
  return () => rmSync(file, { force: true });
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
