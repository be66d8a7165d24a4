// Whose lines a bank's table has, and in which currency: one account, and rupees.
import type { CsvRecord } from "../../platform/csv.ts";
import { excerpt } from "../../platform/excerpt.ts";
import { isLabelled, isLasting, numbersIn } from "./account-names.ts";
import type { Columns } from "./csv-columns.ts";
import { isForeignCurrency, namesForeignCurrency, otherCurrencyIn } from "./csv-currency.ts";
import { unreadable, type Problems, type Side } from "./statement.ts";
import { areSame, OneAccount, twoAccounts } from "./statement-parts.ts";
import { isNothing } from "./values.ts";

/** A title of a table, such as `Loan account`. */
const TITLE =
  /^(?:your\s+)?(loan|saving|current|overdraft|od|cash credit|credit card|(?:fixed|recurring|term) deposit|fd|rd|ppf|nre|nro|salary|escrow|demat)s?\s+(?:bank\s+)?(?:account|a\/?c|acct)s?(?:\s+(?:statement|transactions|details|summary))?\W*$/i;
/** The end of a row of a narration that goes on with somebody else's account. */
const GOES_ON = /(?:^|\W)(?:to|from|by|benef\w*|payee|remitter|sender|receiver|towards|for)\W*$/i;
const RUPEES = /^(?:inr\b.*|rs\.?|₹|(?:indian )?rupees?(?: \(?inr\)?)?)$/i;

/**
 * Sees what a table says of its account and currency, above the lines, between them and in columns.
 * docs/rules/reconciliation.md#one-account
 */
export class AccountOfTable {
  readonly #columns: Columns;
  readonly #problems: Problems;
  readonly #above = new OneAccount();
  /** Apart from what is above: a bank may write the number in full in one place, and masked in the other. */
  readonly #inColumns: ReadonlyMap<number, OneAccount>;
  /** The account that was named last. */
  #written = "";
  /** That too, unless a narration names it: a narration may name the account of a payee. */
  #own = "";
  /** Whether a plain account was named since the last headings or line. */
  #isPlainNamed = false;
  #title = { text: "", line: 0, kind: "" };
  /** The title above the first line; `null` before it. */
  #firstKind: string | null = null;
  /** The cells of the text before this one; empty after a line. */
  #before: readonly string[] = [];
  /** Long numbers above the first line, by what names them, and those that were named since the last headings. */
  readonly #named = new Map<string, string>();
  readonly #namedSince = new Map<string, string>();

  constructor(columns: Columns, problems: Problems) {
    this.#columns = columns;
    this.#problems = problems;
    this.#inColumns = new Map(columns.accountPlaces.map(({ place }) => [place, new OneAccount()]));
  }

