// A CSV file that ends without a line break: whether its last cell may have been cut.
import type { CsvRecord } from "../../platform/csv.ts";
import { cellAt, dateCell } from "./csv-cells.ts";
import type { Columns } from "./csv-columns.ts";
import { sideInColumn } from "./csv-sides.ts";
import { Problems, type ColumnRole, type DateOrder } from "./statement.ts";
import { isNothing, readAmount, readBalance, readDay } from "./values.ts";

const MONEY = ["debit", "credit", "amount", "fee", "tax"] as const satisfies readonly ColumnRole[];
/** The beginning of a date: `2`, `20/1`, `20-Nov`. */
const PART_OF_DATE = /^\d{1,2}$|^\d{1,4}[-/.](?:\w{0,9}[-/.]?\d{0,4})?$/;

/**
 * Refuses a file without a final line break if the last cell may have been cut and its rest would change what is booked: an amount,
 * a date, a side or a status. The line is accepted if its amount has the decimals of the others, or a balance proves it.
 * @param records those below the headings
 * @throws NodalError `validation_failed` with the line
 */
export function refuseCutEnd(records: readonly CsvRecord[], columns: Columns, order: DateOrder): void {
  const last = records.at(-1);
  if (last?.isUnfinished !== true) return;
  const problem = problemOf(last, records.slice(0, -1), { columns, order });
  if (problem === null) return;
  const problems = new Problems();
  const sentence = `${problem}, and the file ends there without a line break, so it seems to be cut off. Download the statement again, or end the line with a line break if it is whole.`;
  problems.add(last.line, columns.headings[last.cells.length - 1] || "cells", sentence);
  problems.refuse();
}

type Known = { readonly columns: Columns; readonly order: DateOrder };

function problemOf(last: CsvRecord, others: readonly CsvRecord[], { columns, order }: Known): string | null {
  const { headings, places } = columns;
  const place = last.cells.length - 1;
  const written = last.cells[place]!;
  const isDated = (record: CsvRecord): boolean => readDay(dateCell(record, columns), order) !== null;
  const isShort = last.cells.length < headings.length;
  if (!isDated(last)) {
    const isCutDate = place === places.get("date") && isShort && PART_OF_DATE.test(written);
    return isCutDate ? `“${written}” seems to be part of a date` : null;
  }
  // A line with too few cells is refused elsewhere, and a text may be cut.
  if (isShort || place >= headings.length) return null;
  const above = others.filter(isDated).map((record) => cellAt(record, place));
  const isText = columns.narrationPlaces.includes(place) || columns.referencePlaces.includes(place);
  const money = MONEY.map((role) => places.get(role));
  const isMoney = money.includes(place);
  if (written === "") {
    const hasAmount = money.some((at) => readAmount(cellAt(last, at)) !== null);
    const isMissing = !isMoney && !isText && above.length > 0 && above.every((cell) => cell !== "");
    return isMissing || (isMoney && !hasAmount) ? "the last cell is empty" : null;
  }
  if (place === places.get("date"))
    return above.some((cell) => cell.length > written.length) ? `the date “${written}” is shorter than others` : null;
  if (place === places.get("side")) return isPartOfOtherSide(written, above) ? `“${written}” may be cut` : null;
  if (!isMoney || hasBalances(last, others, columns)) return null;
  return isWhole(written, above, amountsOf(others, columns)) ? null : `the amount “${written}” may be cut`;
}

/** Whether a word may be the beginning of one that names the other side, as `Paid` is of `Paid in`. */
function isPartOfOtherSide(written: string, above: readonly string[]): boolean {
  const side = sideInColumn(written, false);
  const plain = written.toLowerCase();
  return above.some(
    (cell) => cell.length > plain.length && cell.toLowerCase().startsWith(plain) && sideInColumn(cell, false) !== side,
  );
}

/** Whether the line and another one have balances, which are compared with its amount. */
function hasBalances(last: CsvRecord, others: readonly CsvRecord[], { places }: Columns): boolean {
  const has = (record: CsvRecord): boolean => readBalance(cellAt(record, places.get("balance"))) !== null;
  return has(last) && others.some(has);
}

function amountsOf(records: readonly CsvRecord[], { places }: Columns): string[] {
  const roles = [...MONEY, "balance"] as const;
  return records
    .flatMap((record) => roles.map((role) => cellAt(record, places.get(role))))
    .filter((cell) => !isNothing(cell) && (readAmount(cell)?.paise ?? 0n) > 0n);
}

/** Whether an amount is complete: it has two decimals, or as many as all others, and a suffix such as `CR` if they have one. */
function isWhole(written: string, above: readonly string[], others: readonly string[]): boolean {
  const isMarked = above.some((cell) => !isNothing(cell) && /\D$/.test(cell)) && /\d$/.test(written);
  const count = decimalsIn(written);
  const isLikeOthers = count > 0 && others.length > 0 && others.every((cell) => decimalsIn(cell) === count);
  return !isMarked && (count >= 2 || isLikeOthers || readAmount(written)?.paise === 0n);
}

function decimalsIn(written: string): number {
  return /\.(\d+)\D*$/.exec(written)?.[1]?.length ?? 0;
}
