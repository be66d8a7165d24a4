// What a killed PostgreSQL leaves running: processes busy with a statement, which keep a new one from starting.
// What belongs here: finding and ending those. It relies on Linux's /proc; elsewhere they end when their statement does.
import { readFile, readdir, readlink } from "node:fs/promises";
import type { Cluster } from "./cluster.ts";
import { commandLineOf, signal } from "./processes.ts";

/** The parent of a process, from its /proc entry: `pid (name) state parent …`, where the name may hold anything. */
async function parentOf(pid: number): Promise<number> {
  const entry = await readFile(`/proc/${pid}/stat`, "utf8");
  return Number(entry.slice(entry.lastIndexOf(")") + 2).split(" ")[1]);
}

/** A process of this cluster (they all work in its folder) whose main process is gone. */
async function isOrphan(pid: number, cluster: Cluster): Promise<boolean> {
  if (!(await commandLineOf(pid))[0]?.startsWith("postgres: ")) return false;
  if ((await readlink(`/proc/${pid}/cwd`)) !== cluster.folder) return false;
  return !(await commandLineOf(await parentOf(pid)))[0]?.endsWith("postgres");
}

/** Ends the processes that a killed PostgreSQL left on this cluster; those of one that runs are never touched. */
export async function endOrphans(cluster: Cluster): Promise<void> {
  if (process.platform !== "linux") return;
  const pids = (await readdir("/proc")).filter((name) => /^[0-9]+$/.test(name)).map(Number);
  for (const pid of pids) {
    // A process may end while it is looked at, and one that may not be looked at is left to end by itself.
    const orphan = await isOrphan(pid, cluster).catch(() => false);
    if (orphan) signal(pid, "SIGQUIT");
  }
}
