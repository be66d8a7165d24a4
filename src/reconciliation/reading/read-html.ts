// Reads the rows of HTML tables. Banks save them under the name of Excel.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { CsvRecord } from "../../platform/csv.ts";
import type { Columns } from "./csv-columns.ts";
import {
  exactAmount,
  FORM_FIELD,
  HiddenAround,
  isHidden,
  OpenCell,
  SEVERAL_PARTS,
  type CellNotes,
} from "./html-cells.ts";
import { HtmlEnd } from "./html-end.ts";
import { Problems, SLICE_LINES } from "./statement.ts";
import { readAmount, readDay } from "./values.ts";

const TAG =
  /<!--[\s\S]*?(?:-->|$)|<(script|style)\b[\s\S]*?(?:<\/\1\s*>|$)|<(\/?)([a-z][a-z0-9:]*)((?:"[^"]*"|'[^']*'|[^<>"'])*)>/gi;
const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  rsquo: "’",
};

/**
 * `shared` has the texts of cells above that span this row too, by their places; in `cells` these places are empty. `notes` has what
 * cells have beside their texts, by their places.
 */
type TableRow = CsvRecord & {
  readonly shared?: ReadonlyMap<number, string>;
  readonly notes?: ReadonlyMap<number, CellNotes>;
};

/** A row that is being read, among cells of rows above it that go on for some rows: `held`, by place. */
class OpenRow {
  readonly cells: string[] = [];
  readonly shared = new Map<number, string>();
  readonly notes = new Map<number, CellNotes>();
  readonly line: number;
  readonly isHidden: boolean;
  readonly #held: Map<number, { text: string; rows: number }>;

  constructor(line: number, held: Map<number, { text: string; rows: number }>, isRowHidden: boolean) {
    this.line = line;
    this.#held = held;
    this.isHidden = isRowHidden;
  }

  add(cell: OpenCell): void {
    const { columns, rows } = cell;
    const text = textOf(cell.parts);
    this.#passHeld();
    const notes = cell.notes();
    if (notes.odd !== null || notes.exact !== null) this.notes.set(this.cells.length, notes);
    for (let count = 0; count < columns; count += 1) {
      const own = count === 0 ? text : "";
      if (rows > 1) this.#held.set(this.cells.length, { text: own, rows: rows - 1 });
      this.cells.push(own);
    }
  }

  end(): TableRow | null {
    this.#passHeld();
    for (const place of [...this.#held.keys()].filter((each) => each > this.cells.length)) {
      while (this.cells.length < place) this.cells.push("");
      this.#passHeld();
    }
    if (this.cells.every((each) => each === "")) return null;
    const { line, cells, shared, notes } = this;
    return { line, cells, ...(shared.size > 0 && { shared }), ...(notes.size > 0 && { notes }) };
  }

  #passHeld(): void {
    for (;;) {
      const place = this.cells.length;
      const held = this.#held.get(place);
      if (!held) return;
      if (held.text !== "") this.shared.set(place, held.text);
      if (held.rows > 1) held.rows -= 1;
      else this.#held.delete(place);
      this.cells.push("");
    }
  }
}

/**
 * The rows of all tables, in order, as the records of a CSV file; empty rows are left out. A cell that spans columns is followed by
 * empty ones, and so are places that a cell above spans. Cells and rows that nothing closes are closed by what follows, as browsers do.
 * @throws NodalError `validation_failed` if the file seems to be cut off
 */
export async function readHtmlTable(text: string, maxRecords: number): Promise<TableRow[]> {
  const records: TableRow[] = [];
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
  const around = new HiddenAround();
  let reached = 0;
  let line = 1;
  let seen = 0;
  for (const match of text.matchAll(TAG)) {
    const between = text.slice(reached, match.index);
    cell?.addText(between);
    line += countBreaks(between);
    end.seeText(between, line);
    const name = match[3]?.toLowerCase();
    const isEnd = match[2] === "/";
    if (name === undefined) end.seeAside(match[0], line);
    else if (!match[4]!.endsWith("/")) end.seeTag(name, isEnd, line);
    line += countBreaks(match[0]);
    reached = match.index + match[0].length;
    const isCell = name === "tr" || name === "td" || name === "th";
    if (name !== undefined && !isCell) around.see(name, match[4]!, isEnd, cell !== null);
    if (name === "tr" || name === "table") {
      endRow();
      if (name === "table") held.clear();
      else if (!isEnd) row = new OpenRow(line, held, around.isHidden || isHidden(match[4]!));
    } else if (name === "td" || name === "th") {
      endCell();
      if (!isEnd) cell = new OpenCell(match[4]!, row?.isHidden ?? false);
    } else if (name !== undefined) {
      if (name === "br" || name === "p" || name === "div") cell?.parts.push("\n");
      cell?.addTag(name, match[4]!, isEnd);
    }
    if (records.length === maxRecords) return records;
    seen += 1;
    if (seen % (SLICE_LINES * 10) === 0) await nextTurn();
  }
  end.finish(text.slice(reached), line, row?.line ?? (cell === null ? null : line));
  return records;
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
 * Gives cells of amounts their exact values, and adds a problem for each cell whose text is not surely what people see: one with hidden
 * text in a column of amounts, dates or sides, and an amount of several parts.
 */
function settleNotes(row: TableRow, { places, headings, spareMoney }: Columns, problems: Problems): TableRow {
  if (!row.notes) return row;
  const roles = ["debit", "credit", "amount", "balance", "fee", "tax"] as const;
  const money = [...roles.map((role) => places.get(role)), ...spareMoney];
  const cells = [...row.cells];
  for (const [place, { odd, exact }] of row.notes) {
    const text = cells[place]!;
    const isMoney = money.includes(place);
    // A text below the lines may have such parts too.
    const isRead = isMoney
      ? odd === FORM_FIELD || readAmount(text) !== null
      : odd !== SEVERAL_PARTS && (place === places.get("side") || (place === places.get("date") && readDay(text)));
    if (odd !== null && isRead) {
      const problem = `the cell “${text}” has ${odd}, so its value is not clear. Save the file with a plain value in the cell.`;
      problems.add(row.line, headings[place]!, problem);
    } else if (isMoney && exact !== null) {
      const value = exactAmount(text, exact);
      if (value !== null) cells[place] = value;
      else {
        const problem = `the cell shows “${text}”, but its value is “${exact}”. Show amounts with two decimals, and save the file again.`;
        problems.add(row.line, headings[place]!, problem);
      }
    }
  }
  return { ...row, cells };
}

/** Blanks and line breaks of the source are one blank; `br` is a line break. */
function textOf(parts: readonly string[]): string {
  const text = parts.map((part) => (part === "\n" ? part : part.replaceAll(/\s+/g, " "))).join("");
  const decoded = text.replaceAll(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]+));/gi,
    (whole, decimal: string, hex: string, name: string) => {
      if (name) return ENTITIES[name.toLowerCase()] ?? whole;
      const point = decimal ? Number(decimal) : Number.parseInt(hex, 16);
      return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
    },
  );
  return decoded
    .split("\n")
    .map((row) => row.trim())
    .join("\n")
    .trim();
}
