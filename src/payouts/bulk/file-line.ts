// Lines of files that people fill in: reading them, and notes about them.
import { typedField } from "../../platform/as-typed.ts";
import type { CsvRecord } from "../../platform/csv.ts";
import type { CsvTable, MisshapenLine } from "../../platform/csv-table.ts";
import { sentenceOf, type FieldError } from "../../platform/errors.ts";
import type { Decode } from "../../platform/http/field.ts";

/** An error or warning about a line; `field` is the heading, or empty for the whole line. Lines are those of the file, from 1. */
export type LineNote = Pick<FieldError, "field" | "problem"> & {
  readonly line: number;
  /** A warning that has to be accepted: the line may not pay the intended amount. */
  readonly mustAccept?: boolean;
};

export type LineColumns<Heading extends string> = Pick<CsvTable<Heading>, "places"> & {
  readonly headings: readonly Heading[];
};

/** Reads a line as if its cells were the members of a request. Errors are added to `notes`; the result is then `null`. */
export function readRow<T, Heading extends string>(
  { line, cells }: CsvRecord,
  { headings, places }: LineColumns<Heading>,
  decode: Decode<T>,
  notes: LineNote[],
): T | null {
  const members: Record<string, string> = Object.fromEntries(headings.map((heading) => [heading, ""]));
  for (const [index, place] of places.entries()) {
    if (place) members[place] = typedField(place, cells[index] ?? "");
  }
  // People write UPI. Other fields of this name, such as that of a recorded payment, have values with capitals.
  if (members.mode !== undefined) members.mode = members.mode.trim().toLowerCase();
  const errors: FieldError[] = [];
  const decoded = decode(members, "", errors);
  if (errors.length === 0) return decoded;
  notes.push(...errors.map(({ field, problem }) => ({ line, field, problem })));
  return null;
}

/** Lines whose cells can't be told apart or were damaged, as notes. */
export function notesOfShape(misshapen: readonly MisshapenLine[]): LineNote[] {
  return misshapen.map(({ record: { line }, field, problem }) => ({ line, field, problem }));
}

/** Warnings about amounts that may be only part of an amount. */
export function warnOfDoubts({ doubts }: Pick<CsvTable<unknown>, "doubts">): LineNote[] {
  return notesOfShape(doubts).map((note) => ({ ...note, mustAccept: true }));
}

/** A warning if lines have fewer cells than headings: spreadsheets omit empty cells, but the line may also be truncated. */
export function warnOfShortLines({ shortened }: Pick<CsvTable<unknown>, "shortened">): LineNote[] {
  if (shortened === null) return [];
  const { line, count, columns } = shortened;
  const others = count === 1 ? "" : `, as do ${count - 1} more lines`;
  return [{ line, field: "", problem: `ends before ${columns.join(", ")}${others}: missing cells are read as empty.` }];
}

/** Notes in the order of the file. */
export function inFileOrder(notes: readonly LineNote[]): LineNote[] {
  return notes.toSorted((one, other) => one.line - other.line);
}

export function showNotes(notes: readonly LineNote[]) {
  return notes.map((note) => ({
    line: note.line,
    field: note.field,
    message: sentenceOf({ ...note, field: note.field || "The line" }),
  }));
}

/** Turns an error of a line into one of a request. */
export function asFieldError({ line, field, problem }: LineNote): FieldError {
  return { field: `line ${line}${field === "" ? "" : `: ${field}`}`, code: "invalid", problem };
}
