// A statement of a bank or provider after reading, independent of its format.
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
  /** The line number in the file, from 1. */
  readonly fileLine: number;
  readonly bookedOn: Temporal.PlainDate;
  /** Other dates of it in the file, such as the value date, as YYYY-MM-DD. Another file may have only one of them. */
  readonly otherDays?: readonly string[];
  readonly side: Side;
  readonly amountPaise: bigint;
  /** The bank's reference, as written. */
  readonly reference: string | null;
  readonly narration: string;
  /** Words that may be references too, if the narration was wrapped inside one. They are compared, but not saved. */
  readonly otherWords?: readonly string[];
  /** The balance after it, if the statement has one; negative if overdrawn. */
  readonly balancePaise: bigint | null;
};

/** The signed change of the account's balance, in paise. */
export function signed({ side, amountPaise }: Pick<ReadLine, "side" | "amountPaise">): bigint {
  return side === "in" ? amountPaise : -amountPaise;
}

/** Whether a file has its newest lines first, as far as days show. */
export function isNewestFirst(lines: readonly Pick<ReadLine, "bookedOn">[]): boolean {
  const [first, last] = [lines[0], lines.at(-1)];
  return first !== undefined && Temporal.PlainDate.compare(first.bookedOn, last!.bookedOn) > 0;
}

export type ReadStatement = {
  readonly format: StatementFormat;
  /** The file's layout: the headings of a table, or the kind of message. Files of one layout write a line in the same way. */
  readonly layout: string;
  readonly lines: readonly ReadLine[];
  /** The number of lines left out because the bank did not book them. */
  readonly notBookedCount: number;
  readonly openingPaise: bigint | null;
  readonly closingPaise: bigint | null;
  /** CSV only: the role of each column, by heading. */
  readonly mapping: ColumnMapping | null;
  /** CSV only: the order of its dates; `null` if every date reads the same either way. */
  readonly dateOrder: DateOrder | null;
};

/** The roles of columns in a CSV file. */
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
  /** The format; if unset, it is detected from the content. */
  readonly format?: StatementFormat | null;
  /** The roles of CSV columns; if unset, the headings decide. */
  readonly mapping?: ColumnMapping | null;
  /** The roles in an earlier file, tried before the headings. */
  readonly remembered?: ColumnMapping | null;
  /** The order of its dates, as requested. */
  readonly dateOrder?: DateOrder | null;
  /** The order in an earlier file. */
  readonly rememberedOrder?: DateOrder | null;
  /** The merchant it is read for: files of different merchants take turns. */
  readonly key: string;
  /** The day in India on which it is read; today if unset. */
  readonly today?: Temporal.PlainDate;
};

/** The most lines in a file. */
export const MAX_STATEMENT_LINES = 200_000;
/** The number of lines read before yielding to other work. */
export const SLICE_LINES = 2000;
/** The most problems reported for a file; the first ones usually explain the rest. */
const MAX_PROBLEMS = 10;
/** The longest quotation of a cell in a problem. */
const PROBLEM_LENGTH = 300;

/** The problems of a file, by line and column: nothing of a bad file is used. */
export class Problems {
  readonly #told: string[] = [];
  #count = 0;

  add(fileLine: number, column: string, message: string): void {
    this.#count += 1;
    if (this.#count <= MAX_PROBLEMS)
      this.#told.push(`Line ${fileLine}, ${column}: ${excerpt(message, PROBLEM_LENGTH)}`);
  }

  /** @throws NodalError `validation_failed` if there are problems */
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

/** The error for a file that can't be used, with the remedy. */
export function unreadable(problem: string, remedy: string): NodalError {
  return fieldRefusal("validation_failed", "file", `${problem} ${remedy}`);
}
