/**
 * Runs a command and prints the processor time it took, with all its descendants: `node scripts/processor-time.ts COMMAND …`.
 * It imports nothing from this repository, so it can also run an older commit's tests.
 */
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

/** Linux counts processor time in these for programs, whatever the kernel's own clock is. */
const TICKS_PER_SECOND = 100;
const LOOK_EVERY_MS = 400;
/** How long processes that outlive the command are counted. */
const PATIENCE_MS = 3000;

type Use = { readonly parent: number; readonly startedAt: string; readonly own: number; readonly waitedFor: number };

/**
 * The processor time of this process and its descendants.
 *
 * The kernel adds a process's time to its parent's, once the parent has waited for it. A process whose parent ended first, such
 * as a PostgreSQL or a server, is waited for by nobody that we know. So each look at /proc compares: where processes have
 * gone and their nearest living ancestor has not received as much as they had used, the difference is kept as `lost`.
 * What such a process uses after the last look at it is not counted, nor is one that is never seen beside its parent.
 */
class ProcessorTime {
  #known: ReadonlyMap<number, Use> = new Map();
  /** Processes that do not descend from this one, and never will. */
  #others: ReadonlySet<number> = new Set();
  #lost = 0;

  /** Must be called several times a second, and once more at the end. */
  look(): void {
    const ids = listProcesses();
    const now = new Map<number, Use>();
    for (const pid of ids) {
      const use = this.#others.has(pid) ? undefined : readUse(pid);
      if (use !== undefined) now.set(pid, use);
    }
    const ours = new Map<number, Use>();
    const isOurs = (pid: number): boolean => {
      const use = now.get(pid);
      if (use === undefined) return false;
      return pid === process.pid || this.#known.get(pid)?.startedAt === use.startedAt || isOurs(use.parent);
    };
    for (const [pid, use] of now) if (isOurs(pid)) ours.set(pid, use);
    for (const [heir, used] of this.#gone(ours)) {
      const received = (ours.get(heir)?.waitedFor ?? 0) - (this.#known.get(heir)?.waitedFor ?? 0);
      this.#lost += Math.max(0, used - received);
    }
    this.#known = ours;
    this.#others = new Set(ids.filter((pid) => this.#others.has(pid) || (now.has(pid) && !ours.has(pid))));
  }

  /** What the processes that have ended since the last look had used, by the nearest ancestor that lives; 0 is none. */
  #gone(ours: ReadonlyMap<number, Use>): ReadonlyMap<number, number> {
    const hasGone = (pid: number): boolean =>
      this.#known.has(pid) && ours.get(pid)?.startedAt !== this.#known.get(pid)!.startedAt;
    const used = new Map<number, number>();
    for (const [pid, use] of this.#known) {
      if (!hasGone(pid)) continue;
      let heir = use.parent;
      while (hasGone(heir)) heir = this.#known.get(heir)!.parent;
      if (!this.#known.has(heir)) heir = 0;
      used.set(heir, (used.get(heir) ?? 0) + use.own + use.waitedFor);
    }
    return used;
  }

  /** Whether a descendant of this process still runs. */
  get hasOthers(): boolean {
    return this.#known.size > 1;
  }

  get seconds(): number {
    const living = this.#known.values().reduce((sum, { own, waitedFor }) => sum + own + waitedFor, 0);
    return (living + this.#lost) / TICKS_PER_SECOND;
  }
}

/** The ids of all processes of the machine. */
function listProcesses(): number[] {
  return readdirSync("/proc").map(Number).filter(Number.isInteger);
}

/** What a process has used so far; undefined when it has ended meanwhile. */
function readUse(pid: number): Use | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The second field is a name in brackets, which may hold anything. See proc_pid_stat(5) for the others.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const ticks = (index: number): number => Number(fields[index]);
    return { parent: ticks(1), startedAt: fields[19]!, own: ticks(11) + ticks(12), waitedFor: ticks(13) + ticks(14) };
  } catch {
    return undefined;
  }
}

/** Runs the command and answers the exit code a shell would give. */
function run(command: string, args: readonly string[]): Promise<number> {
  const child = spawn(command, args, { stdio: "inherit" });
  // A terminal sends Ctrl-C to the command, too.
  process.on("SIGINT", () => {});
  for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve(code ?? 128 + constants.signals[signal!]));
  });
}

const [command, ...args] = process.argv.slice(process.argv[2] === "--" ? 3 : 2);
if (command === undefined) throw new Error("give a command: node scripts/processor-time.ts COMMAND …");
// Other systems have no /proc: there the command runs all the same, uncounted.
const time = process.platform === "linux" ? new ProcessorTime() : null;
time?.look();
const looks = setInterval(() => time?.look(), LOOK_EVERY_MS);
process.exitCode = await run(command, args);
clearInterval(looks);
if (time !== null) {
  const deadline = performance.now() + PATIENCE_MS;
  time.look();
  while (time.hasOthers && performance.now() < deadline) {
    await sleep(LOOK_EVERY_MS / 8);
    time.look();
  }
  console.log(`processor time: ${Math.round(time.seconds)} s`);
}
