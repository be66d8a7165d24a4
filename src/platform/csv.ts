// CSV by RFC 4180, safe to open in a spreadsheet, and read from the variants that spreadsheets write.
import { stringify } from "csv-stringify/sync";
import { formatPaise } from "./money.ts";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { CsvError, parse, type InfoRecord } from "csv-parse/stream";
import { blankStarts, type BlankStart } from "./csv-damage.ts";
import { fieldRefusal, type NodalError } from "./errors.ts";
import { withoutGrouping } from "./money.ts";
import { Gate } from "./gate.ts";

/** Text, or an amount in paise, which is written in rupees. */
export type CsvCell = string | bigint;

/**
 * Rows as lines with a line break (CRLF) each. A spreadsheet would run a text that begins like a formula (`=`, `+`,
 * `-`, `@`, also in full width, tab or return), so such a text gets an apostrophe, the spreadsheet's mark for text.
 * Amounts stay numbers.
 */
export function csvText(rows: readonly (readonly CsvCell[])[]): string {
  return stringify(rows as CsvCell[][], {
    record_delimiter: "\r\n",
    // The library only quotes values with a whole CRLF, but CR or LF alone breaks the line as well.
    quoted_match: /[\r\n]/,
    escape_formulas: true,
    cast: { bigint: (paise) => ({ value: formatPaise(paise), escape_formulas: false }) },
  });
}

/**
 * Rows as a file: `csvText` with a byte order mark. Without it, Excel reads UTF-8 as Windows-1252 and garbles names in Hindi.
 */
export function csvFile(rows: readonly (readonly CsvCell[])[]): string {
  return BYTE_ORDER_MARK + csvText(rows);
}

/** Lines per chunk. */
const LINES_AT_ONCE = 500;

/** A file of a line of headings and one line for each row, in pieces. */
export async function* csvPieces<Row>(
  columns: Readonly<Record<string, (row: Row) => CsvCell>>,
  rows: AsyncIterable<Row>,
): AsyncGenerator<string> {
  const cells = Object.values(columns);
  yield csvFile([Object.keys(columns)]);
  let waiting: CsvCell[][] = [];
  for await (const row of rows) {
    waiting.push(cells.map((cell) => cell(row)));
    if (waiting.length < LINES_AT_ONCE) continue;
    yield csvText(waiting);
    waiting = [];
  }
  if (waiting.length > 0) yield csvText(waiting);
}

/**
 * A cell's real text: without the apostrophe that `csvText` adds, and without the formula `="0042"` that prevents Excel
 * from turning a text into a number.
 */
function plainCell(cell: string): string {
  const formula = /^="((?:[^"]|"")*)"$/.exec(cell);
  if (formula) return formula[1]!.replaceAll('""', '"').trim();
  return /^'[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/.test(cell) ? cell.slice(1) : cell;
}

export type CsvRecord = {
  /** The line of the file where the record begins, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
  /** Does the file end without a line break? Then the rest of the last line may be missing. */
  readonly isUnfinished?: boolean;
  /** The separator of its cells, in a CSV file. */
  readonly separator?: string;
  /** The cells with leading blanks, if any. */
  readonly blankStarts?: readonly BlankStart[];
};

export type CsvLimits = {
  /** The field name of the file in errors. */
  readonly field: string;
  /** Reading stops after so many records: pass one more than the file may have. */
  readonly maxRecords: number;
  /** For whom it is read: keys take turns. */
  readonly key: string;
  /** The separator if the first line doesn't show it. */
  readonly separator?: string;
};

/** At the start of a CSV file, it tells spreadsheets that the text is UTF-8. */
const BYTE_ORDER_MARK = "\uFEFF";
/** Excel's line above the headings, which declares the separator. */
const SEPARATOR_LINE = /^"?sep=([,;\t|])"?[ \t]*(?=\n|$)/i;
/** Per record. The longest line of invoices has 20 rows of 5 cells, and the template's fields. */
const MAX_CELLS = 1000;
const MAX_RECORD_BYTES = 1024 * 1024;
/** Characters to parse before other requests get a turn. */
const PIECE_CHARACTERS = 16 * 1024;
/** Only hostile pieces take longer, such as one with nothing but commas. */
const SHORT_MS = 10;

