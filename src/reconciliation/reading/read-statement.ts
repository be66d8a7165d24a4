// Reads a file of a bank or provider. If any part is wrong, nothing of it is used.
import { MAX_FILE_BYTES } from "../../platform/file-size.ts";
import { formatRupees } from "../../platform/indian-format.ts";
import { decodeTextFile, isWebPage, refuseMarkup } from "../../platform/text-file.ts";
import { readCamt053 } from "./read-camt053.ts";
import { isHtml, readCsvStatement } from "./read-csv.ts";
import { readMt940 } from "./read-mt940.ts";
import { readRazorpayx } from "./read-razorpayx.ts";
import {
  isNewestFirst,
  Problems,
  signed,
  unreadable,
  type ReadLine,
  type ReadOptions,
  type ReadStatement,
  type StatementFormat,
} from "./statement.ts";

const MAX_REFERENCE = 100;
const MAX_NARRATION = 2000;
/** Banks give debits on a holiday or late in the evening the date of the next working day. */
const DAYS_AHEAD = 2;

/**
 * Reads a statement into the account's order, the oldest line first. Running balances are checked line by line.
 * docs/rules/reconciliation.md#reading
 * @throws NodalError `validation_failed`, with line and column of each error
 */
export async function readStatementFile(bytes: Uint8Array, options: ReadOptions): Promise<ReadStatement> {
  if (bytes.length > MAX_FILE_BYTES) throw unreadable("The file is larger than 16 MB.", "Split it by days.");
  const text = decodeTextFile(bytes);
  if (!(isWebPage(text) && isHtml(text))) refuseMarkup(text);
  const read = await readAs(options.format ?? formatOf(text), text, options);
  if (read.lines.length === 0 && read.openingPaise === null) {
    const { notBookedCount: count } = read;
    const left = count === 0 ? "" : ` Its ${count} ${count === 1 ? "line was" : "lines were"} not booked.`;
    throw unreadable(`The file has no statement lines.${left}`, "Choose another file.");
  }
  refuseFuture(read.lines, options.today ?? Temporal.Now.plainDateISO("Asia/Kolkata"));
  const lines = inOrder(read).map((line) => ({
    ...line,
    reference: line.reference === null ? null : kept(line.reference, MAX_REFERENCE),
    narration: kept(line.narration, MAX_NARRATION),
  }));
  const openingPaise = read.openingPaise ?? openingBefore(lines);
  const last = lines.findLast(({ balancePaise }) => balancePaise !== null);
  const closingPaise = read.closingPaise ?? last?.balancePaise ?? null;
  if (openingPaise !== null && read.closingPaise !== null) requireClosing(openingPaise, lines, read.closingPaise);
  return { ...read, lines, openingPaise, closingPaise };
}

/** Removes characters that the database can't store but JSON can write. */
function kept(text: string, maxLength: number): string {
  return text
    .replaceAll(/[\p{Cc}\s]+/gu, " ")
    .trim()
    .slice(0, maxLength)
    .toWellFormed();
}

/** @throws NodalError `validation_failed` with the lines dated after the day on which their statement can have been made */
function refuseFuture(lines: readonly ReadLine[], today: Temporal.PlainDate): void {
  const last = today.add({ days: DAYS_AHEAD });
  const problems = new Problems();
  for (const { fileLine, bookedOn } of lines) {
    if (Temporal.PlainDate.compare(bookedOn, last) <= 0) continue;
    const problem = `${bookedOn.toString()} is in the future. Look at its year, and whether dates have the day or the month first.`;
    problems.add(fileLine, "date", problem);
  }
  problems.refuse();
}

/** @throws NodalError `validation_failed` if opening balance and lines do not give the closing balance */
function requireClosing(openingPaise: bigint, lines: readonly ReadLine[], closingPaise: bigint): void {
  const reached = lines.reduce((sum, line) => sum + signed(line), openingPaise);
  if (reached === closingPaise) return;
  throw unreadable(
    `The closing balance is ${formatRupees(closingPaise)}, but the opening balance and the lines add up to ${formatRupees(reached)}. A line is missing or was changed.`,
    "Download the whole statement. Nothing was imported.",
  );
}

/** The balance before the first line, if any line has a balance. */
function openingBefore(lines: readonly ReadLine[]): bigint | null {
  const first = lines.findIndex(({ balancePaise }) => balancePaise !== null);
  if (first < 0) return null;
  return lines.slice(0, first + 1).reduce((sum, line) => sum - signed(line), lines[first]!.balancePaise!);
}

function readAs(format: StatementFormat, text: string, options: ReadOptions): Promise<ReadStatement> {
  switch (format) {
    case "csv":
      return readCsvStatement(text, options);
    case "mt940":
      return readMt940(text);
    case "camt053":
      return readCamt053(text);
    case "razorpayx":
      return Promise.resolve(readRazorpayx(text));
  }
}

function formatOf(text: string): StatementFormat {
  const head = text.slice(0, 4096).trimStart();
  if (head.startsWith("<")) return isHtml(text) ? "csv" : "camt053";
  if (head.startsWith("{1:") || /^:20:/m.test(head)) return "mt940";
  return head.startsWith("{") || head.startsWith("[") ? "razorpayx" : "csv";
}

/**
 * The lines, the oldest first. Some banks put the newest first: the balances show it, or the days if there are none.
 * @throws NodalError `validation_failed` if the balances don't follow from the amounts
 */
function inOrder({ lines, openingPaise }: ReadStatement): readonly ReadLine[] {
  const newestFirst = isNewestFirst(lines);
  const broken = firstBreak(lines, openingPaise);
  const hasBalances = lines.some(({ balancePaise }) => balancePaise !== null);
  if (broken === null && (hasBalances || !newestFirst)) return lines;
  const turned = lines.toReversed();
  const turnedBroken = firstBreak(turned, openingPaise);
  if (turnedBroken === null) return turned;
  const { line, expected } = (newestFirst ? turnedBroken : broken)!;
  const problems = new Problems();
  problems.add(
    line.fileLine,
    "balance",
    `the statement says ${formatRupees(line.balancePaise!)}, but the previous balance and the line's amount add up to ${formatRupees(expected)}. A line is missing or was changed.`,
  );
  problems.refuse();
  return turned;
}

/** The first line whose balance doesn't follow from the one before it. Lines in between without a balance are added up. */
function firstBreak(
  lines: readonly ReadLine[],
  openingPaise: bigint | null,
): { line: ReadLine; expected: bigint } | null {
  let running = openingPaise;
  for (const line of lines) {
    if (running !== null) running += signed(line);
    if (line.balancePaise === null) continue;
    if (running !== null && running !== line.balancePaise) return { line, expected: running };
    running = line.balancePaise;
  }
  return null;
}
