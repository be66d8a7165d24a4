// CSV as RFC 4180 has it, safe to open in a spreadsheet.
// What belongs here: cells and lines. Which columns there are is the caller's choice.
import { formatPaise } from "./money.ts";

/** Text, or an amount in paise, which is written in rupees. */
export type CsvCell = string | bigint;

/**
 * One line, without its line break (CRLF). A spreadsheet would run a text that begins like a formula (`=`, `+`, `-`, `@`,
 * tab or return), so such a text gets an apostrophe before it, which says that text follows. Amounts stay numbers.
 */
export function csvLine(cells: readonly CsvCell[]): string {
  return cells.map((cell) => (typeof cell === "bigint" ? formatPaise(cell) : quote(disarm(cell)))).join(",");
}

/** Takes back the apostrophe that `csvLine` puts before a text. */
export function rearm(cell: string): string {
  return /^'[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell;
}

function disarm(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}

function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