/** Reading a file takes much memory: two files at once, one per key. */
const reading = new Gate({
  atOnce: 2,
  atOncePerKey: 1,
  maxWaiting: 32,
  maxWaitingPerKey: 4,
  waitMs: 60_000,
  refusal: "Too many CSV files are being read at once: wait until one of yours is done, then try again.",
});

/**
 * The problem of a record below so many headings; `null` if there is none: docs/rules/values-and-errors.md#csv-files.
 * An unquoted comma splits a cell in two and moves the cells after it: an amount of `1,590.00` would be read as 1.
 */
export function shapeProblem({ cells, isUnfinished }: CsvRecord, headings: number): string | null {
  if (cells.length > headings) {
    return `has ${cells.length} cells under ${headings} headings: put an amount or a text with a comma in quotation marks, such as "1,590.00".`;
  }
  if (cells.length < headings && isUnfinished) {
    return `ends after ${cells.length} of ${headings} cells at the end of the file, which seems to be cut off. Save it again, or complete the line.`;
  }
  return null;
}

/** An amount has at most so many groups: `12,34,56,78,90,123.00`. */
const MAX_GROUPS = 6;

/**
 * Was the amount in the cell at `place` cut at its commas, with the rest in the cells after it (`1`, `23`, `456.00`)?
 * In a file of amounts, a cell without decimals before one with decimals is no separate amount.
 */
export function isCutAmountAt(cells: readonly string[], place: number): boolean {
  const first = cells[place] ?? "";
  if (!/^\d{1,3}$/.test(first)) return false;
  for (let count = 2; count <= MAX_GROUPS; count += 1) {
    const last = cells[place + count - 1] ?? "";
    if (!/^\d{2,3}(?:\.\d{1,2})?$/.test(last)) return false;
    if (last.includes(".")) return withoutGrouping(cells.slice(place, place + count).join(",")) !== null;
  }
  return false;
}

/**
 * The records of a text, without empty lines and a first line `sep=;`. Cells are trimmed, and formulas that only quote
 * a text are replaced by it. Yields to other work in between.
 * @throws NodalError `validation_failed` for unbalanced quotation marks, or a line that is far too long; `unavailable`
 * if too many files are being read
 */
export function readCsv(text: string, limits: CsvLimits): Promise<CsvRecord[]> {
  return reading.run(limits.key, () => readRecords(text, limits));
}

async function readRecords(text: string, { field, maxRecords, separator }: CsvLimits): Promise<CsvRecord[]> {
  const whole = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  const head = plainBreaks(whole.slice(0, PIECE_CHARACTERS));
  const separatorLine = SEPARATOR_LINE.exec(head);
  // Keep an empty line, so that line numbers stay correct.
  const source = separatorLine ? whole.slice(separatorLine[0].length) : whole;
  const delimiter = separatorLine?.[1] ?? separator ?? separatorOf(head);
  const records: CsvRecord[] = [];
  let lastLine = 0;
  const take = ({ record, raw }: RawRecord, { lines }: InfoRecord): null => {
    if (records.length === maxRecords) return null;
    if (record.length > MAX_CELLS) throw unreadable(field, `has ${record.length} cells on line ${lines}`);
    const breaks = record.reduce((count, cell) => count + cell.split("\n").length - 1, 0);
    const cells = record.map((cell) => plainCell(cell.trim()));
    const unclosed = cells.find((cell) => /^="[^"]*$/.test(cell));
    if (unclosed !== undefined)
      throw unreadable(field, `has a cell ${unclosed.slice(0, 40)} on line ${lines - breaks} that nothing closes`);
    const starts = blankStarts(raw, delimiter);
    records.push({
      line: lines - breaks,
      cells,
      separator: delimiter,
      ...(starts.length > 0 && { blankStarts: starts }),
    });
    lastLine = lines;
    return null;
  };
  const writer = writerOf(delimiter, take);
  let lineCount = 1;
  let sinceBreak = 0;
  try {
    for (const piece of piecesOf(source)) {
      const startedAtMs = performance.now();
      const lines = plainBreaks(piece);
      const breaks = lines.split("\n").length - 1;
      lineCount += breaks;
      sinceBreak = breaks > 0 ? 0 : sinceBreak + lines.length;
      // The parser only limits the content of cells, and not their number.
      if (sinceBreak > MAX_RECORD_BYTES) throw unreadable(field, tooLong(lastLine));
      await writer.write(Buffer.from(lines));
      if (records.length === maxRecords) return records;
      await restAfter(startedAtMs);
    }
    // Throws the error of the last piece: closing a failed stream would only report that it can't be closed.
    await writer.ready;
    await writer.close();
  } catch (error) {
    throw error instanceof CsvError ? unreadable(field, problemOf(error, lastLine)) : error;
  }
  const last = records.at(-1);
  if (last && !/[\r\n]$/.test(source) && lastLine === lineCount) {
    records[records.length - 1] = { ...last, isUnfinished: true };
  }
  return records;
}

