// Reads a bank's or provider's table, in CSV or HTML: preambles, footers, wrapped narrations, and the cells of a line.
// csv-columns.ts finds the headings.
import { setImmediate as nextTurn } from "node:timers/promises";
import { readCsv, type CsvRecord } from "../../platform/csv.ts";
import { findCutTexts } from "../../platform/csv-damage.ts";
import { fieldsRefusal } from "../../platform/errors.ts";
import { dateCell } from "./csv-cells.ts";
import { areHeadings, findColumns, layoutOf, type Columns } from "./csv-columns.ts";
import { refuseCutEnd } from "./csv-cut-end.ts";
import { Decimals } from "./csv-decimals.ts";
import { orderInHeading } from "./csv-headings.ts";
import { CsvLines } from "./csv-lines.ts";
import { findNotBooked, withoutAmount } from "./csv-status.ts";
import { readHtmlTable, settleSpans } from "./read-html.ts";
import {
  MAX_STATEMENT_LINES,
  SLICE_LINES,
  refuseTooMany,
  type ColumnMapping,
  type DateOrder,
  type ReadOptions,
  type ReadStatement,
} from "./statement.ts";
import { orderOfDate, readDay } from "./values.ts";

/** Preamble, footer and repeated headings beside the lines. */
const OTHER_RECORDS = 2000;
const SEPARATORS = [",", "\t", ";", "|"];

/**
 * Reads a CSV file, or an HTML table such as banks save under the name of Excel. Cells that must be an amount or a day and aren't
 * are refused by line and column.
 * @throws NodalError `validation_failed`
 */
export async function readCsvStatement(
  text: string,
  { mapping = null, remembered = null, key, ...orders }: ReadOptions,
): Promise<ReadStatement> {
  const maxRecords = MAX_STATEMENT_LINES + OTHER_RECORDS;
  const separator = (): string => separatorOf(text, mapping ?? remembered);
  const { records: found, asides } = isHtml(text)
    ? await readHtmlTable(text, maxRecords)
    : { records: await readCsv(text, { field: "file", maxRecords, key, separator: separator() }), asides: [] };
  // The file was not read to its end.
  if (found.length === maxRecords) refuseTooMany(found.length);
  const columns = findColumns(found, mapping, remembered);
  const records = settleSpans(found, columns);
  const dateOrder = orderOfDates(records.slice(columns.skipped), columns, orders);
  refuseCutEnd(records.slice(columns.skipped), columns, dateOrder ?? "day-first");
  const reader = new CsvLines(columns, dateOrder ?? "day-first", {
    cutTexts: cutTextsIn(records, columns, dateOrder ?? "day-first"),
    decimals: new Decimals(records.slice(columns.skipped), columns),
  });
  const notBooked = findNotBooked(records.slice(columns.skipped), columns, dateOrder ?? "day-first");
  let nextAside = 0;
  for (const [index, record] of records.entries()) {
    for (; (asides[nextAside]?.after ?? Infinity) <= index; nextAside += 1)
      reader.addAside(asides[nextAside]!.record, index < columns.skipped);
    if (index < columns.skipped) reader.addAbove(record);
    else reader.add(notBooked.has(record) ? withoutAmount(record, columns) : record);
    if (index % SLICE_LINES === SLICE_LINES - 1) await nextTurn();
  }
  const { lines, openingPaise, closingPaise } = reader.finish();
  refuseTooMany(lines.length);
  const { mapping: used } = columns;
  return {
    format: "csv",
    layout: layoutOf(columns),
    lines,
    notBookedCount: notBooked.size,
    openingPaise,
    closingPaise,
    mapping: used,
    dateOrder,
  };
}

/** A bank that pads a column does so on most of its lines, and on more than this many. */
const MAX_PADDED_LINES = 2;

