// Files whose dates are written in numbers: `03/12/2026` is 3 December in India, and 12 March in the United States.
import { typedDate, type DateOrder } from "./as-typed.ts";
import type { CsvRecord } from "./csv.ts";
import { fieldsRefusal } from "./errors.ts";

/**
 * Converts the dates in these columns to YYYY-MM-DD. Their order is given by the sender, or by a date that only fits
 * one order. A text that is no date in that order stays unchanged. docs/rules/values-and-errors.md#dates-in-files
 * @throws NodalError `validation_failed` with the field `date_order` if the order is unknown
 */
export function settleDates(
  rows: readonly CsvRecord[],
  columns: readonly number[],
  given: DateOrder | null,
): readonly CsvRecord[] {
  if (columns.length === 0) return rows;
  const order = given ?? orderOf(rows, columns);
  return rows.map((row) => ({
    ...row,
    cells: row.cells.map((cell, index) => (columns.includes(index) ? (typedDate(cell, null, order) ?? cell) : cell)),
  }));
}

function orderOf(rows: readonly CsvRecord[], columns: readonly number[]): DateOrder {
  let unsure: { readonly line: number; readonly written: string } | null = null;
  let isMonthFirst = false;
  for (const { line, cells } of rows) {
    for (const column of columns) {
      const written = cells[column] ?? "";
      const [day, month] = [typedDate(written), typedDate(written, null, "month-first")];
      if (day !== null && month === null) return "day-first";
      if (day === null && month !== null) isMonthFirst = true;
      if (day !== null && month !== null && day !== month) unsure ??= { line, written };
    }
  }
  if (isMonthFirst) return "month-first";
  if (unsure === null) return "day-first";
  const problem = `The date ${unsure.written} on line ${unsure.line} is ambiguous: the day or the month may come first, and no other date in the file shows which. Choose day-first or month-first, or write dates as 2026-12-03.`;
  throw fieldsRefusal("validation_failed", [{ field: "date_order", code: "required", problem }]);
}
