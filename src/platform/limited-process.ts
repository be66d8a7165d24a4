// Processes that work on strangers' files: whatever is in a file, the server goes on.
import { fork, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { setPriority } from "node:os";

export type LimitedProcess = {
  /** The module that the process runs. */
  readonly script: string;
  readonly args?: readonly string[];
  /** What it may allocate. Beyond, it crashes. */
  readonly memoryMiB: number;
  /** `ignore` where a file can make it print, such as V8 when it runs out of memory. */
  readonly stderr: "inherit" | "ignore";
  /** Whether it leaves the processor to others where they want it: for what nobody's page waits for. */
  readonly yields?: boolean;
};

/** A third of what an ordinary process gets on a processor that both want. */
const NICE = 5;

/** Starts a process that gets no settings of the server and has bounded memory. Messages are cloned, as to a thread. */
export function forkLimited({ script, args = [], memoryMiB, stderr, yields = false }: LimitedProcess): ChildProcess {
  // The shell sets the limit and becomes Node. Where the system has no such limit, the limit of time is left.
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
 * Calls `onOver` once a process has had `ms` of a processor from now on, or, where others keep it from having as much,
 * after six times as long. Returns what ends the watch.
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

/** What a process has used with all its threads, in ms; `null` where it is gone, or the system has no such file. */
function processorTimeMs(pid: number): number | null {
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
