// Processes by their number: what the system knows about them, and signals.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { hasCode } from "./errors.ts";

/** Whether the number belongs to a process, be it another user's or one that ended and was not reaped yet. */
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

/** The words of a process's command line; empty when there is no such process, or only its unreaped remains. */
export async function commandLineOf(pid: number): Promise<readonly string[]> {
  try {
    if (process.platform === "linux") return (await readFile(`/proc/${pid}/cmdline`, "utf8")).split("\0");
    const { stdout } = await promisify(execFile)("ps", ["-ww", "-o", "command=", "-p", String(pid)]);
    return stdout.trim().split(" ");
  } catch {
    return [];
  }
}
