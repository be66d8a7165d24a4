// Which lines of a file came before in a file of another format, where the same line has other words.
// docs/rules/reconciliation.md#once
import { inTurns } from "../platform/turns.ts";
import { keyOf } from "./line-keys.ts";
import type { ReadLine } from "./reading/statement.ts";

/** A line as it is compared. */
export type CountedLine = Pick<ReadLine, "bookedOn" | "side" | "amountPaise" | "reference" | "balancePaise"> & {
  readonly lineId: bigint;
  /** With spaces between. */
  readonly keys: string;
};

/** With so many a line is compared. In files of the same lines its own is among the first that are left. */
const MAX_COMPARED = 2000;

/** Those of one day, side and amount. */
type Group = { readonly lines: readonly CountedLine[]; readonly taken: Set<CountedLine>; from: number };

/**
 * Leaves out the lines that are surely among those counted before: of the same day, side and amount, with the reference of one
 * in the other, or with the same balance. A line that has only day, side and amount in common with one that is left says which
 * one it may be. Each of those counted stands for one line. Other work goes on meanwhile.
 */
export async function leaveOutCounted<L extends CountedLine>(
  lines: readonly L[],
  counted: readonly CountedLine[],
): Promise<(L & { readonly duplicateOf: bigint | null })[]> {
  const groups = new Map<string, Group & { lines: CountedLine[] }>();
  for await (const line of inTurns(counted)) {
    const group = groups.get(movedBy(line));
    if (group) group.lines.push(line);
    else groups.set(movedBy(line), { lines: [line], taken: new Set(), from: 0 });
  }
  const fresh: L[] = [];
  for await (const line of inTurns(lines)) {
    const group = groups.get(movedBy(line));
    if (!group || take(group, (earlier) => isSurelySame(line, earlier)) === null) fresh.push(line);
  }
  const told: (L & { readonly duplicateOf: bigint | null })[] = [];
  for await (const line of inTurns(fresh)) {
    const group = groups.get(movedBy(line));
    told.push({ ...line, duplicateOf: (group && take(group, () => true)?.lineId) ?? null });
  }
  return told;
}

/** Takes the first line that is left and is the same. */
function take(group: Group, isSame: (earlier: CountedLine) => boolean): CountedLine | null {
  const { lines, taken } = group;
  while (group.from < lines.length && taken.has(lines[group.from]!)) group.from += 1;
  for (let at = group.from, compared = 0; at < lines.length && compared < MAX_COMPARED; at += 1) {
    const earlier = lines[at]!;
    if (taken.has(earlier)) continue;
    compared += 1;
    if (!isSame(earlier)) continue;
    taken.add(earlier);
    return earlier;
  }
  return null;
}

function movedBy({ bookedOn, side, amountPaise }: CountedLine): string {
  return `${bookedOn.toString()} ${side} ${amountPaise}`;
}

function isSurelySame(one: CountedLine, other: CountedLine): boolean {
  if (one.balancePaise !== null && one.balancePaise === other.balancePaise) return true;
  return isNamedIn(one, other) || isNamedIn(other, one);
}

function isNamedIn({ reference }: CountedLine, { keys }: CountedLine): boolean {
  const key = keyOf(reference);
  return key !== null && keys.split(" ").includes(key);
}
