// Output of commands: one JSON value, or records as lines and lists as tables for people.
import { writeSync } from "node:fs";
import { describeFailure } from "./failure.ts";

/** The result of a command. */
export type Answer = {
  /** The value for `--json`. Ids and amounts in it are strings: a bigint here is an error. */
  readonly json: unknown;
  /** The same for people, without the last line break. */
  readonly text: string;
  /** 1 if the result itself is a failure, such as violations. */
  readonly exitCode?: 0 | 1;
};

type Value = string | number | boolean | null;
export type Entries = Readonly<Record<string, Value>>;

/** One record, with sentences after it. */
export function recordAnswer(record: Entries, ...sentences: readonly string[]): Answer {
  return { json: record, text: paragraphs(formatRecord(record), ...sentences) };
}

/** A list with the given columns in the table; `whenEmpty` is the sentence for an empty one. */
export function listAnswer<Column extends string>(
  records: readonly Readonly<Record<Column, Value>>[],
  whenEmpty: string,
  columns?: readonly Column[],
  more = "",
): Answer {
  return { json: records, text: paragraphs(formatTable(records, whenEmpty, columns), more) };
}

/** Joins texts with an empty line between them; empty ones are left out. */
export function paragraphs(...texts: readonly string[]): string {
  return texts.filter((part) => part !== "").join("\n\n");
}

/** A hint that something needs approval, and how to approve it; empty if it doesn't. */
export function waitsForApproval(what: string, approvalId: bigint | null): string {
  if (approvalId === null) return "";
  return `${what} needs a second approver: \`nodal approval approve\` or \`reject\`, with --approval ${approvalId}. It takes effect once approved.`;
}

/** One line for each entry, values below one another. */
export function formatRecord(record: Entries): string {
  const entries = Object.entries(record).map(([name, value]) => [name, text(value)]);
  return layOut(entries);
}

type Notes = readonly { readonly line: number; readonly field: string; readonly message: string }[];

/** The notes of a file's preview about its lines and columns; empty if there are none. */
export function formatNotes({
  errors,
  warnings,
  ignored,
}: {
  readonly errors: Notes;
  readonly warnings: Notes;
  readonly ignored: readonly string[];
}): string {
  const table = (notes: Notes): string => formatTable(notes, "", ["line", "field", "message"]);
  return paragraphs(
    errors.length === 0 ? "" : `Errors (must be fixed):\n${table(errors)}`,
    warnings.length === 0 ? "" : `Warnings:\n${table(warnings)}`,
    ignored.length === 0 ? "" : `Unknown columns: ${ignored.join(", ")}.`,
  );
}

/**
 * A table of records: all their entries, in order of first appearance, or those of `columns`. A missing entry shows as
 * `-`. A table wider than the terminal becomes a list of records, each with its entries below one another, so that no
 * value is cut or wrapped. Files and pipes get the table.
 */
export function formatTable<Column extends string>(
  records: readonly Readonly<Record<Column, Value>>[],
  whenEmpty: string,
  columns = [...new Set(records.flatMap(Object.keys))] as readonly string[] as readonly Column[],
  widthOfTerminal = process.stdout.isTTY ? process.stdout.columns : Infinity,
): string {
  if (records.length === 0) return whenEmpty;
  const table = layOut([columns, ...records.map((record) => columns.map((column) => text(record[column])))]);
  if (table.split("\n").every((line) => line.length <= widthOfTerminal)) return table;
  return records
    .map((record) => formatRecord(Object.fromEntries(columns.map((column) => [column, record[column]]))))
    .join("\n\n");
}

function layOut(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  }
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function text(value: Value | undefined): string {
  if (value === undefined || value === null || value === "") return "-";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return String(value);
}

/** Prints an answer, and sets the exit code. A closed pipe, as with `head`, is no failure; a full disk is. */
export function printAnswer(answer: Answer, asJson: boolean): Promise<void> {
  process.exitCode = answer.exitCode ?? 0;
  return new Promise((resolve, reject) => {
    process.stdout.write(`${asJson ? JSON.stringify(answer.json) : answer.text}\n`, (error) =>
      error && !isClosedPipe(error) ? reject(error) : resolve(),
    );
  });
}

/**
 * Lets the process continue silently after a closed pipe, with its usual exit code. Other errors of the streams, such
 * as a full disk, end it with a message.
 */
export function ignoreClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    if (stream.listeners("error").includes(onError)) continue;
    stream.on("error", onError);
  }
}

function onError(error: Error): void {
  if (isClosedPipe(error)) return;
  // If standard error itself is broken, the exit code must be enough.
  writeSync(process.stderr.fd, `nodal: the output can't be written: ${describeFailure(error)}\n`);
  process.exit(1);
}

/** Does a stream's error mean that its reader has closed it? */
function isClosedPipe(error: Error): boolean {
  return (error as NodeJS.ErrnoException).code === "EPIPE";
}