/** The lines in which a narration was cut at a comma, and the place of the rest of it. */
function cutTextsIn(records: readonly CsvRecord[], columns: Columns, order: DateOrder): ReadonlyMap<CsvRecord, number> {
  const { places, moneyPlaces, skipped } = columns;
  const dated = records.slice(skipped).filter((record) => readDay(dateCell(record, columns), order) !== null);
  const others = new Set([
    ...moneyPlaces,
    ...(["date", "side", "fee", "tax"] as const).map((role) => places.get(role)),
  ]);
  const found = findCutTexts(records[skipped - 1]!, dated, (place) => !others.has(place));
  const isPadded = found.size > MAX_PADDED_LINES && found.size * 2 > dated.length;
  return isPadded ? new Map() : found;
}

/** Whether a text is HTML with a table. Other kinds of XML have no rows of this name. */
export function isHtml(text: string): boolean {
  return /^\s*</.test(text) && /<(?:table|tr)\b/i.test(text);
}

/**
 * Whether a file's dates have the day or the month first: as requested, else as one of its dates proves, else as the account's
 * earlier files had them. `null` if all dates read the same either way. docs/rules/reconciliation.md#reading
 * @throws NodalError `validation_failed` if the order is unknown
 */
function orderOfDates(
  records: readonly CsvRecord[],
  columns: Columns,
  { dateOrder = null, rememberedOrder = null }: Pick<ReadOptions, "dateOrder" | "rememberedOrder">,
): DateOrder | null {
  if (dateOrder) return dateOrder;
  const { places, headings } = columns;
  const shown = ordersShown(records, [places.get("date")!]);
  const monthFirst = shown.get("month-first");
  // A single month-first date in a file of others is an error: its line is reported.
  if (shown.has("day-first")) return "day-first";
  if (monthFirst && rememberedOrder !== "day-first") return "month-first";
  const unsure = monthFirst ?? shown.get("either");
  if (!unsure) return null;
  const beside = monthFirst ? null : (orderInHeading(headings[places.get("date")!]!) ?? orderBeside(records, columns));
  if (beside && (beside === "day-first" || rememberedOrder !== "day-first")) return beside;
  if (rememberedOrder && !monthFirst && !beside) return rememberedOrder;
  const written = dateCell(unsure, columns);
  const problem = monthFirst
    ? `Line ${unsure.line} has the date “${written}”, with the month first, but earlier files of this account had the day first.`
    : `Every date in the file is ambiguous, with the day or the month first, such as “${written}” on line ${unsure.line}.`;
  const sentence = `${problem} Choose day-first or month-first, which is remembered for the account. Nothing was imported.`;
  throw fieldsRefusal("validation_failed", [{ field: "date_order", code: "required", problem: sentence }]);
}

/** The orders of the dates in these columns, each with the first record that has it. */
function ordersShown(
  records: readonly CsvRecord[],
  places: readonly number[],
): ReadonlyMap<DateOrder | "either", CsvRecord> {
  const shown = new Map<DateOrder | "either", CsvRecord>();
  for (const record of records) {
    for (const place of places) {
      const order = orderOfDate(record.cells[place] ?? "");
      if (order && !shown.has(order)) shown.set(order, record);
    }
  }
  return shown;
}

/** The order of a line's other dates, such as the value date, if they agree. */
function orderBeside(records: readonly CsvRecord[], columns: Columns): DateOrder | null {
  const dated = records.filter((record) => readDay(dateCell(record, columns)) !== null);
  const shown = ordersShown(dated, columns.otherDates);
  const [order, other] = (["day-first", "month-first"] as const).filter((each) => shown.has(each));
  return other ? null : (order ?? null);
}

/**
 * The separator: the one between headings, else the most frequent one of a line. The text above the headings may have none, or an
 * address with many commas.
 */
function separatorOf(text: string, mapping: ColumnMapping | null): string {
  const head = text.slice(0, 64 * 1024).split(/\r\n|\r|\n/, 100);
  const between = SEPARATORS.find((separator) => {
    return head.some((line) =>
      areHeadings(
        line.split(separator).map((cell) => cell.replaceAll('"', "").trim()),
        mapping,
      ),
    );
  });
  if (between !== undefined) return between;
  const unquoted = head.map((line) => line.replaceAll(/"[^"]*"/g, ""));
  const most = (separator: string): number => Math.max(...unquoted.map((line) => line.split(separator).length));
  return SEPARATORS.reduce((best, each) => (most(each) > most(best) ? each : best));
}
