// The cells of a record, by the roles of their columns.
import type { CsvRecord } from "../../platform/csv.ts";
import type { Columns } from "./csv-columns.ts";
import type { DateOrder, ReadLine } from "./statement.ts";
import { isNothing, readAmount, readDay } from "./values.ts";

/** The cell with the day of a record. */
export function dateCell(record: CsvRecord, { places }: Columns): string {
  return cellAt(record, places.get("date"));
}

/** The cell at a place; empty if there is none. */
export function cellAt({ cells }: CsvRecord, place: number | undefined): string {
  return place === undefined ? "" : (cells[place] ?? "");
}

/** The other days of a record, such as the value date. */
export function otherDaysOf(
  record: CsvRecord,
  { otherDates }: Columns,
  { bookedOn, order }: { readonly bookedOn: Temporal.PlainDate; readonly order: DateOrder },
): Pick<ReadLine, "otherDays"> {
  const days = otherDates.map((place) => readDay(cellAt(record, place), order) ?? bookedOn);
  const others = days.filter((day) => !day.equals(bookedOn));
  return others.length > 0 ? { otherDays: others.map(String) } : {};
}

/** The reference of a line, and those in its other columns. */
export function referencesOf(
  record: CsvRecord,
  { referencePlaces }: Columns,
): { readonly reference: string | null; readonly others: readonly string[] } {
  const texts = referencePlaces.map((place) => plainReference(cellAt(record, place)));
  const [reference = null, ...others] = new Set(texts.filter((text) => !isNothing(text) && !/^[-0]*$/.test(text)));
  return { reference, others };
}

/** A reference without what spreadsheets add to digits: an apostrophe before them, or a decimal (`632500000042.0`). */
function plainReference(written: string): string {
  return written.replace(/^'\s*/, "").replace(/^(\d{1,15})\.0+$/, "$1");
}

/** An amount in an amount column that is not used; a line without any other amount would be skipped. `null` if there is none. */
export function unusedAmount(record: CsvRecord, columns: Columns): { column: string; problem: string } | null {
  const { spareMoney, headings, mapping } = columns;
  const place = spareMoney.find((each) => (readAmount(cellAt(record, each))?.paise ?? 0n) > 0n);
  if (place === undefined) return null;
  const used =
    mapping.debit !== undefined && mapping.credit !== undefined
      ? `${mapping.debit} or ${mapping.credit}`
      : mapping.amount!;
  const problem = `the line has “${cellAt(record, place)}” here, and no amount in ${used}. Move it there, or remove it.`;
  return { column: headings[place]!, problem };
}

/** The texts of all narration columns, joined; equal ones once. */
export function narrationOf(record: CsvRecord, { narrationPlaces }: Columns): string {
  const texts = narrationPlaces.map((place) => cellAt(record, place));
  return [...new Set(texts.filter((text) => text !== ""))].join(" ");
}
