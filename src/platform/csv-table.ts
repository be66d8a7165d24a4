// CSV files whose first line names the columns, as people fill them in.
// What belongs here: which column means what, and files that are no such file. What the cells may hold is the caller's.
import { decodeTextFile, readCsv, type CsvRecord } from "./csv.ts";
import { fieldRefusal, type NodalError } from "./errors.ts";

/** What a file may hold. */
export type CsvTableRule<Place> = {
  /** What the lines are, for sentences: "customers". */
  readonly items: string;
  readonly maxRows: number;
  /** The columns by their names. "Customer Code", "customer-code" and "customer_code" are the same. */
  readonly columns: Iterable<readonly [name: string, place: Place]>;
  /** The names of columns that must be there. */
  readonly required: readonly string[];
  /** For whom it is read: keys take turns. */
  readonly key: string;
};

export type CsvTable<Place> = {
  readonly rows: readonly CsvRecord[];
  /** What each column of the file is; `null` for one that means nothing here. */
  readonly places: readonly (Place | null)[];
  /** Names of columns that mean nothing here. */
  readonly ignored: readonly string[];
};

/**
 * Reads a file.
 * @throws NodalError `validation_failed` for a file that is no such file: not CSV, without the headings, or too long
 */
export async function readCsvTable<Place>(bytes: Uint8Array, rule: CsvTableRule<Place>): Promise<CsvTable<Place>> {
  const { items, maxRows, key } = rule;
  const text = decodeTextFile(bytes);
  if (text === null)
    throw unreadable("The file is not text in UTF-8: save it again as “CSV UTF-8”, and choose that file.");
  const [headings, ...rows] = await readCsv(text, { field: "file", maxRecords: maxRows + 2, key });
  if (!headings || rows.length === 0) throw unreadable(`The file has no line below its headings: add ${items} to it.`);
  if (rows.length > maxRows) throw unreadable(`The file has more than ${maxRows} ${items}: divide it.`);
  const places = placesOf(headings, rule);
  const ignored = headings.cells.filter((cell, index) => places[index] === null && cell.trim() !== "");
  return { rows, places, ignored };
}

function placesOf<Place>({ cells }: CsvRecord, { columns, required }: CsvTableRule<Place>): (Place | null)[] {
  const byName = new Map([...columns].map(([name, place]) => [headingKey(name), place]));
  const keys = cells.map(headingKey);
  const missing = required.filter((name) => !keys.includes(headingKey(name)));
  if (missing.length > 0)
    throw unreadable(`The first line has to name the columns, and names no ${missing.join(" and no ")}.`);
  const places = keys.map((key) => byName.get(key) ?? null);
  const twice = cells.find((_, index) => places[index] !== null && keys.indexOf(keys[index]!) !== index);
  if (twice !== undefined) throw unreadable(`The first line names ${twice.trim()} twice: remove one of the columns.`);
  return places;
}

function headingKey(text: string): string {
  return text
    .trim()
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, " ");
}

function unreadable(problem: string): NodalError {
  return fieldRefusal("validation_failed", "file", problem);
}
