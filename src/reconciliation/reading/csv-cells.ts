// The cells of a record, by the roles of their columns.
import type { CsvRecord } from "../../platform/csv.ts";
import type { Columns } from "./csv-columns.ts";
import { readAmount } from "./values.ts";

/** The cell that has the day of a record. */
export function dateCell(record: CsvRecord, { places }: Columns): string {
  return cellAt(record, places.get("date"));
}

/** The cell at a place; empty if there is none. */
export function cellAt({ cells }: CsvRecord, place: number | undefined): string {
  return place === undefined ? "" : (cells[place] ?? "");
}

/** An amount in a column of amounts that is not used; a line with no other amount would be passed over. `null` if there is none. */
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

/** The texts of all columns with the heading of the narration, joined; equal ones once. */
export function narrationOf(record: CsvRecord, { narrationPlaces }: Columns): string {
  const texts = narrationPlaces.map((place) => cellAt(record, place));
  return [...new Set(texts.filter((text) => text !== ""))].join(" ");
}
