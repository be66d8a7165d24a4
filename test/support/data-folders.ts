// Data folders that PostgreSQL's user can enter under root too, and their removal with whatever runs there.
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { clusterAt } from "../../src/platform/database/embedded/cluster.ts";
import { findHome } from "../../src/platform/database/embedded/location.ts";
import { findPostmaster } from "../../src/platform/database/embedded/postmaster.ts";

/** A data folder that does not exist yet, inside a fresh temporary one. */
export async function makeTestDataDir(): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), "nodal-test-"));
  await chmod(parent, 0o755);
  return join(parent, "data");
}

/** The process id of the PostgreSQL that runs on a data folder; null when none does. */
export async function findTestPostgresPid(dataDir: string): Promise<number | null> {
  const home = await findHome({ dataDir, isDefaultDataDir: false });
  const postmaster = home === null ? null : await findPostmaster(clusterAt(home, undefined));
  return postmaster?.pid ?? null;
}

/** Kills the PostgreSQL of a data folder at once (kill -9), as a crash would, and waits until it is gone. */
export async function killTestPostgres(dataDir: string): Promise<void> {
  const pid = await findTestPostgresPid(dataDir);
  if (pid === null) return;
  process.kill(pid, "SIGKILL");
  while ((await findTestPostgresPid(dataDir)) === pid) await sleep(5);
}

/** Removes a folder made by `makeTestDataDir`, with the PostgreSQL that may still run there. */
export async function removeTestDataDir(dataDir: string): Promise<void> {
  // A test may have left a folder that can't even be read: removing it is all that is left to do then.
  await killTestPostgres(dataDir).catch(() => {});
  // The killed server's last processes may write for a moment more.
  await rm(join(dataDir, ".."), { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
}
