// How commands write for people: records as lines, lists as tables.
// What belongs here: layout. What is shown is the command's choice.

type Value = string | number | boolean | null;
type Entries = Readonly<Record<string, Value>>;

/** The end of a command's help. */
export function example(line: string): string {
  return `\nExample:\n  ${line}`;
}

/** One line for each entry, values below one another. */
export function formatRecord(record: Entries): string {
  const entries = Object.entries(record).map(([name, value]) => [name, text(value)]);
  return layOut(entries);
}

/** A table of records that have the same entries; `whenEmpty` is the sentence for an empty one. */
export function formatTable(records: readonly Entries[], whenEmpty: string): string {
  if (records.length === 0) return whenEmpty;
  const headings = Object.keys(records[0]!);
  return layOut([headings, ...records.map((record) => headings.map((heading) => text(record[heading]!)))]);
}

function layOut(rows: readonly string[][]): string {
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

function text(value: Value): string {
  if (value === null || value === "") return "-";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return String(value);
}
