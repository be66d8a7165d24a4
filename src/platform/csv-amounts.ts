// Finds amounts that were cut at unquoted commas, in CSV files that people fill in.
import { typedAmount } from "./as-typed.ts";
import { isCutAmountAt, type CsvRecord } from "./csv.ts";
import { isKnownRate } from "./gst.ts";
import { hasNeedlessZeros, NEEDLESS_ZEROS, parsePaise, parseThousandths, withoutGrouping } from "./money.ts";

/** The kind of a column's values. `strict` columns refuse the rest of an amount anyway. */
export type ColumnKind = "amount" | "rate" | "strict" | "text";

/**
 * An amount that was cut (`isRefused`), or that a person should check. `problem` follows the heading or "The line" in a
 * sentence.
 */
export type AmountNote = {
  readonly record: CsvRecord;
  readonly place: number | null;
  readonly problem: string;
  readonly isRefused: boolean;
  /** Is the rest in the cells after the amount, and not before it? */
  readonly isBehind: boolean;
};

const CUT_AMOUNT =
  'has an amount split into several cells by its commas: put it in quotation marks, such as "1,590.00", or remove the commas.';
const QUOTE = "Put amounts with commas in quotation marks";
/** Rates of GST that most rows have. */
const USUAL_RATES: ReadonlySet<string> = new Set(["0", "5", "12", "18", "28", "40"]);
const MAX_GROUPS = 6;

/** A row whose amount may be cut: `whole` would be the amount, `cell` is the neighbouring cell. */
type Suspect = { readonly record: CsvRecord; readonly place: number; readonly beside: number; readonly whole: string };

/** The first note about each row. `kinds` has the kind of each column; rows have no more cells than that. */
export function findAmountNotes(rows: readonly CsvRecord[], kinds: readonly ColumnKind[]): AmountNote[] {
  const notes = new Map<CsvRecord, AmountNote>();
  const add = (note: AmountNote): void => {
    const known = notes.get(note.record);
    if (!known || (note.isRefused && !known.isRefused)) notes.set(note.record, note);
  };
  for (const record of rows) for (const note of certainIn(record, kinds)) add(note);
  for (const [place, kind] of kinds.entries()) {
    if (kind !== "amount") continue;
    for (const note of [...restsBehind(rows, place, kinds), ...restsBefore(rows, place, kinds)]) add(note);
  }
  return [...notes.values()];
}

/** A cut amount that is certain from one row alone. */
function certainIn(record: CsvRecord, kinds: readonly ColumnKind[]): AmountNote[] {
  const { cells } = record;
  return kinds.flatMap((kind, place): AmountNote[] => {
    const cell = cells[place] ?? "";
    const hasZeros = kind === "amount" ? hasNeedlessZeros(typedAmount(cell)) : kind === "rate" && /^0\d\d$/.test(cell);
    if (hasZeros) return [{ record, place, problem: `${cell} ${NEEDLESS_ZEROS}`, isRefused: true, isBehind: false }];
    if (kind !== "amount" || !isByCommas(record) || !isCutAmountAt(cells, place)) return [];
    if (kinds[place + 1] !== "amount")
      return [{ record, place: null, problem: CUT_AMOUNT, isRefused: true, isBehind: true }];
    return [doubt({ record, place, beside: place + 1, whole: `${cell},${cells[place + 1]!}` }, false)];
  });
}

/** Amounts whose rest may be in the cells after them: `1` and `590`. */
function restsBehind(rows: readonly CsvRecord[], place: number, kinds: readonly ColumnKind[]): AmountNote[] {
  const beside = place + 1;
  const kind = kinds[beside];
  if (kind !== "text" && kind !== "rate") return [];
  const suspects = rows.flatMap((record): Suspect[] => {
    const whole = wholeFrom(record, place);
    return whole === null ? [] : [{ record, place, beside, whole }];
  });
  if (kind === "rate") return suspects.filter((each) => !hasKnownRate(each)).map((each) => doubt(each, true));
  const others = othersOf(rows, suspects);
  const hasText = isOtherwiseText(others, beside);
  return suspects.map((suspect) => doubt(suspect, hasText || isLongest(suspect, others)));
}

