// CSV files with a heading line, as people fill them in. The caller checks the cells.
import type { DateOrder } from "./as-typed.ts";
import { findAmountNotes, type ColumnKind } from "./csv-amounts.ts";
import { cutTextProblem, findCutTexts, isLostNumber, lostNumberProblem } from "./csv-damage.ts";
import { readCsv, shapeProblem, type CsvRecord } from "./csv.ts";
import { settleDates } from "./date-order.ts";
import { excerpt } from "./excerpt.ts";
import { fieldRefusal, type NodalError } from "./errors.ts";
import { misspeltOf } from "./http/unknown-members.ts";
import { decodeTextFile, refuseMarkup } from "./text-file.ts";

/** The longest unknown heading in a message. */
const MAX_HEADING_LENGTH = 300;

/** What a file may hold. */
export type CsvFileRule = {
  /** The noun for the lines in messages: "customers". */
  readonly items: string;
  readonly maxRows: number;
  /** The owner of the file. Keys take turns. */
  readonly key: string;
  /** Is the column used? Damage in an unused one does not matter. */
  readonly isUsed?: (heading: string) => boolean;
};

/** A line with ambiguous or damaged cells. `problem` follows "The line" in a sentence; `field` is a heading, or empty. */
export type MisshapenLine = { readonly record: CsvRecord; readonly field: string; readonly problem: string };

export type CsvFile = {
  readonly head: CsvRecord;
  /** Readable lines. If a line has fewer cells than there are headings, the missing ones count as empty. */
  readonly rows: readonly CsvRecord[];
  /** Unreadable lines, which are errors. */
  readonly misshapen: readonly MisshapenLine[];
  /** Warnings to check before the lines are used: amounts that may have been cut. */
  readonly doubts: readonly MisshapenLine[];
};

/**
 * Reads a file of headings and lines.
 * @throws NodalError `validation_failed` for a file that is not CSV, has no lines, or is too long
 */
export async function readCsvFile(
  bytes: Uint8Array,
  { items, maxRows, key, isUsed = () => true }: CsvFileRule,
): Promise<CsvFile> {
  const text = decodeTextFile(bytes);
  refuseMarkup(text);
  const [head, ...all] = await readCsv(text, { field: "file", maxRecords: maxRows + 2, key });
  if (!head || all.length === 0) throw unreadable(`The file has no line below its headings: add ${items} to it.`);
  if (all.length > maxRows) throw unreadable(`The file has more than ${maxRows} ${items}: split it.`);
  const lines = withoutLastCells(all, head);
  const cut = findCutTexts(head, lines, (place) => !isStrict(head.cells[place] ?? ""));
  const kinds = head.cells.map((heading) => (isUsed(heading) ? kindOf(heading) : "text"));
  const damaged = lines.flatMap((record): MisshapenLine[] => {
    const problem =
      shapeProblem(record, head.cells.length) ?? unnamedProblem(record, head) ?? totalProblem(record, kinds);
    if (problem !== null) return [{ record, field: "", problem }];
    const rest = cut.get(record);
    if (rest !== undefined) return [{ record, field: head.cells[rest]!, problem: cutTextProblem(record, rest) }];
    const lost = record.cells.findIndex((cell, place) => isLostNumber(cell) && isUsed(head.cells[place] ?? ""));
    return lost < 0 ? [] : [{ record, field: head.cells[lost]!, problem: lostNumberProblem(record.cells[lost]!) }];
  });
  const without = (bad: readonly MisshapenLine[], from: readonly CsvRecord[]): CsvRecord[] => {
    const numbers = new Set(bad.map(({ record }) => record.line));
    return from.filter(({ line }) => !numbers.has(line));
  };
  const whole = without(damaged, lines);
  const notes = findAmountNotes(whole, kinds).map(({ place, ...note }) => ({
    ...note,
    field: place === null ? "" : head.cells[place]!,
  }));
  // One cell too many next to an amount that may be cut: it certainly was.
  const isCut = (note: (typeof notes)[number]): boolean => note.isRefused || (note.isBehind && lines !== all);
  const refused = notes.filter(isCut);
  return {
    head,
    rows: without(refused, whole),
    misshapen: [...damaged, ...refused].map(({ record, field, problem }) => ({ record, field, problem })),
    doubts: notes.filter((note) => !isCut(note)).map(({ record, field, problem }) => ({ record, field, problem })),
  };
}