function plainBreaks(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n");
}

/** Splits a text into pieces, but never within a line break or a character. */
function* piecesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    let end = from + PIECE_CHARACTERS;
    const isSplit = /^(?:\r\n|[\ud800-\udbff][\udc00-\udfff])/.test(text.slice(end - 1, end + 1));
    if (isSplit) end += 1;
    yield text.slice(from, end);
    from = end;
  }
}

/** Yields to other work; after a slow piece for as long as that took. */
async function restAfter(startedAtMs: number): Promise<void> {
  const tookMs = performance.now() - startedAtMs;
  await (tookMs < SHORT_MS ? nextTurn() : sleep(tookMs));
}

/** A record, with its text in the file. */
type RawRecord = { readonly record: readonly string[]; readonly raw: string };

/** A parser as a writer. It passes records to `onRecord` during writes, and nowhere else. */
function writerOf(delimiter: string, onRecord: (record: RawRecord, context: InfoRecord) => null) {
  return parse({
    delimiter,
    record_delimiter: "\n",
    ltrim: true,
    rtrim: true,
    relax_quotes: true,
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    max_record_size: MAX_RECORD_BYTES,
    raw: true,
    // The callback's type with `raw`, which is missing in the library's types.
    on_record: onRecord as never,
  }).writable.getWriter();
}

function tooLong(lastLine: number): string {
  return `has an unclosed quotation mark after line ${lastLine}, or a line that is too long`;
}

/**
 * The parser's problem as text. It only notices an open quotation mark at the end of the file: then the last good line
 * tells more.
 */
function problemOf(error: CsvError, lastLine: number): string {
  if (error.code === "CSV_MAX_RECORD_SIZE" || error.code === "CSV_QUOTE_NOT_CLOSED") {
    return tooLong(lastLine);
  }
  return `has text after a closing quotation mark on line ${Number(error["lines"])}`;
}

function unreadable(field: string, problem: string): NodalError {
  const remedy = "put texts with commas in quotation marks, and double each quotation mark inside them.";
  return fieldRefusal("validation_failed", field, `The file ${problem}: ${remedy}`);
}

/** The most frequent of comma, semicolon and tab in the first non-empty line, outside quotes. Only its beginning is read. */
function separatorOf(source: string): string {
  const head = (
    source
      .slice(0, PIECE_CHARACTERS)
      .replace(/^(?:[ \t]*\n)+/, "")
      .split("\n", 1)[0] ?? ""
  ).replaceAll(/"[^"]*"/g, "");
  const counts = [",", ";", "\t"].map((separator) => ({ separator, count: head.split(separator).length }));
  return counts.reduce((most, each) => (each.count > most.count ? each : most)).separator;
}
