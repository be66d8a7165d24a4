// How much processor time a process has had, where the system tells.
// What belongs here: reading it.
import { readFileSync } from "node:fs";

/** Linux counts in hundredths of a second, on all of its platforms. */
const TICK_MS = 10;

/** In ms, of all its threads; `null` where it is gone, or the system has no such file. */
export function processorTimeMs(pid: number): number | null {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second entry is the program's name in brackets, which may hold anything; the 14th and 15th are the times.
    const [user, system] = line
      .slice(line.lastIndexOf(")") + 2)
      .split(" ")
      .slice(11, 13);
    return (Number(user) + Number(system)) * TICK_MS;
  } catch {
    return null;
  }
}