/** Removes an extra empty cell at the end, if every line has one: some programs end each line with a comma. */
function withoutLastCells(lines: readonly CsvRecord[], { cells: { length } }: CsvRecord): readonly CsvRecord[] {
  const isWide = lines.every(({ cells }) => cells.length === length + 1 && cells[length] === "");
  return isWide ? lines.map((record) => ({ ...record, cells: record.cells.slice(0, length) })) : lines;
}

/** Can no rest of a text be a value of this column? */
function isStrict(heading: string): boolean {
  return STRICT_HEADINGS.test(headingKey(heading));
}

/** A cell below an empty heading is the rest of an earlier cell that was cut at a comma. */
function unnamedProblem({ cells }: CsvRecord, head: CsvRecord): string | null {
  const at = cells.findIndex((cell, index) => cell !== "" && (head.cells[index] ?? "") === "");
  if (at === -1) return null;
  return `has “${excerpt(cells[at]!, MAX_HEADING_LENGTH)}” below an empty heading: put an amount or a text with a comma in quotation marks, such as "1,590.00".`;
}

const TOTAL = /^(?:(?:grand|sub) ?)?totals?\W*$/i;

/** A row of totals: nothing but its name and amounts. */
function totalProblem({ cells }: CsvRecord, kinds: readonly ColumnKind[]): string | null {
  const filled = [...cells.keys()].filter((place) => cells[place] !== "");
  const others = filled.filter((place) => !TOTAL.test(cells[place]!));
  const isTotal = filled.length === others.length + 1 && others.every((place) => kinds[place] === "amount");
  return isTotal && others.length > 0 ? "is a total: remove it from the file." : null;
}

const STRICT_HEADINGS =
  /\b(?:account|ifsc|upi|amount|dues|mobile|phone|email|date|scheduled|gst|gstin|sac|zipcode|pincode|pin|beneficiary id)\b/;

/** Headings of amounts, as `headingKey` writes them. */
const AMOUNTS: ReadonlySet<string> = new Set([
  "amount",
  "total amount",
  "tds amount",
  "unit price",
  "previous dues",
  "applicable on",
]);

/** The kind of a column's values, by its heading. `total_amount_2` is that of a second item. */
function kindOf(heading: string): ColumnKind {
  const key = headingKey(heading).replace(/ \d+$/, "");
  if (AMOUNTS.has(key)) return "amount";
  if (key === "gst") return "rate";
  return isStrict(heading) ? "strict" : "text";
}

export type CsvTableRule<Place> = CsvFileRule & {
  /** The columns by their names. "Customer Code", "customer-code" and "customer_code" are the same. */
  readonly columns: Iterable<readonly [name: string, place: Place]>;
  /** Required columns, by name. */
  readonly required: readonly string[];
  /** Does a column have dates? */
  readonly isDate?: (place: Place) => boolean;
  /** The order of the file's dates, if the sender gave it. */
  readonly dateOrder?: DateOrder | null;
};

export type CsvTable<Place> = Pick<CsvFile, "rows" | "misshapen" | "doubts"> & {
  /** The meaning of each column of the file; `null` for an unknown one. */
  readonly places: readonly (Place | null)[];
  /** The first line, as it is written. */
  readonly headings: readonly string[];
  /** The names of unknown columns. */
  readonly ignored: readonly string[];
  /** The first line with fewer cells than headings, and the missing columns; `null` if there is none. */
  readonly shortened: { readonly line: number; readonly count: number; readonly columns: readonly string[] } | null;
};