/** Amounts that may be the rest of the cell before them: `1` and `500.00`. */
function restsBefore(rows: readonly CsvRecord[], place: number, kinds: readonly ColumnKind[]): AmountNote[] {
  const beside = place - 1;
  const kind = kinds[beside];
  if (kind !== "text" && kind !== "rate") return [];
  const suspects = rows.flatMap((record): Suspect[] => {
    const [before = "", amount = ""] = record.cells.slice(beside, place + 1);
    const isRest = isByCommas(record) && /^[1-9]\d{0,2}$/.test(before) && /^\d{3}(?:\.\d{1,2})?$/.test(amount);
    return isRest ? [{ record, place, beside, whole: `${before},${amount}` }] : [];
  });
  const others = othersOf(rows, suspects);
  if (kind === "rate") return suspects.flatMap((each) => noteOfRate(each, others));
  const cells = suspects.map(({ record }) => record.cells[beside]);
  // Consecutive numbers in rows, such as references 1, 2 and 3.
  const areNumbers = suspects.length > 1 && new Set(cells).size === suspects.length;
  if (areNumbers || others.some(({ cells: each }) => /^\d+$/.test(each[beside] ?? ""))) return [];
  return suspects.map((suspect) => doubt(suspect, false));
}

/** A rate and an amount that may be one amount, in a row without an optional cell: then the real rate is one cell before. */
function noteOfRate(suspect: Suspect, others: readonly CsvRecord[]): AmountNote[] {
  const { record, beside } = suspect;
  if (!hasKnownRate(suspect)) return [doubt(suspect, true)];
  const rate = record.cells[beside]!;
  const isShifted = USUAL_RATES.has(record.cells[beside - 1] ?? "");
  const isUsual = USUAL_RATES.has(rate) || others.some(({ cells }) => cells[beside] === rate);
  return isShifted || !isUsual ? [doubt(suspect, false)] : [];
}

function hasKnownRate({ record, beside }: Suspect): boolean {
  const rate = parseThousandths(record.cells[beside]);
  return rate !== null && isKnownRate(rate);
}

/** The amount that a cell and the cells after it would form, without paise; `null` if they form none. */
function wholeFrom(record: CsvRecord, place: number): string | null {
  const { cells } = record;
  if (!isByCommas(record) || !/^[1-9]\d{0,2}$/.test(cells[place] ?? "")) return null;
  for (let count = 2; count <= MAX_GROUPS; count += 1) {
    if (!/^\d{2,3}$/.test(cells[place + count - 1] ?? "")) return null;
    const whole = cells.slice(place, place + count).join(",");
    if (withoutGrouping(whole) !== null) return whole;
  }
  return null;
}

function isByCommas({ separator = "," }: CsvRecord): boolean {
  return separator === ",";
}

function othersOf(rows: readonly CsvRecord[], suspects: readonly Suspect[]): CsvRecord[] {
  const records = new Set(suspects.map(({ record }) => record));
  return rows.filter((record) => !records.has(record));
}

/** Do the other rows have texts in this column, and no numbers? */
function isOtherwiseText(others: readonly CsvRecord[], place: number): boolean {
  const texts = others.map(({ cells }) => cells[place] ?? "").filter((cell) => cell !== "");
  return texts.length > 0 && texts.every((text) => !/^\d+$/.test(text));
}

/** Do all other rows have one cell less? */
function isLongest({ record, whole }: Suspect, others: readonly CsvRecord[]): boolean {
  const more = whole.split(",").length - 1;
  return others.length > 0 && others.every(({ cells }) => cells.length === record.cells.length - more);
}

function doubt({ record, place, beside, whole }: Suspect, isRefused: boolean): AmountNote {
  const amount = record.cells[place]!;
  if (beside < place) {
    const problem = `${amount} after ${record.cells[beside]!}: was this ${whole}? ${QUOTE}.`;
    return { record, place, problem, isRefused, isBehind: false };
  }
  const isWhole = parsePaise(amount) !== null && !amount.includes(".");
  const remedy = isWhole ? `, or write ${amount}.00 if it is right` : "";
  const problem = `${amount} followed by ${whole.slice(amount.length + 1)}: was this ${whole}? ${QUOTE}${remedy}.`;
  return { record, place, problem, isRefused, isBehind: true };
}
