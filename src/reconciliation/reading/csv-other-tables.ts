// Other tables in a statement's file: loans, deposits, reward points or future payments.
import type { CsvRecord } from "../../platform/csv.ts";
import { areHeadingsOf, dateHeadings, renamesAmounts, type Columns } from "./csv-columns.ts";
import { CLOSING, FOOTER, OPENING, TOTAL } from "./csv-labels.ts";
import { unreadable } from "./statement.ts";
import { isNothing, readDay } from "./values.ts";

const STATE =
  "upcoming|scheduled|future(?:[ -]dated)?|pending|unbilled|uncleared|unsettled|unposted|standing|failed|rejected|declined|returned|bounced|cancell?ed|blocked";
const THINGS = "payments?|transactions?|instructions?|debits?|credits?|transfers?|mandates?|cheques?|orders?|entries";
const NOT_YET =
  "on hold|in (?:process|progress|clearing)|pending|awaiting [a-z]+|not (?:yet )?(?:processed|posted|booked|cleared|settled)";
/** A title above payments that have not left the account, or that came back. */
const NOT_BOOKED = new RegExp(
  `^(?:(?:list|details) of )?(?:(?:${STATE})(?: [a-z]+){0,2} (?:${THINGS})|(?:${THINGS}) (?:${NOT_YET}))\\W*$`,
  "i",
);
/** A title above the table of another product. */
const OTHER_PRODUCT =
  /^(?:credit cards?|(?:fixed|term|recurring) deposits?|demat|mutual funds?)(?: (?:accounts?|details|summary|statement|transactions))*\W*$/i;
/** No heading is longer. */
const MAX_HEADING = 40;

/** Detects rows that begin another table, so that nothing below them is read as statement lines. */
export class OtherTables {
  readonly #columns: Columns;
  #begun: {
    readonly line: number;
    readonly dates: readonly number[];
    readonly hasDates: boolean;
    readonly isTitle: boolean;
  } | null = null;
  #isBelowHeadings = true;
  /** The last text above the statement's headings. */
  #above: { readonly line: number; readonly text: string } | null = null;

  constructor(columns: Columns) {
    this.#columns = columns;
  }

  /** Takes a record above the statement's headings. */
  seeAbove({ line, cells }: CsvRecord): void {
    const texts = cells.filter((cell) => !isNothing(cell));
    if (texts.length > 0) this.#above = { line, text: texts.length === 1 ? texts[0]!.trim() : "" };
  }

  /** Takes the statement's headings. @throws NodalError `validation_failed` below a title of payments that were not booked */
  begin(): void {
    if (this.#above === null || !NOT_BOOKED.test(this.#above.text)) return;
    throw unreadable(
      `Line ${this.#above.line}, “${this.#above.text}”, is the title of payments that are not in the account's balance.`,
      "Import the statement of the account. Nothing was imported.",
    );
  }

  /** Takes a repetition of the statement's headings: its lines follow, unless a title says otherwise. */
  end(): void {
    if (this.#begun?.isTitle !== true) this.#begun = null;
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
    const { places } = this.#columns;
    const hasText = (place: number): boolean => !isNothing(cells[place] ?? "");
    const isTitle =
      texts.length === 1 &&
      (NOT_BOOKED.test(texts[0]!.trim()) || OTHER_PRODUCT.test(texts[0]!.trim())) &&
      !hasText(places.get("narration") ?? -1);
    const isRenamed = renamesAmounts(cells, this.#columns);
    const isOther = texts.some((text) => /\d/.test(text) || text.length > MAX_HEADING) || FOOTER.test(texts[0] ?? "");
    if (isOther && !isRenamed && !isTitle) return false;
    const isStatement = areHeadingsOf(cells);
    const dates = dateHeadings(cells);
    const money = (["debit", "credit", "amount"] as const).flatMap((role) => places.get(role) ?? []);
    const isOver = hasText(places.get("date")!) && money.some(hasText);
    const isRow = texts.length >= 3 && !this.#isBelowHeadings && (isOver || dates.length > 0);
    if (!isStatement && !isRenamed && !(hasLines && (isTitle || isRow))) return false;
    this.#begun = { line, dates: isStatement ? dates : [], hasDates: dates.length > 0 || isTitle, isTitle };
    return true;
  }
}
