// PostgreSQL's main process: find the one of a cluster, start it, stop it. session.ts decides when to stop it.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chown, copyFile, open, readFile, rename, rm, stat, truncate, readdir, readlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { asAccount } from "./account.ts";
import type { Binaries } from "./binaries.ts";
import { type Cluster, PROGRAM_ENVIRONMENT } from "./cluster.ts";
import { HOST } from "./connection.ts";
import { hasCode } from "./errors.ts";
import { commandLineOf, processExists, signal } from "./processes.ts";

export const POLL_INTERVAL_MS = 20;
const STOP_TIMEOUT_MS = 60_000;
const LOG_LIMIT_BYTES = 10 * 1024 * 1024;

export type Postmaster = {
  readonly pid: number;
  /** Null until it is known. */
  readonly port: number | null;
  readonly status: "starting" | "ready" | "stopping";
};

/** A PostgreSQL that this process started. */
export type StartedPostmaster = { readonly hasEnded: () => boolean };

/** Is this the main process of this cluster, and not a different process that got its id later? */
async function runsCluster(pid: number, cluster: Cluster): Promise<boolean> {
  const words = await commandLineOf(pid);
  return basename(words[0] ?? "") === "postgres" && ` ${words.join(" ")} `.includes(` -D ${cluster.folder} `);
}

function pidFileOf(cluster: Cluster): string {
  return join(cluster.folder, "postmaster.pid");
}

async function readPidFile(cluster: Cluster): Promise<readonly string[] | null> {
  try {
    return (await readFile(pidFileOf(cluster), "utf8")).split("\n");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
}

/** The PostgreSQL that runs this cluster now; null when none does. */
export async function findPostmaster(cluster: Cluster): Promise<Postmaster | null> {
  const lines = await readPidFile(cluster);
  const pid = Number(lines?.[0]);
  if (!lines || !Number.isInteger(pid) || pid < 2 || !(await runsCluster(pid, cluster))) return null;
  // The lines: pid, folder, start time, port, socket folder, address, shared memory, status.
  const port = Number(lines[3]) || null;
  const status = lines[7]?.trim();
  return { pid, port, status: status === "ready" || status === "stopping" ? status : "starting" };
}

/**
 * Removes remains of a killed PostgreSQL that would prevent the next start: processes that are still busy, and a pid
 * file whose id now belongs to a different process, which PostgreSQL would mistake for its own. A pid file without a
 * process is left to PostgreSQL, which checks more than we can.
 */
async function clearRemains(cluster: Cluster): Promise<void> {
  const lines = await readPidFile(cluster);
  const pid = Number(lines?.[0]);
  if (!lines || !Number.isInteger(pid) || (await runsCluster(pid, cluster))) return;
  await endOrphans(cluster);
  if (!processExists(pid)) return;
  // Renamed before it is deleted: if a new PostgreSQL has written its own file in the meantime, that one is put back.
  const aside = `${pidFileOf(cluster)}-${randomBytes(4).toString("hex")}`;
  await rename(pidFileOf(cluster), aside).catch((error: unknown) => {
    if (!hasCode(error, "ENOENT")) throw error;
  });
  const moved = await readFile(aside, "utf8").catch(() => null);
  if (moved !== null && moved.split("\n")[0] !== lines[0]) await rename(aside, pidFileOf(cluster));
  else await rm(aside, { force: true });
}

/** Keeps the log within twice its limit by moving the excess to `postgresql.log.1`. PostgreSQL may be writing to it. */
export async function limitLog(cluster: Cluster): Promise<void> {
  const size = await stat(cluster.logFile).then(
    (entry) => entry.size,
    () => 0,
  );
  if (size < LOG_LIMIT_BYTES) return;
  await copyFile(cluster.logFile, `${cluster.logFile}.1`);
  await truncate(cluster.logFile, 0);
}

/** The end of PostgreSQL's log, for the message of a failed start. */
export async function readLogEnd(cluster: Cluster): Promise<string> {
  const log = await readFile(cluster.logFile, "utf8").catch(() => "");
  return log.trim().split("\n").slice(-3).join(" ");
}

/** Starts PostgreSQL and returns at once. It continues to run when this process ends. */
export async function startPostmaster(cluster: Cluster, binaries: Binaries, port: number): Promise<StartedPostmaster> {
  await clearRemains(cluster);
  await limitLog(cluster);
  const log = await open(cluster.logFile, "a", 0o600);
  try {
    if (cluster.account) await chown(cluster.logFile, cluster.account.uid, cluster.account.gid);
    const settings = [`listen_addresses=${HOST}`, "unix_socket_directories=", "logging_collector=off"];
    const args = ["-D", cluster.folder, "-p", String(port), ...settings.flatMap((setting) => ["-c", setting])];
    const child = spawn(binaries.postgres, args, {
      ...asAccount(cluster.account),
      cwd: cluster.home,
      env: PROGRAM_ENVIRONMENT,
      // In a new session: a signal to our process group (Ctrl-C) must not stop PostgreSQL before we have drained.
      detached: true,
      stdio: ["ignore", log.fd, log.fd],
    });
    let ended = false;
    child.once("exit", () => (ended = true));
    child.once("error", () => (ended = true));
    child.unref();
    return { hasEnded: () => ended };
  } finally {
    await log.close();
  }
}

/** Stops PostgreSQL (fast: open transactions are rolled back) and waits for its end. Returns whether it has ended. */
export async function stopPostmaster(cluster: Cluster): Promise<boolean> {
  const postmaster = await findPostmaster(cluster);
  if (!postmaster) return true;
  signal(postmaster.pid, "SIGINT");
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  while (await runsCluster(postmaster.pid, cluster)) {
    if (Date.now() > deadline) return false;
    await sleep(POLL_INTERVAL_MS);
  }
  return true;
}

/** The parent of a process, from its /proc entry: `pid (name) state parent …`, where the name may contain anything. */
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

/** Ends orphaned processes of a killed PostgreSQL on this cluster, but never those of a running one. */
async function endOrphans(cluster: Cluster): Promise<void> {
  if (process.platform !== "linux") return;
  const pids = (await readdir("/proc")).filter((name) => /^[0-9]+$/.test(name)).map(Number);
  for (const pid of pids) {
    // A process may end during the check. One that we may not inspect is left to end by itself.
    const orphan = await isOrphan(pid, cluster).catch(() => false);
    if (orphan) signal(pid, "SIGQUIT");
  }
}
