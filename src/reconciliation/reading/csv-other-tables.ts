// Other tables in the file of a statement: of loans, deposits, reward points or payments that are still to come.
import type { CsvRecord } from "../../platform/csv.ts";
import { areHeadingsOf, dateHeadings, renamesAmounts, type Columns } from "./csv-columns.ts";
import { CLOSING, FOOTER, OPENING, TOTAL } from "./csv-labels.ts";
import { unreadable } from "./statement.ts";
import { isNothing, readDay } from "./values.ts";

/** A title above payments that were not made yet. */
const NOT_BOOKED =
  /^(?:upcoming|scheduled|future(?:[ -]dated)?|pending|unbilled|uncleared|standing)\s+(?:payments?|transactions?|instructions?|debits?|credits?|transfers?|mandates?|cheques?)\W*$/i;
/** No heading is longer. */
const MAX_HEADING = 40;

/** Watches for rows that begin another table, so that nothing below them is read as lines of the statement. */
export class OtherTables {
  readonly #columns: Columns;
  #begun: { readonly line: number; readonly dates: readonly number[]; readonly hasDates: boolean } | null = null;
  #isBelowHeadings = true;

  constructor(columns: Columns) {
    this.#columns = columns;
  }

  /** Takes the statement's own headings: what follows are its lines again. */
  end(): void {
    this.#begun = null;
    this.#isBelowHeadings = true;
  }

  /**
   * Takes a record, with its day and whether it has an amount in the statement's columns. Returns whether it belongs to another table.
   * @throws NodalError `validation_failed` for a row of another table that would be read as a line
   */
  take(
    record: CsvRecord,
    { isDated, hasAmount, hasLines }: Record<"isDated" | "hasAmount" | "hasLines", boolean>,
  ): boolean {
    if (!isDated && this.#begins(record, hasLines)) return true;
    this.#isBelowHeadings = false;
    if (this.#begun === null) return false;
    const { dates, hasDates, line } = this.#begun;
    const isBalance =
      !isDated && record.cells.some((cell) => [OPENING, CLOSING, TOTAL].some((label) => label.test(cell)));
    if (isBalance) return false;
    const isTheirs = dates.some((place) => readDay(record.cells[place] ?? "") !== null);
    if (isTheirs || (hasAmount && (isDated || hasDates)))
      throw unreadable(
        `Line ${line} begins another table.`,
        "Import the statement's own table alone. Nothing was imported.",
      );
    return hasAmount || isDated;
  }

  #begins({ line, cells }: CsvRecord, hasLines: boolean): boolean {
    const texts = cells.filter((cell) => !isNothing(cell));
    const isRenamed = renamesAmounts(cells, this.#columns);
    const isOther = texts.some((text) => /\d/.test(text) || text.length > MAX_HEADING) || FOOTER.test(texts[0] ?? "");
    if (isOther && !isRenamed) return false;
    const { places } = this.#columns;
    const isStatement = areHeadingsOf(cells);
    const dates = dateHeadings(cells);
    const money = (["debit", "credit", "amount"] as const).flatMap((role) => places.get(role) ?? []);
    const hasText = (place: number): boolean => !isNothing(cells[place] ?? "");
    const isOver = hasText(places.get("date")!) && money.some(hasText);
    const isTitle = texts.length === 1 && NOT_BOOKED.test(texts[0]!) && !hasText(places.get("narration") ?? -1);
    const isRow = texts.length >= 3 && !this.#isBelowHeadings && (isOver || dates.length > 0);
    if (!isStatement && !isRenamed && !(hasLines && (isTitle || isRow))) return false;
    this.#begun = { line, dates: isStatement ? dates : [], hasDates: dates.length > 0 || isTitle };
    return true;
  }
}
