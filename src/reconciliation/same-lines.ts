// Which lines of a file came before in a file of another format, where the same line has other words.
// What belongs here: the decision, without a database. docs/rules/reconciliation.md#once
import { keyOf } from "./line-keys.ts";
import type { ReadLine } from "./reading/statement.ts";

/** A line as it is compared. */
export type CountedLine = Pick<ReadLine, "bookedOn" | "side" | "amountPaise" | "reference" | "balancePaise"> & {
  readonly lineId: bigint;
  /** With spaces between. */
  readonly keys: string;
};

/**
 * Leaves out the lines that are surely among those counted before: of the same day, side and amount, with the reference of one
 * in the other, or with the same balance. A line that has only day, side and amount in common with one that is left says which
 * one it may be. Each of those counted stands for one line.
 */
export function leaveOutCounted<L extends CountedLine>(
  lines: readonly L[],
  counted: readonly CountedLine[],
): (L & { readonly duplicateOf: bigint | null })[] {
  const left = Map.groupBy(counted, movedBy);
  const take = (line: L, isSame: (earlier: CountedLine) => boolean): CountedLine | null => {
    const earlier = left.get(movedBy(line)) ?? [];
    const place = earlier.findIndex(isSame);
    return place < 0 ? null : earlier.splice(place, 1)[0]!;
  };
  const fresh = lines.filter((line) => take(line, (earlier) => isSurelySame(line, earlier)) === null);
  return fresh.map((line) => ({ ...line, duplicateOf: take(line, () => true)?.lineId ?? null }));
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
