// Which lines of a file an earlier file had, perhaps in other words. docs/rules/reconciliation.md#once
import { inTurns } from "../platform/turns.ts";
import { keyOf } from "./line-keys.ts";
import type { ReadLine } from "./reading/statement.ts";
import type { StatementLine } from "./statement-store.ts";

/** The values by which two lines are the same, spelled alike or not. */
type Compared = Pick<ReadLine, "bookedOn" | "side" | "amountPaise" | "balancePaise"> &
  Pick<StatementLine, "lineId" | "otherDays" | "copyNo" | "keys"> & {
    /** In the form in which references are compared. */
    readonly comparedReference: string | null;
    readonly narrationIndex: Uint8Array | null;
  };

/** A line of an earlier file. Files of one layout write the same line in the same way. */
export type EarlierLine = Compared & { readonly isSameLayout: boolean; readonly duplicateOf: bigint | null };

/** A line of the new file; its narration is in the form for comparison. */
export type ComparedLine = Compared & { readonly comparedNarration: string };

/** The most lines that one is compared with. In files of the same lines, its counterpart is among the first ones left. */
const MAX_COMPARED = 2000;

/**
 * Compares the lines of a file with those of earlier ones, each of which matches at most one line. Leaves out lines that an earlier
 * file has in the same words; lines that another layout has with the same balance, or with one's reference in the other; and names
 * for each other line the earlier one it may repeat. `narrationsOf` decrypts narrations of earlier lines. Yields to other work.
 */
export async function leaveOutKnown<L extends ComparedLine>(
  lines: readonly L[],
  earlier: readonly EarlierLine[],
  narrationsOf: (lineIds: readonly bigint[]) => Promise<ReadonlyMap<bigint, string>>,
): Promise<{ readonly line: L; readonly duplicateOf: bigint | null }[]> {
  const known = new Known();
  for await (const line of inTurns(earlier)) known.add(line);
  const others: L[] = [];
  for await (const line of inTurns(lines)) if (!known.takeEqual(line)) others.push(line);
  const fresh: L[] = [];
  for await (const line of inTurns(others)) {
    if (known.take(line, (each) => !each.isSameLayout && isSurelySame(line, each)) === null) fresh.push(line);
  }
  const asked = new Set<bigint>();
  for await (const line of inTurns(fresh))
    for (const each of known.left(line)) if (comparesNarrations(line, each)) asked.add(each.lineId);
  const narrations = await narrationsOf([...asked]);
  const told: { readonly line: L; readonly duplicateOf: bigint | null }[] = [];
  for await (const line of inTurns(fresh)) {
    const mayBe = (each: EarlierLine): boolean => mayBeSame(line, each, narrations.get(each.lineId) ?? "");
    told.push({ line, duplicateOf: known.take(line, mayBe)?.lineId ?? null });
  }
  return told;
}

/** Earlier lines, by their words and by amount, side and day. */
class Known {
  readonly #equal = new Map<string, EarlierLine>();
  readonly #groups = new Map<string, { readonly lines: EarlierLine[]; from: number }>();
  readonly #taken = new Set<bigint>();

  add(line: EarlierLine): void {
    this.#equal.set(wordsOf(line), line);
    for (const moved of movedBy(line)) {
      const group = this.#groups.get(moved);
      if (group) group.lines.push(line);
      else this.#groups.set(moved, { lines: [line], from: 0 });
    }
  }

  /** Takes the line with the same words, and the one that it may repeat. */
  takeEqual(line: ComparedLine): boolean {
    const equal = this.#equal.get(wordsOf(line));
    if (!equal) return false;
    this.#taken.add(equal.lineId);
    if (equal.duplicateOf !== null) this.#taken.add(equal.duplicateOf);
    return true;
  }

  /** Takes the first remaining line that is the same. */
  take(line: ComparedLine, isSame: (earlier: EarlierLine) => boolean): EarlierLine | null {
    for (const earlier of this.left(line)) {
      if (!isSame(earlier)) continue;
      this.#taken.add(earlier.lineId);
      return earlier;
    }
    return null;
  }

  /** The remaining lines with the same amount and side. */
  *left(line: ComparedLine): Generator<EarlierLine, void, void> {
    for (const group of movedBy(line).flatMap((moved) => this.#groups.get(moved) ?? [])) {
      const { lines } = group;
      while (group.from < lines.length && this.#taken.has(lines[group.from]!.lineId)) group.from += 1;
      for (let at = group.from, compared = 0; at < lines.length && compared < MAX_COMPARED; at += 1) {
        if (this.#taken.has(lines[at]!.lineId)) continue;
        compared += 1;
        yield lines[at]!;
      }
    }
  }
}

/** Side and amount on each of a line's days in a file. */
function movedBy({ bookedOn, otherDays, side, amountPaise }: Compared): string[] {
  const days = new Set([bookedOn.toString(), ...otherDays.split(" ").filter(Boolean)]);
  return [...days].map((day) => `${day} ${side} ${amountPaise}`);
}

/** All values that distinguish lines of files: the index `statement_line_once` has the same. */
function wordsOf(line: Compared): string {
  const { bookedOn, side, amountPaise, comparedReference, balancePaise, narrationIndex, copyNo } = line;
  const narration = narrationIndex && Buffer.from(narrationIndex).toString("base64");
  return JSON.stringify([
    String(bookedOn),
    side,
    String(amountPaise),
    comparedReference,
    String(balancePaise),
    narration,
    copyNo,
  ]);
}

function isSurelySame(one: Compared, other: Compared): boolean {
  if (one.balancePaise !== null && one.balancePaise === other.balancePaise) return true;
  return isNamedIn(one, other) || isNamedIn(other, one);
}

function isNamedIn({ comparedReference }: Compared, { keys }: Compared): boolean {
  const key = keyOf(comparedReference);
  return key !== null && keys.split(" ").includes(key);
}

/**
 * Whether a line may be an earlier one in other words. In files of one layout, two payments differ in the balance, the reference or
 * the narration; a narration that is the beginning of another may have been truncated.
 */
function mayBeSame(line: ComparedLine, earlier: EarlierLine, narration: string): boolean {
  if (!earlier.isSameLayout) return true;
  if (haveOtherBalances(line, earlier)) return false;
  const [one, other] = [line.comparedReference, earlier.comparedReference];
  if (one !== null && other !== null) return beginsWith(one, other);
  if (beginsWith(line.comparedNarration, narration)) return true;
  const hasBalances = line.balancePaise !== null && earlier.balancePaise !== null;
  return hasBalances && !haveOtherKeys(line.keys, earlier.keys);
}

/** Whether `mayBeSame` needs the narration of an earlier line. */
function comparesNarrations(line: ComparedLine, earlier: EarlierLine): boolean {
  const hasReferences = line.comparedReference !== null && earlier.comparedReference !== null;
  return earlier.isSameLayout && !hasReferences && !haveOtherBalances(line, earlier);
}

function haveOtherBalances(one: Compared, other: Compared): boolean {
  return one.balancePaise !== null && other.balancePaise !== null && one.balancePaise !== other.balancePaise;
}

/** Whether one of two texts begins with the other. */
function beginsWith(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one);
}

/** Whether both lines have references in their texts, but none in common. */
function haveOtherKeys(one: string, other: string): boolean {
  if (one === "" || other === "") return false;
  const keys = new Set(one.split(" "));
  return other.split(" ").every((key) => !keys.has(key));
}
