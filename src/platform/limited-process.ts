// Processes for strangers' files, so that no file can crash the server.
import { fork, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { setPriority } from "node:os";

export type LimitedProcess = {
  /** The module that the process runs. */
  readonly script: string;
  readonly args?: readonly string[];
  /** Memory limit, beyond which it crashes. */
  readonly memoryMiB: number;
  /** `ignore` if a file can make it print, such as V8 out of memory. */
  readonly stderr: "inherit" | "ignore";
  /** Run with a lower priority? For work that no page waits for. */
  readonly yields?: boolean;
};

/** A third of an ordinary process's share of a contended processor. */
const NICE = 5;

/** Starts a process with limited memory and without the server's settings. Messages are cloned, as to a thread. */
export function forkLimited({ script, args = [], memoryMiB, stderr, yields = false }: LimitedProcess): ChildProcess {
  // The shell sets the limit and becomes Node. On systems without such a limit, only the time limit applies.
  const limited = `ulimit -c 0; ulimit -d ${memoryMiB * 1024} 2>/dev/null; exec "$0" "$@"`;
  const child = fork(script, args, {
    execPath: "/bin/sh",
    execArgv: ["-c", limited, process.execPath, "--disable-warning=ExperimentalWarning"],
    env: {},
    serialization: "advanced",
    stdio: ["ignore", "ignore", stderr, "ipc"],
  });
  if (yields) yieldProcessor(child);
  return child;
}

function yieldProcessor({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, NICE);
  } catch {
    // It has ended already, or the system has no priorities.
  }
}

const BUSY_MACHINE_FACTOR = 6;
const LEAST_LOOK_MS = 50;

/**
 * Calls `onOver` once a process has used `ms` of processor time from now on, or after six times as long on a busy
 * machine. Returns a function that ends the watch.
 */
export function limitProcessorTime({ pid = 0 }: ChildProcess, ms: number, onOver: () => void): () => void {
  const [startedAtMs, usedBeforeMs] = [performance.now(), processorTimeMs(pid)];
  let timer: NodeJS.Timeout;
  const look = (): void => {
    const usedMs = processorTimeMs(pid);
    const leftMs = usedMs === null || usedBeforeMs === null ? 0 : ms - (usedMs - usedBeforeMs);
    if (leftMs > 0 && performance.now() - startedAtMs < ms * BUSY_MACHINE_FACTOR) {
      timer = setTimeout(look, Math.max(leftMs, LEAST_LOOK_MS));
    } else onOver();
  };
  timer = setTimeout(look, ms);
  return () => clearTimeout(timer);
}

/** Linux counts in hundredths of a second, on all of its platforms. */
const TICK_MS = 10;

/** The processor time of a process with all its threads, in ms; `null` if it has ended, or the system has no such file. */
function processorTimeMs(pid: number): number | null {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the program's name in brackets, which may contain anything; fields 14 and 15 are the times.
    const [user, system] = line
      .slice(line.lastIndexOf(")") + 2)
      .split(" ")
      .slice(11, 13);
    return (Number(user) + Number(system)) * TICK_MS;
  } catch {
    return null;
  }
}
