// Processes by id: their state, and signals to them.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { hasCode } from "./errors.ts";

/** Does a process with this id exist? Includes other users' processes and zombies. */
export function processExists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return hasCode(error, "EPERM");
  }
}

/** Sends a signal to a process that may have ended already. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!hasCode(error, "ESRCH")) throw error;
  }
}

/** The words of a process's command line; empty if there is no such process, or only a zombie. */
export async function commandLineOf(pid: number): Promise<readonly string[]> {
  try {
    if (process.platform === "linux") return (await readFile(`/proc/${pid}/cmdline`, "utf8")).split("\0");
    const { stdout } = await promisify(execFile)("ps", ["-ww", "-o", "command=", "-p", String(pid)]);
    return stdout.trim().split(" ");
  } catch {
    return [];
  }
}
