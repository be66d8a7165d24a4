// Reads the rows of HTML tables. Banks save them under the name of Excel.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { CsvRecord } from "../../platform/csv.ts";
import { OTHER_ORDER } from "./css-meaning.ts";
import type { Columns } from "./csv-columns.ts";
import { LooksAround } from "./html-around.ts";
import { exactAmount, FORM_FIELD, HIDDEN, OpenCell, SEVERAL_PARTS, UNKNOWN, type CellNotes } from "./html-cells.ts";
import { HtmlEnd } from "./html-end.ts";
import { hidingOf, type HtmlStyles, type Look } from "./html-hidden.ts";
import { textOf } from "./html-text.ts";
import { tokensOfHtml, type HtmlToken } from "./html-tokens.ts";
import {
  refuseActions,
  refuseConditional,
  refuseDepth,
  refuseLink,
  refuseScript,
  refuseUnclear,
  refusingUnclear,
  stylesIn,
} from "./html-unclear.ts";
import { Problems, SLICE_LINES, unreadable } from "./statement.ts";
import { readAmount, readDay } from "./values.ts";

/** Elements that don't end a text outside tables. */
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
/** Why a narration or reference is unclear. */
const UNCLEAR_TEXTS: ReadonlySet<string> = new Set([HIDDEN.sheet, UNKNOWN, FORM_FIELD, OTHER_ORDER]);
/** Elements that begin a new row of text. */
const BREAKS: ReadonlySet<string> = new Set(["br", "p", "div"]);
/** The most nested elements that change a text's style, and the most cells in a row. */
const MAX_DEPTH = 200;
const MAX_CELLS = 400;
/** The most places in rows that cells above may span. */
const MAX_SPANNED = 1_000_000;
/** The most texts outside tables in a file. */
const MAX_ASIDES = 20_000;

/**
 * `shared` has the texts of cells above that span this row too, by place; `cells` is empty there. `notes` has what cells hold
 * besides their texts, by place.
 */
type TableRow = CsvRecord & {
  readonly shared?: ReadonlyMap<number, string>;
  readonly notes?: ReadonlyMap<number, CellNotes>;
};
/** A text outside tables, and the number of rows before it. */
export type Aside = { readonly after: number; readonly record: CsvRecord };

/** A row while it is read. `held`: cells above it that span further rows, by place. */
class OpenRow {
  readonly shared = new Map<number, string>();
  readonly notes = new Map<number, CellNotes>();
  readonly line: number;
  readonly look: Look;
  #cells: string[] = [];
  readonly #held: Map<number, { text: string; rows: number }>;

  constructor(line: number, held: Map<number, { text: string; rows: number }>, look: Look) {
    this.line = line;
    this.#held = held;
    this.look = look;
  }

  /** The place of the next cell. */
  nextPlace(): number {
    this.#passHeld();
    return this.#cells.length;
  }