/**
 * Reads a file, with its dates as YYYY-MM-DD where they are dates.
 * @throws NodalError `validation_failed` for a file that is not CSV, lacks headings, or is too long; also, with the
 * field `date_order`, for dates that could have the day or the month first
 */
export async function readCsvTable<Place>(bytes: Uint8Array, rule: CsvTableRule<Place>): Promise<CsvTable<Place>> {
  const known = new Set([...rule.columns].map(([name]) => headingKey(name)));
  const isUsed = (heading: string): boolean => known.has(headingKey(heading));
  const { head, rows, misshapen, doubts } = await readCsvFile(bytes, { ...rule, isUsed });
  const places = placesOf(head, rule);
  const unknown = head.cells.filter((cell, index) => places[index] === null && cell.trim() !== "");
  const ignored = unknown.map((cell) => excerpt(cell, MAX_HEADING_LENGTH));
  const isDate = (index: number): boolean => {
    const place = places[index] ?? null;
    return place !== null && (rule.isDate?.(place) ?? false);
  };
  const dates = head.cells.flatMap((_, index) => (isDate(index) ? [index] : []));
  return {
    rows: settleDates(rows, dates, rule.dateOrder ?? null),
    misshapen,
    doubts,
    places,
    headings: head.cells,
    ignored,
    shortened: findShortened(head, rows),
  };
}

function findShortened({ cells: headings }: CsvRecord, rows: readonly CsvRecord[]): CsvTable<unknown>["shortened"] {
  const short = rows.filter(({ cells }) => cells.length < headings.length);
  const first = short[0];
  return first ? { line: first.line, count: short.length, columns: headings.slice(first.cells.length) } : null;
}

function placesOf<Place>({ cells }: CsvRecord, { columns, required }: CsvTableRule<Place>): (Place | null)[] {
  const byName = new Map([...columns].map(([name, place]) => [headingKey(name), place]));
  const keys = cells.map(headingKey);
  const places = keys.map((key) => byName.get(key) ?? null);
  // A column may have a synonym.
  const isThere = (key: string): boolean => {
    const place = byName.get(key);
    return keys.includes(key) || (place !== undefined && places.includes(place));
  };
  const missing = required.filter((name) => !isThere(headingKey(name)));
  if (missing.length > 0) throw unreadable(`The first line must name the columns, and lacks ${missing.join(" and ")}.`);
  const twice = cells.find((_, index) => places[index] !== null && keys.indexOf(keys[index]!) !== index);
  if (twice !== undefined) throw unreadable(`The first line names ${twice.trim()} twice: remove one of the columns.`);
  const absent = [...columns].flatMap(([name, place]) => (places.some((each) => each === place) ? [] : [name]));
  for (const [index, cell] of cells.entries()) {
    const meant = places[index] === null ? nearestHeading(cell, absent) : null;
    if (meant === null) continue;
    const heading = excerpt(cell.trim(), MAX_HEADING_LENGTH);
    throw unreadable(`The column ${heading} is unknown. Did you mean ${meant}? Rename the column, or remove it.`);
  }
  return places;
}

/** Names of this length or shorter may differ in one letter only: `status` is not a misspelt `state`. */
const SHORT_NAME = 6;

/** The column that a heading is a misspelling of, or another usual name: `refrence_id`, `email` for `email_id`. */
function nearestHeading(heading: string, names: readonly string[]): string | null {
  const root = rootOf(heading);
  const same = root.length < 3 ? undefined : names.find((name) => rootOf(name) === root);
  return same ?? misspeltOf(heading, names, heading.trim().length > SHORT_NAME ? 2 : 1);
}

function rootOf(heading: string): string {
  const key = headingKey(heading).replaceAll(/[^\p{L}\p{N}]/gu, "");
  return key.replace(/(?:id|number|no|inr|rs)$/, "");
}

/** A heading, normalized for comparison: "Customer Code", "customer-code" and "customer_code" are the same. */
export function headingKey(text: string): string {
  return text
    .trim()
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, " ");
}

function unreadable(problem: string): NodalError {
  return fieldRefusal("validation_failed", "file", problem);
}
