// A statement of a bank or provider as it was read, whatever its format.
import type { DateOrder } from "../../platform/as-typed.ts";
import { fieldRefusal, type NodalError } from "../../platform/errors.ts";
import { excerpt } from "../../platform/excerpt.ts";

export { DATE_ORDERS, type DateOrder } from "../../platform/as-typed.ts";

export const STATEMENT_FORMATS = ["csv", "mt940", "camt053", "razorpayx"] as const;
export type StatementFormat = (typeof STATEMENT_FORMATS)[number];

/** Whether money came into the account or went out of it. */
export type Side = "in" | "out";

/** A line of a statement. */
export type ReadLine = {
  /** Of the file, from 1. */
  readonly fileLine: number;
  readonly bookedOn: Temporal.PlainDate;
  /** Other dates that the file has for it, such as that of the value, as YYYY-MM-DD. Another file may have one of them alone. */
  readonly otherDays?: readonly string[];
  readonly side: Side;
  readonly amountPaise: bigint;
  /** What the bank names it by, as it stands there. */
  readonly reference: string | null;
  readonly narration: string;
  /** Words that may be references as well, if rows of the narration were cut inside of one. They are compared, not kept. */
  readonly otherWords?: readonly string[];
  /** What the account has after it, where the statement says so; below zero where it is overdrawn. */
  readonly balancePaise: bigint | null;
};

/** What a line adds to the account. */
export function signed({ side, amountPaise }: Pick<ReadLine, "side" | "amountPaise">): bigint {
  return side === "in" ? amountPaise : -amountPaise;
}

/** Whether a file has its newest lines first, as far as days tell. */
export function isNewestFirst(lines: readonly Pick<ReadLine, "bookedOn">[]): boolean {
  const [first, last] = [lines[0], lines.at(-1)];
  return first !== undefined && Temporal.PlainDate.compare(first.bookedOn, last!.bookedOn) > 0;
}

export type ReadStatement = {
  readonly format: StatementFormat;
  /** What the file looks like: the headings of a table, or the kind of message. Files of one layout write a line in the same way. */
  readonly layout: string;
  readonly lines: readonly ReadLine[];
  /** How many lines were left out because the file says that the bank did not book them. */
  readonly notBookedCount: number;
  readonly openingPaise: bigint | null;
  readonly closingPaise: bigint | null;
  /** Of CSV: which column is what, by their headings. */
  readonly mapping: ColumnMapping | null;
  /** Of CSV: the order of its dates; `null` where each of them reads the same in both. */
  readonly dateOrder: DateOrder | null;
};

/** What a column of a CSV file may be. */
export const COLUMN_ROLES = [
  "date",
  "narration",
  "reference",
  "debit",
  "credit",
  "amount",
  "side",
  "balance",
  "fee",
  "tax",
] as const;
export type ColumnRole = (typeof COLUMN_ROLES)[number];

/** The heading of the column that has each role. */
export type ColumnMapping = { readonly [Role in ColumnRole]?: string };

export type ReadOptions = {
  /** The format, where it is not to be found by what the file looks like. */
  readonly format?: StatementFormat | null;
  /** Which columns of CSV are what; where nothing is said, the headings tell. */
  readonly mapping?: ColumnMapping | null;
  /** Those that an earlier file had; they are tried before the headings are asked. */
  readonly remembered?: ColumnMapping | null;
  /** What somebody says of the order of its dates. */
  readonly dateOrder?: DateOrder | null;
  /** The order that an earlier file had. */
  readonly rememberedOrder?: DateOrder | null;
  /** For whom it is read: files take turns. */
  readonly key: string;
  /** The day in India on which it is read, if that is not today's. */
  readonly today?: Temporal.PlainDate;
};

/** So many lines a file may have. */
export const MAX_STATEMENT_LINES = 200_000;
/** Lines that are read before other work gets its turn. */
export const SLICE_LINES = 2000;
/** So many problems of a file are told; what is wrong with the first lines mostly tells all. */
const MAX_PROBLEMS = 10;
/** Each may quote a cell of the file. */
const PROBLEM_LENGTH = 300;

/** What is wrong with a file, by line and column: nothing of a bad file is used. */
export class Problems {
  readonly #told: string[] = [];
  #count = 0;

  add(fileLine: number, column: string, message: string): void {
    this.#count += 1;
    if (this.#count <= MAX_PROBLEMS)
      this.#told.push(`Line ${fileLine}, ${column}: ${excerpt(message, PROBLEM_LENGTH)}`);
  }

  /** @throws NodalError `validation_failed` where something was found */
  refuse(): void {
    if (this.#count === 0) return;
    const more = this.#count - MAX_PROBLEMS;
    const told = this.#told.join(" ");
    throw unreadable(more > 0 ? `${told} And ${more} more.` : told, "Nothing was imported.");
  }
}

/** @throws NodalError `validation_failed` for more lines than a file may have */
export function refuseTooMany(lineCount: number): void {
  if (lineCount > MAX_STATEMENT_LINES)
    throw unreadable(`The file has more than ${MAX_STATEMENT_LINES} lines.`, "Split it by days.");
}

/** A file that can't be used, and what to do about it. */
export function unreadable(problem: string, remedy: string): NodalError {
  return fieldRefusal("validation_failed", "file", `${problem} ${remedy}`);
}
