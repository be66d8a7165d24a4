// Reads the rows of HTML tables. Banks save them under the name of Excel.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { CsvRecord } from "../../platform/csv.ts";
import type { Columns } from "./csv-columns.ts";
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
const MAX_SPAN = 100;

/** `shared` has the texts of cells above that span this row too, by their places; in `cells` these places are empty. */
type TableRow = CsvRecord & { readonly shared?: ReadonlyMap<number, string> };

/** A row that is being read, among cells of rows above it that go on for some rows: `held`, by place. */
class OpenRow {
  readonly cells: string[] = [];
  readonly shared = new Map<number, string>();
  readonly line: number;
  readonly #held: Map<number, { text: string; rows: number }>;

  constructor(line: number, held: Map<number, { text: string; rows: number }>) {
    this.line = line;
    this.#held = held;
  }

  add(text: string, columns: number, rows: number): void {
    this.#passHeld();
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
    return { line: this.line, cells: this.cells, ...(this.shared.size > 0 && { shared: this.shared }) };
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
  let cell: { parts: string[]; columns: number; rows: number } | null = null;
  const endCell = (): void => {
    if (cell) row?.add(textOf(cell.parts), cell.columns, cell.rows);
    cell = null;
  };
  const endRow = (): void => {
    endCell();
    const ended = row?.end() ?? null;
    if (ended) records.push(ended);
    row = null;
  };
  const end = new HtmlEnd();
  let reached = 0;
  let line = 1;
  let seen = 0;
  for (const match of text.matchAll(TAG)) {
    const between = text.slice(reached, match.index);
    (cell as { parts: string[] } | null)?.parts.push(between);
    line += countBreaks(between);
    end.seeText(between, line);
    const name = match[3]?.toLowerCase();
    const isEnd = match[2] === "/";
    if (name === undefined) end.seeAside(match[0], line);
    else if (!match[4]!.endsWith("/")) end.seeTag(name, isEnd, line);
    line += countBreaks(match[0]);
    reached = match.index + match[0].length;
    if (name === "tr" || name === "table") {
      endRow();
      if (name === "table") held.clear();
      else if (!isEnd) row = new OpenRow(line, held);
    } else if (name === "td" || name === "th") {
      endCell();
      if (!isEnd) cell = { parts: [], ...spansOf(match[4]!) };
    } else if (name === "br" || name === "p" || name === "div") (cell as { parts: string[] } | null)?.parts.push("\n");
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

function spansOf(attributes: string): { columns: number; rows: number } {
  const columns = Number(/\bcolspan\s*=\s*["']?(\d{1,4})/i.exec(attributes)?.[1] ?? 1);
  const rows = Number(/\browspan\s*=\s*["']?(\d{1,6})/i.exec(attributes)?.[1] ?? 1);
  // A span of 0 rows goes on to the end of the table.
  return { columns: Math.min(Math.max(columns, 1), MAX_SPAN), rows: rows === 0 ? Infinity : rows };
}

/**
 * Gives each row with an amount of its own what it shares with rows above it: its date, texts and side, but no amount and no balance.
 * @throws NodalError `validation_failed` for an amount in a cell that several dated rows share
 */
export function settleSpans(
  records: readonly TableRow[],
  { places, headings, skipped }: Columns,
): readonly CsvRecord[] {
  const problems = new Problems();
  const movedAt = (["debit", "credit", "amount"] as const).flatMap((role) => places.get(role) ?? []);
  const left = new Set([...movedAt, ...(["balance", "fee", "tax"] as const).map((role) => places.get(role))]);
  const settled = records.map((record, index) => {
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
