// Reads the rows of HTML tables. Banks save them under the name of Excel.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { CsvRecord } from "../../platform/csv.ts";
import type { Columns } from "./csv-columns.ts";
import { exactAmount, FORM_FIELD, HIDDEN, LooksAround, OpenCell, SEVERAL_PARTS, type CellNotes } from "./html-cells.ts";
import { HtmlEnd } from "./html-end.ts";
import { HtmlStyles, type Look } from "./html-hidden.ts";
import { textOf } from "./html-text.ts";
import { Problems, SLICE_LINES, unreadable } from "./statement.ts";
import { readAmount, readDay } from "./values.ts";

const TAG =
  /<!--[\s\S]*?(?:-->|$)|<(script|style)\b[\s\S]*?(?:<\/\1\s*>|$)|<(\/?)([a-z][a-z0-9:]*)((?:"[^"]*"|'[^']*'|[^<>"'])*)>/gi;
/** Elements that don't end a text outside of tables. */
const INLINE: ReadonlySet<string> = new Set(
  [
    "a",
    "abbr",
    "b",
    "bdi",
    "bdo",
    "big",
    "cite",
    "code",
    "em",
    "font",
    "i",
    "ins",
    "label",
    "mark",
    "q",
    "small",
  ].concat(["span", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr"]),
);
/** So many texts outside of tables a file may have. */
const MAX_ASIDES = 20_000;

/**
 * `shared` has the texts of cells above that span this row too, by their places; in `cells` these places are empty. `notes` has what
 * cells have beside their texts, by their places.
 */
type TableRow = CsvRecord & {
  readonly shared?: ReadonlyMap<number, string>;
  readonly notes?: ReadonlyMap<number, CellNotes>;
};
/** A text outside of tables, and how many rows are before it. */
export type Aside = { readonly after: number; readonly record: CsvRecord };

/** A row that is being read, among cells of rows above it that go on for some rows: `held`, by place. */
class OpenRow {
  readonly shared = new Map<number, string>();
  readonly notes = new Map<number, CellNotes>();
  readonly line: number;
  readonly looks: readonly Look[];
  #cells: string[] = [];
  readonly #held: Map<number, { text: string; rows: number }>;

  constructor(line: number, held: Map<number, { text: string; rows: number }>, looks: readonly Look[]) {
    this.line = line;
    this.#held = held;
    this.looks = looks;
  }

  /** The place of the next cell. */
  nextPlace(): number {
    this.#passHeld();
    return this.#cells.length;
  }

  add(cell: OpenCell): void {
    const { columns, rows } = cell;
    this.#passHeld();
    const notes = cell.notes();
    const isOdd = notes.odd !== null || notes.exact !== null || notes.written !== notes.seen;
    if (isOdd) this.notes.set(this.#cells.length, notes);
    for (let count = 0; count < columns; count += 1) {
      const own = count === 0 ? notes.seen : "";
      if (rows > 1) this.#held.set(this.#cells.length, { text: own, rows: rows - 1 });
      this.#cells.push(own);
    }
  }

  end(): TableRow | null {
    this.#passHeld();
    for (const place of [...this.#held.keys()].filter((each) => each > this.#cells.length)) {
      while (this.#cells.length < place) this.#cells.push("");
      this.#passHeld();
    }
    const { line, shared, notes } = this;
    // Headings are found in a hidden table too, so that its lines can be refused.
    const isHidden = this.#cells.every((each) => each === "");
    const cells = isHidden ? this.#cells.map((_, place) => notes.get(place)?.written ?? "") : this.#cells;
    if (cells.every((each) => each === "")) return null;
    return { line, cells, ...(shared.size > 0 && { shared }), ...(notes.size > 0 && { notes }) };
  }

  #passHeld(): void {
    for (;;) {
      const place = this.#cells.length;
      const held = this.#held.get(place);
      if (!held) return;
      if (held.text !== "") this.shared.set(place, held.text);
      if (held.rows > 1) held.rows -= 1;
      else this.#held.delete(place);
      this.#cells.push("");
    }
  }
}

/** Gathers the texts outside of tables. */
class Asides {
  readonly found: Aside[] = [];
  #parts: string[] = [];

  add(text: string): void {
    if (text.trim() !== "" || this.#parts.length > 0) this.#parts.push(text);
  }

  /** @throws NodalError `validation_failed` for more texts than a file may have */
  end(after: number, line: number): void {
    if (this.#parts.length === 0) return;
    const text = textOf(this.#parts);
    this.#parts = [];
    if (text === "") return;
    if (this.found.length === MAX_ASIDES) {
      throw unreadable(
        `The file has more than ${MAX_ASIDES} texts outside of its tables.`,
        "Save the statement's table alone. Nothing was imported.",
      );
    }
    this.found.push({ after, record: { line, cells: [text] } });
  }
}

/**
 * The rows of all tables, in order, as the records of a CSV file; empty rows are left out. A cell that spans columns is followed by
 * empty ones, and so are places that a cell above spans. Cells and rows that nothing closes are closed by what follows, as browsers do.
 * @throws NodalError `validation_failed` if the file seems to be cut off
 */
export async function readHtmlTable(
  text: string,
  maxRecords: number,
): Promise<{ readonly records: TableRow[]; readonly asides: readonly Aside[] }> {
  const records: TableRow[] = [];
  const asides = new Asides();
  const held = new Map<number, { text: string; rows: number }>();
  let row: OpenRow | null = null;
  let cell: OpenCell | null = null;
  const endCell = (): void => {
    if (cell) row?.add(cell);
    cell = null;
  };
  const endRow = (): void => {
    endCell();
    const ended = row?.end() ?? null;
    if (ended) records.push(ended);
    row = null;
  };
  const end = new HtmlEnd();
  const styles = new HtmlStyles(text);
  const around = new LooksAround(styles);
  const seeTag = (name: string, attributes: string, isEnd: boolean): void => {
    const isRow = name === "tr" || name === "table";
    if (isRow) {
      const inCell = cell?.looks ?? [];
      endRow();
      if (name === "table") held.clear();
      else if (!isEnd) row = new OpenRow(line, held, [...around.looks, styles.lookOf(name, attributes)]);
      if (name === "table") around.see(name, attributes, isEnd, inCell);
    } else if (name === "td" || name === "th") {
      endCell();
      if (isEnd) return;
      const looks = row ? [...around.columnAt(row.nextPlace()), ...row.looks] : [];
      cell = new OpenCell(name, attributes, looks, styles);
    } else if (cell) {
      if (name === "br" || name === "p" || name === "div") cell.addBreak();
      cell.addTag(name, attributes, isEnd);
    } else around.see(name, attributes, isEnd);
  };
  let reached = 0;
  let line = 1;
  let seen = 0;
  for (const match of text.matchAll(TAG)) {
    const between = text.slice(reached, match.index);
    if (cell) (cell as OpenCell).addText(between);
    else if (between.trim() !== "" && styles.hidingOf(around.looks) === null) asides.add(between);
    line += countBreaks(between);
    end.seeText(between, line);
    const name = match[3]?.toLowerCase();
    const isEnd = match[2] === "/";
    if (name === undefined) end.seeAside(match[0], line);
    else if (!match[4]!.endsWith("/")) end.seeTag(name, isEnd, line);
    if (name !== undefined && !INLINE.has(name)) asides.end(records.length, line);
    line += countBreaks(match[0]);
    reached = match.index + match[0].length;
    if (name !== undefined) seeTag(name, match[4]!, isEnd);
    if (records.length === maxRecords) return { records, asides: asides.found };
    seen += 1;
    if (seen % (SLICE_LINES * 10) === 0) await nextTurn();
  }
  end.finish(text.slice(reached), line, (row as OpenRow | null)?.line ?? (cell === null ? null : line));
  return { records, asides: asides.found };
}

function countBreaks(text: string): number {
  return text.split("\n").length - 1;
}

/**
 * Gives each row with an amount of its own what it shares with rows above it: its date, texts and side, but no amount and no balance.
 * @throws NodalError `validation_failed` for an amount in a cell that several dated rows share
 */
export function settleSpans(records: readonly TableRow[], columns: Columns): readonly CsvRecord[] {
  const { places, headings, skipped } = columns;
  const problems = new Problems();
  const movedAt = (["debit", "credit", "amount"] as const).flatMap((role) => places.get(role) ?? []);
  const left = new Set([...movedAt, ...(["balance", "fee", "tax"] as const).map((role) => places.get(role))]);
  const settled = records.map((row, index) => {
    const record = index < skipped ? row : settleNotes(row, columns, problems);
    const { cells, line, shared } = record;
    if (!shared || index < skipped) return record;
    const hasAmount = (text: string): boolean => (readAmount(text)?.paise ?? 0n) > 0n;
    const isLine = movedAt.some((place) => hasAmount(cells[place] ?? ""));
    const isDated = readDay(cells[places.get("date")!] ?? "") !== null;
    const split = movedAt.find((place) => (isLine || isDated) && hasAmount(shared.get(place) ?? ""));
    if (split !== undefined) {
      const sentence = `the amount “${shared.get(split)!}” is in a cell that spans several lines. Split the cell, so that each line has its own amount.`;
      problems.add(line, headings[split]!, sentence);
    }
    if (!isLine) return record;
    return { line, cells: cells.map((cell, place) => (left.has(place) ? cell : cell || (shared.get(place) ?? ""))) };
  });
  problems.refuse();
  return settled;
}

/**
 * Gives cells of amounts their exact values, takes hidden texts out of the others, and adds a problem for each cell whose text is not
 * surely what people see: one with hidden text in a column of amounts, dates or sides, with text that a style sheet hides in any column
 * of a line, and an amount of several parts.
 */
function settleNotes(row: TableRow, columns: Columns, problems: Problems): TableRow {
  if (!row.notes) return row;
  const { places, headings, spareMoney, narrationPlaces, referencePlaces } = columns;
  const roles = ["debit", "credit", "amount", "balance", "fee", "tax"] as const;
  const money = [...roles.map((role) => places.get(role)), ...spareMoney];
  const texts = [...narrationPlaces, ...referencePlaces];
  const cells = [...row.cells];
  for (const [place, { odd, exact, written, seen }] of row.notes) {
    const isMoney = money.includes(place);
    // A text below the lines may have such parts too.
    const isRead = isMoney
      ? odd === FORM_FIELD || readAmount(written) !== null || readAmount(seen) !== null
      : odd !== SEVERAL_PARTS &&
        (place === places.get("side") ||
          (place === places.get("date") && (readDay(written) ?? readDay(seen)) !== null) ||
          (odd === HIDDEN.sheet && texts.includes(place)));
    cells[place] = isMoney ? written : seen;
    if (odd !== null && isRead) {
      const problem = `the cell “${written}” has ${odd}, so its value is not clear. Save the file with a plain value in the cell.`;
      problems.add(row.line, headings[place]!, problem);
    } else if (isMoney && exact !== null) {
      const value = exactAmount(written, exact);
      if (value !== null) cells[place] = value;
      else {
        const problem = `the cell shows “${written}”, but its value is “${exact}”. Show amounts with two decimals, and save the file again.`;
        problems.add(row.line, headings[place]!, problem);
      }
    }
  }
  return { ...row, cells };
}