  /**
   * Takes a record that is no line: an address, a heading, or a text of the bank's.
   * @param kind `dated`: such as a line of 0.00; `outside`: of the table's columns
   */
  seeText({ line, cells }: CsvRecord, kind: "beside" | "dated" | "outside" = "beside"): void {
    const textAfter = (place: number): string => cells.slice(place + 1).find((next) => !/^[\s:]*$/.test(next)) ?? "";
    const isInLine = (place: number): boolean =>
      this.#firstKind !== null &&
      kind !== "outside" &&
      (kind === "dated" ||
        this.#columns.narrationPlaces.includes(place) ||
        this.#columns.referencePlaces.includes(place));
    const texts = cells.filter((cell) => cell !== "");
    const isNarration = this.#firstKind !== null && cells.every((cell, at) => cell === "" || isInLine(at));
    const title = texts.length === 1 && !isNarration ? TITLE.exec(texts[0]!)?.[1] : undefined;
    if (title !== undefined) this.#title = { text: texts[0]!, line, kind: title.toLowerCase() };
    let beside = -1;
    for (const [place, cell] of cells.entries()) {
      if (cell === "") continue;
      this.#seeNumbers(cell, { place, beside, isInLine, cells });
      const currency = otherCurrencyIn(cell, textAfter(place), isInLine(place));
      if (currency !== null) this.#refuseCurrency(line, "currency", excerpt(currency, 60));
      if (hasWords(cell)) beside = place;
    }
    this.#before = cells;
  }

  #seeNumbers(
    cell: string,
    {
      place,
      beside,
      isInLine,
      cells,
    }: { place: number; beside: number; isInLine: (at: number) => boolean; cells: readonly string[] },
  ): void {
    const label = cells[beside] ?? "";
    const isBelow = (this.#before[place] ?? "") === "" && beside < 0;
    const abovePlace = isBelow ? this.#before.findLastIndex((each) => each !== "") : place;
    const above = this.#before[abovePlace] ?? "";
    for (const named of numbersIn(cell, { beside: label, above })) {
      const { number, isAccount } = named;
      // Among the lines, a label may be of somebody else's account, unless it is all that a narration says.
      const isLabelInLine = isInLine(hasWords(cell) ? place : label === "" ? abovePlace : beside);
      const before = this.#before.filter((each) => each !== "").join(" ");
      const isOwn = !isLabelInLine || (isLabelled(hasWords(cell) ? cell : label + number) && !GOES_ON.test(before));
      const isOfLine = named.isBeside && isLabelInLine;
      if (isAccount && !isOfLine) this.#name(number, { isOwn, isBeside: named.isBeside });
      if (!isAccount && isOwn && isLasting(named)) this.#namedSince.set(named.label, number);
    }
  }

  /** Takes a number of an account. One beside a plain one, such as a loan's, counts only where no plain one is named. */
  #name(number: string, { isOwn, isBeside }: { readonly isOwn: boolean; readonly isBeside: boolean }): void {
    if (isBeside && this.#isPlainNamed) return;
    this.#written = number;
    if (isOwn) this.#own = number;
    if (!isBeside) this.#isPlainNamed = true;
  }

  /**
   * Takes a row of headings: the lines below it are of the account that was named last.
   * @throws NodalError `validation_failed` if lines above it are of another account
   */
  seeHeadings({ line, cells }: CsvRecord): void {
    this.#above.see(this.#written);
    for (const [label, number] of this.#namedSince) {
      const first = this.#named.get(label);
      if (first === undefined) this.#named.set(label, number);
      else if (!areSame(first, number)) throw twoAccounts(first, number);
    }
    this.#namedSince.clear();
    this.#isPlainNamed = false;
    this.#before = [];
    for (const place of this.#columns.moneyPlaces) {
      const heading = cells[place] ?? "";
      const word = /([A-Z]{3})\W*$/.exec(heading)?.[1] ?? "";
      if (isForeignCurrency(word) || namesForeignCurrency(heading))
        this.#refuseCurrency(line, heading, word || heading);
    }
  }

  /**
   * Takes a line and its side. Another currency than INR is a problem.
   * @throws NodalError `validation_failed` if an earlier line is of another account
   */
  seeLine({ line, cells }: CsvRecord, side: Side): void {
    if (this.#own !== "") this.#above.see(this.#own);
    this.#isPlainNamed = false;
    this.#before = [];
    this.#firstKind ??= this.#title.kind;
    if (this.#title.kind !== this.#firstKind)
      throw unreadable(
        `The file has statements of two accounts: “${excerpt(this.#title.text, 40)}” on line ${this.#title.line} begins another one.`,
        "Import a file for each account. Nothing was imported.",
      );
    for (const { place, side: of, isNumber } of this.#columns.accountPlaces) {
      const written = cells[place] ?? "";
      const isAccount = isNumber ? /\d{3}/.test(written) : !isNothing(written);
      if (isAccount && (of === "both" || of === side)) this.#inColumns.get(place)!.see(written);
    }
    for (const place of this.#columns.currencyPlaces) {
      const written = cells[place] ?? "";
      if (!isNothing(written) && !RUPEES.test(written))
        this.#refuseCurrency(line, this.#columns.headings[place]!, written);
    }
  }

  #refuseCurrency(line: number, column: string, written: string): void {
    this.#problems.add(line, column, `the currency is “${written}”, not INR. Import a statement in rupees.`);
  }
}

/** Whether a text has letters that don't stand for digits, as in `XXXX0001`. */
function hasWords(text: string): boolean {
  return /\p{L}/u.test(text.replaceAll(/X{2,}/gi, ""));
}
