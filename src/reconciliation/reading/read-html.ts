// Reads the rows of HTML tables. Banks save them under the name of Excel.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { CsvRecord } from "../../platform/csv.ts";
import { SLICE_LINES } from "./statement.ts";

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

/**
 * The rows of all tables, in order, as the records of a CSV file; empty rows are left out. A cell that spans columns is followed by
 * empty ones. Tags that nothing closes are closed by what follows, as browsers do.
 */
export async function readHtmlTable(text: string, maxRecords: number): Promise<CsvRecord[]> {
  const records: CsvRecord[] = [];
  let row: { line: number; cells: string[] } | null = null;
  let cell: { parts: string[]; span: number } | null = null;
  const endCell = (): void => {
    if (cell) row?.cells.push(textOf(cell.parts), ...Array<string>(cell.span - 1).fill(""));
    cell = null;
  };
  const endRow = (): void => {
    endCell();
    if (row?.cells.some((each) => each !== "")) records.push(row);
    row = null;
  };
  let reached = 0;
  let line = 1;
  let seen = 0;
  for (const match of text.matchAll(TAG)) {
    const between = text.slice(reached, match.index);
    (cell as { parts: string[] } | null)?.parts.push(between);
    line += countBreaks(between) + countBreaks(match[0]);
    reached = match.index + match[0].length;
    const name = match[3]?.toLowerCase();
    const isEnd = match[2] === "/";
    if (name === "tr" || name === "table") {
      endRow();
      if (name === "tr" && !isEnd) row = { line, cells: [] };
    } else if (name === "td" || name === "th") {
      endCell();
      if (!isEnd) cell = { parts: [], span: spanOf(match[4]!) };
    } else if (name === "br" || name === "p" || name === "div") (cell as { parts: string[] } | null)?.parts.push("\n");
    if (records.length === maxRecords) return records;
    seen += 1;
    if (seen % (SLICE_LINES * 10) === 0) await nextTurn();
  }
  endRow();
  return records;
}

function countBreaks(text: string): number {
  return text.split("\n").length - 1;
}

function spanOf(attributes: string): number {
  const span = Number(/\bcolspan\s*=\s*["']?(\d{1,4})/i.exec(attributes)?.[1] ?? 1);
  return Math.min(Math.max(span, 1), MAX_SPAN);
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
