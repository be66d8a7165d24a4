// A file may hold several statements of one account, such as one a day. Each has its own balances; together they must be
// continuous.
import { formatRupees } from "../../platform/indian-format.ts";
import type { Problems, ReadLine } from "./statement.ts";
import { unreadable } from "./statement.ts";

/** One statement of a file. */
export type StatementPart = {
  /** Its number or reference; `null` if the bank gave it none. */
  readonly name: string | null;
  /** The line number in the file, from 1, of its opening balance. */
  readonly fileLine: number;
  readonly lines: readonly ReadLine[];
  readonly openingPaise: bigint | null;
  readonly closingPaise: bigint | null;
};

/**
 * The statements of a file, the oldest first: in the file's order, or reversed if only then each begins with the closing balance of
 * the one before it. Adds a gap or a repeated statement to `problems`.
 */
export function inSequence<P extends StatementPart>(
  parts: readonly P[],
  problems: Problems,
  column: string,
): readonly P[] {
  if (addRepeated(parts, problems, column)) return parts;
  const broken = firstGap(parts);
  if (broken === null) return parts;
  const turned = parts.toReversed();
  if (firstGap(turned) === null) return turned;
  const [before, after] = broken;
  problems.add(
    after.fileLine,
    column,
    `this statement begins with ${formatRupees(after.openingPaise!)}, but the statement before it ends with ${formatRupees(before.closingPaise!)}. A statement between them is missing.`,
  );
  return parts;
}

/**
 * Whether a file has the same statement twice, with the same name, balances and lines, which would count its lines twice. Skips
 * statements without lines, and different ones with the same name: some banks restart their numbers.
 */
function addRepeated(parts: readonly StatementPart[], problems: Problems, column: string): boolean {
  const named = Map.groupBy(
    parts.filter(({ name, lines }) => name !== null && lines.length > 0),
    ({ name, openingPaise, closingPaise, lines }) => [name, openingPaise, closingPaise, lines.length].join("\n"),
  );
  let isRepeated = false;
  for (const alike of named.values()) {
    if (alike.length === 1) continue;
    const firsts = new Map<string, StatementPart>();
    for (const part of alike) {
      const said = part.lines.map(textOfLine).join("\n");
      const earlier = firsts.get(said);
      if (!earlier) {
        firsts.set(said, part);
        continue;
      }
      isRepeated = true;
      const problem = `statement ${part.name!} is in the file twice, first on line ${earlier.fileLine}. Remove one of the two, and import the file again.`;
      problems.add(part.fileLine, column, problem);
    }
  }
  return isRepeated;
}

function textOfLine({ bookedOn, otherDays = [], side, amountPaise, reference, narration }: ReadLine): string {
  return JSON.stringify([bookedOn, otherDays, side, String(amountPaise), reference, narration]);
}

function firstGap<P extends StatementPart>(parts: readonly P[]): readonly [before: P, after: P] | null {
  for (const [index, after] of parts.entries()) {
    const before = parts[index - 1];
    if (!before || before.closingPaise === null || after.openingPaise === null) continue;
    if (before.closingPaise !== after.openingPaise) return [before, after];
  }
  return null;
}

const IBAN = /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/;

/** Refuses a file with statements of several accounts: their lines would be counted as one account's. */
export class OneAccount {
  #account: string | null = null;

  /** @throws NodalError `validation_failed` if an earlier call had another account */
  see(written: string): void {
    const account = accountNumberIn(written);
    if (account === "") return;
    this.#account ??= account;
    if (areSame(account, this.#account)) return;
    throw twoAccounts(this.#account, account);
  }
}

/** The error for a file with statements of two accounts. */
export function twoAccounts(first: string, second: string): Error {
  const [one, other] = endsOf(first, second);
  return unreadable(
    `The file has statements of two accounts: one ends in ${one}, the other in ${other}.`,
    "Import a file for each account. Nothing was imported.",
  );
}

/** An account number, which banks also write with their own code and the currency: `HDFCINBB/0501.../INR`. */
function accountNumberIn(written: string): string {
  const digits = (part: string): number => part.replaceAll(/\D/g, "").length;
  const [number = ""] = written.split("/").toSorted((one, other) => digits(other) - digits(one));
  const plain = number
    .toUpperCase()
    .replaceAll("*", "X")
    .replaceAll(/[^A-Z0-9]/g, "");
  return plain.replace(/(?<=\d)INR$/, "");
}

/** Whether two numbers may be the same account: for a masked one (`XXXX0001`, `****0001`) or an IBAN, the last digits decide. */
export function areSame(one: string, other: string): boolean {
  if (one === other) return true;
  const [iban, number] = IBAN.test(one) ? [one, other] : [other, one];
  if (IBAN.test(iban) && /^\d{6,}$/.test(number) && iban.endsWith(withoutZeros(number))) return true;
  const ends = [one, other].map((account) => withoutZeros(account).replace(/^.*XX+/, ""));
  if (!/XX/.test(one + other)) return ends[0] === ends[1];
  return ends[0] !== "" && ends[1] !== "" && (ends[0]!.endsWith(ends[1]!) || ends[1]!.endsWith(ends[0]!));
}

function withoutZeros(account: string): string {
  return account.replace(/^0+(?=.)/, "");
}

/** The last four characters of two numbers, or as many as needed to tell them apart. */
function endsOf(one: string, other: string): [one: string, other: string] {
  let length = 4;
  while (one.slice(-length) === other.slice(-length)) length += 1;
  return [one.slice(-length), other.slice(-length)];
}
