// Processor time and memory of processes, from /proc. What it is for is the benchmark's.
import { readdir, readFile } from "node:fs/promises";

/** Linux counts processor time in hundredths of a second. */
const TICKS_PER_SECOND = 100;

type Stat = {
  /** Of its program. */
  readonly name: string;
  readonly parent: number;
  /** Of the process itself. */
  readonly ownTicks: number;
  /** Of its children that have ended. */
  readonly reapedTicks: number;
};

/** The processor time of this process's children that have ended, in seconds. */
export async function readReapedChildrenSeconds(): Promise<number> {
  return (await readStat(process.pid)).reapedTicks / TICKS_PER_SECOND;
}

/** The processor time of a process alone, in seconds. */
export async function readOwnSeconds(processId: number): Promise<number> {
  return (await readStat(processId)).ownTicks / TICKS_PER_SECOND;
}

/** The processor time of a process and of all its children, those that have ended included, in seconds. */
export async function readFamilySeconds(processId: number): Promise<number> {
  const parent = await readStat(processId);
  const names = (await readdir("/proc")).filter((name) => /^[0-9]+$/.test(name));
  // A process may end while it is looked at: then its parent has its time at the next look.
  const others = await Promise.all(names.map((name) => readStat(Number(name)).catch(() => null)));
  const ticks = others
    .filter((stat) => stat?.parent === processId)
    .reduce((sum, stat) => sum + stat!.ownTicks, parent.ownTicks + parent.reapedTicks);
  return ticks / TICKS_PER_SECOND;
}

/** The child of a process whose program has this name; `null` where there is none. */
export async function findChild(processId: number, name: string): Promise<number | null> {
  const names = (await readdir("/proc")).filter((each) => /^[0-9]+$/.test(each));
  const stats = await Promise.all(names.map((each) => readStat(Number(each)).catch(() => null)));
  const index = stats.findIndex((stat) => stat?.parent === processId && stat.name === name);
  return index < 0 ? null : Number(names[index]);
}

/** The parent of a process. */
export async function readParent(processId: number): Promise<number> {
  return (await readStat(processId)).parent;
}

async function readStat(processId: number): Promise<Stat> {
  const text = await readFile(`/proc/${processId}/stat`, "latin1");
  // The name, in parentheses, may have spaces in it; what follows begins with the third field.
  const nameEnd = text.lastIndexOf(")");
  const fields = text.slice(nameEnd + 2).split(" ");
  const field = (number: number): number => Number(fields[number - 3]);
  return {
    name: text.slice(text.indexOf("(") + 1, nameEnd),
    parent: field(4),
    ownTicks: field(14) + field(15),
    reapedTicks: field(16) + field(17),
  };
}