  add(cell: OpenCell): void {
    const { columns, rows } = cell;
    this.#passHeld();
    if (this.#cells.length + columns > MAX_CELLS)
      throw unreadable(`The row on line ${this.line} has more than ${MAX_CELLS} cells.`, "Choose another file.");
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
    // Headings are found even in a hidden table, so that its lines can be refused.
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

/** Collects the texts outside tables. */
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

/** Builds the rows of tables from their tags and texts. */
class TableReader {
  readonly records: TableRow[] = [];
  readonly asides = new Asides();
  readonly #end = new HtmlEnd();
  readonly #styles: HtmlStyles;
  readonly #around: LooksAround;
  readonly #held = new Map<number, { text: string; rows: number }>();
  #row: OpenRow | null = null;
  #cell: OpenCell | null = null;
  #spannedCells = 0;
  #line = 1;

  constructor(styles: HtmlStyles) {
    this.#styles = styles;
    this.#around = new LooksAround(styles);
  }

  /** @throws NodalError `validation_failed` for a part that makes the page unclear, or shows that it was cut off */
  take(token: HtmlToken): void {
    const line = this.#line;
    if (token.kind === "text") this.#addText(token.text);
    else if (token.kind === "tag") this.#takeTag(token);
    else if (token.kind === "comment") {
      this.#end.seeAside(token.isClosed, line);
      refuseConditional(token.text, line);
    } else this.#takeRaw(token);
    this.#line += countBreaks(token.text);
  }

  /** @param tail the text after the last token */
  finish(tail: string): void {
    this.#end.finish(tail, this.#line, this.#row?.line ?? (this.#cell === null ? null : this.#line));
  }

  #addText(text: string): void {
    if (this.#cell) this.#cell.addText(text);
    else if (text.trim() !== "" && hidingOf(this.#around.look) === null) this.asides.add(text);
  }

  #takeRaw(token: Extract<HtmlToken, { kind: "raw" }>): void {
    this.#end.seeAside(token.isClosed, this.#line);
    if (token.name === "script") refuseScript(token, this.#line);
    if (token.name === "textarea" || token.name === "xmp")
      this.#cell?.open(token.name, token.attributes, this.#cell.innerLook);
    if (this.#cell && token.name !== "script" && token.name !== "style") this.#cell.addText(token.content);
  }

  #takeTag(token: Extract<HtmlToken, { kind: "tag" }>): void {
    const { name, isEnd, attributes, written } = token;
    const line = this.#line + countBreaks(token.text);
    this.#end.seeAttributes(written, this.#line);
    this.#end.seeTag(name, isEnd, this.#line);
    if (!INLINE.has(name)) this.asides.end(this.records.length, this.#line);
    if (isEnd) return this.#close(name);
    const look = this.#open(token, line);
    if (look === null) return;
    refuseActions(attributes, this.#line);
    refuseUnclear(look.unclear, this.#line);
    if (this.#around.depth + (this.#cell?.depth ?? 0) > MAX_DEPTH) refuseDepth(this.#line);
  }

  /** Opens an element. Returns its style. */
  #open(token: Extract<HtmlToken, { kind: "tag" }>, line: number): Look | null {
    const { name, attributes } = token;
    refuseLink(token, this.#line);
    if (name === "table") {
      const inCell = this.#cell?.innerLook ?? null;
      this.#endRow();
      this.#held.clear();
      return this.#around.open(token, inCell);
    }
    if (name === "tr") {
      this.#endRow();
      this.#row = new OpenRow(line, this.#held, this.#styles.lookIn(this.#around.look, token));
      return this.#row.look;
    }
    if (name === "td" || name === "th") {
      this.#endCell();
      const row = this.#row;
      const inRow = row ? this.#around.cellLook(row.look, row.nextPlace()) : this.#around.look;
      const look = this.#styles.lookIn(inRow, token);
      this.#cell = new OpenCell(attributes, look);
      return look;
    }
    if (!this.#cell) return this.#around.open(token);
    if (BREAKS.has(name)) this.#cell.addBreak();
    const look = this.#styles.lookIn(this.#cell.innerLook, token);
    this.#cell.open(name, attributes, look);
    return look;
  }

  #close(name: string): void {
    if (name === "table" || name === "tr") {
      this.#endRow();
      if (name === "table") {
        this.#held.clear();
        this.#around.close(name);
      }
    } else if (name === "td" || name === "th") this.#endCell();
    else if (!this.#cell) this.#around.close(name);
    else {
      if (BREAKS.has(name)) this.#cell.addBreak();
      this.#cell.close(name);
    }
  }

  #endCell(): void {
    if (this.#cell) this.#row?.add(this.#cell);
    this.#cell = null;
  }

  #endRow(): void {
    this.#endCell();
    const row = this.#row;
    const ended = row?.end() ?? null;
    if (ended) this.records.push(ended);
    this.#spannedCells += row?.shared.size ?? 0;
    if (this.#spannedCells > MAX_SPANNED)
      throw unreadable(`The file has more than ${MAX_SPANNED} cells that span rows.`, "Choose another file.");
    this.#row = null;
  }
}

/**
 * The rows of all tables, in order, as the records of a CSV file, without empty rows. A cell that spans columns is followed by
 * empty ones; places that a cell above spans are empty too. Unclosed cells and rows end where browsers end them.
 * @throws NodalError `validation_failed` if the file seems to be cut off, or has parts that may hide or move what people see
 */
export async function readHtmlTable(
  text: string,
  maxRecords: number,
): Promise<{ readonly records: TableRow[]; readonly asides: readonly Aside[] }> {
  const reader = new TableReader(stylesIn(text));
  const { records, asides } = reader;
  const tokens = tokensOfHtml(text);
  let seen = 0;
  for (;;) {
    const { value, done } = tokens.next();
    if (done) {
      reader.finish(text.slice(value));
      return { records, asides: asides.found };
    }
    refusingUnclear(() => reader.take(value));
    if (records.length === maxRecords) return { records, asides: asides.found };
    seen += 1;
    if (seen % (SLICE_LINES * 10) === 0) await nextTurn();
  }
}

function countBreaks(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

/**
 * Copies into each row with an amount of its own what it shares with rows above it: its date, texts and side, but no amount or
 * balance.
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
 * Gives amount cells their exact values, removes hidden texts from the others, and adds a problem for each cell whose text may
 * differ from what people see: hidden text in a column of amounts, dates or sides; text that a style sheet hides in any column of a
 * line; and an amount of several parts.
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
      ? odd === FORM_FIELD || odd === UNKNOWN || readAmount(written) !== null || readAmount(seen) !== null
      : odd !== SEVERAL_PARTS &&
        (place === places.get("side") ||
          (place === places.get("date") && (readDay(written) ?? readDay(seen)) !== null) ||
          (odd !== null && UNCLEAR_TEXTS.has(odd) && texts.includes(place)));
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
