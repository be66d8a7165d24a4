// Checks that all lines of a bank's table are for one account, and in rupees.
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
/** No title is longer. */
const MAX_TITLE = 100;
/** A narration row after which another person's account may follow. */
const GOES_ON = /(?:^|\W)(?:to|from|by|benef\w*|payee|remitter|sender|receiver|towards|for)\W*$/i;
const RUPEES = /^(?:inr\b.*|rs\.?|₹|(?:indian )?rupees?(?: \(?inr\)?)?)$/i;

/**
 * Collects what a table says about its account and currency, above the lines, between them and in columns.
 * docs/rules/reconciliation.md#one-account
 */
export class AccountOfTable {
  readonly #columns: Columns;
  readonly #problems: Problems;
  readonly #above = new OneAccount();
  /** Kept apart from the one above: a bank may write the number in full in one place and masked in the other. */
  readonly #inColumns: ReadonlyMap<number, OneAccount>;
  /** The last account that was named. */
  #written = "";
  /** The same without narrations, which may name a payee's account. */
  #own = "";
  /** Whether a plain account was named since the last headings or line. */
  #isPlainNamed = false;
  #title = { text: "", line: 0, kind: "" };
  /** A line with no account named above it; `null` if there is none. */
  #unnamedLine: number | null = null;
  /** The title above the first line; `null` before it. */
  #firstKind: string | null = null;
  /** The cells of the previous text; empty after a line. */
  #before: readonly string[] = [];
  /** The place of its last text. */
  #lastBefore = -1;
  /** Long numbers above the first line, by label, and those named since the last headings. */
  readonly #named = new Map<string, string>();
  readonly #namedSince = new Map<string, string>();

  constructor(columns: Columns, problems: Problems) {
    this.#columns = columns;
    this.#problems = problems;
    this.#inColumns = new Map(columns.accountPlaces.map(({ place }) => [place, new OneAccount()]));
  }

  /**
   * Takes a record that is not a line: an address, a heading, or a text of the bank's.
   * @param kind `dated`: it has a date, such as a line of 0.00; `outside`: it is outside the table's columns
   */
  seeText({ line, cells }: CsvRecord, kind: "beside" | "dated" | "outside" = "beside"): void {
    const textsAfter = textsBehind(cells);
    const isInLine = (place: number): boolean =>
      this.#firstKind !== null &&
      kind !== "outside" &&
      (kind === "dated" ||
        this.#columns.narrationPlaces.includes(place) ||
        this.#columns.referencePlaces.includes(place));
    const texts = cells.filter((cell) => cell !== "");
    const isNarration = this.#firstKind !== null && cells.every((cell, at) => cell === "" || isInLine(at));
    const isTitle = texts.length === 1 && texts[0]!.length <= MAX_TITLE && !isNarration;
    const title = isTitle ? TITLE.exec(texts[0]!)?.[1] : undefined;
    if (title !== undefined) this.#title = { text: texts[0]!, line, kind: title.toLowerCase() };
    let beside = -1;
    for (const [place, cell] of cells.entries()) {
      if (cell === "") continue;
      this.#seeNumbers(cell, { place, beside, isInLine, cells });
      const currency = otherCurrencyIn(cell, textsAfter[place]!, isInLine(place));
      if (currency !== null) this.#refuseCurrency(line, "currency", excerpt(currency, 60));
      if (hasWords(cell)) beside = place;
    }
    this.#setBefore(cells);
  }

  #setBefore(cells: readonly string[]): void {
    this.#before = cells;
    this.#lastBefore = cells.findLastIndex((each) => each !== "");
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
    const abovePlace = isBelow ? this.#lastBefore : place;
    const above = this.#before[abovePlace] ?? "";
    const isGoingOn = GOES_ON.test((this.#before[this.#lastBefore] ?? "").slice(-MAX_TITLE));
    for (const named of numbersIn(cell, { beside: label, above })) {
      const { number, isAccount, isLabelOutside } = named;
      // Among the lines, a label may name another person's account, unless it is the whole narration.
      const isLabelInLine = isInLine(!isLabelOutside ? place : label === "" ? abovePlace : beside);
      const isOwn = !isLabelInLine || (!isGoingOn && isLabelled(isLabelOutside ? label + number : cell));
      const isOfLine = named.isBeside && isLabelInLine;
      if (isAccount && !isOfLine) this.#name(number, { isOwn, isBeside: named.isBeside });
      if (!isAccount && isOwn && isLasting(named)) this.#namedSince.set(named.label, number);
    }
  }

  /** Takes an account number. A secondary one, such as a loan's, counts only if no plain one is named. */
  #name(number: string, { isOwn, isBeside }: { readonly isOwn: boolean; readonly isBeside: boolean }): void {
    if (isBeside && this.#isPlainNamed) return;
    this.#written = number;
    if (isOwn) this.#own = number;
    if (!isBeside) this.#isPlainNamed = true;
  }

  /**
   * Takes a row of headings: the lines below it belong to the last account that was named.
   * @throws NodalError `validation_failed` if lines above it belong to another account
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
    this.#setBefore([]);
    for (const place of this.#columns.moneyPlaces) {
      const heading = cells[place] ?? "";
      const word = /([A-Z]{3})\W*$/.exec(heading)?.[1] ?? "";
      if (isForeignCurrency(word) || namesForeignCurrency(heading))
        this.#refuseCurrency(line, heading, word || heading);
    }
  }

  /**
   * Takes a line and its side. A currency other than INR is a problem.
   * @param hasBalance whether the line has a balance, which is compared with those of the lines before it
   * @throws NodalError `validation_failed` if an earlier line belongs to another account
   */
  seeLine(
    { line, cells }: CsvRecord,
    { side, hasBalance }: { readonly side: Side; readonly hasBalance: boolean },
  ): void {
    if (this.#own !== "") this.#above.see(this.#own);
    this.#refuseUnnamed({ line, cells }, hasBalance);
    this.#isPlainNamed = false;
    this.#setBefore([]);
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

  /**
   * Refuses lines below an account if there are lines above it without any account. Balances prove that those belong to it, and so
   * does the same number under another label.
   */
  #refuseUnnamed({ line, cells }: CsvRecord, hasBalance: boolean): void {
    const isInColumn = this.#columns.accountPlaces.some(({ place }) => (cells[place] ?? "") !== "");
    if (this.#own === "" && !isInColumn) this.#unnamedLine ??= line;
    if (this.#own === "" || this.#unnamedLine === null || hasBalance) return;
    if ([...this.#named.values()].some((number) => areSame(number, this.#own))) return;
    throw unreadable(
      `The file may have statements of two accounts: line ${this.#unnamedLine} is above the first account that it names, and line ${line} below it.`,
      "Write the account above the first line, or import a file for each account. Nothing was imported.",
    );
  }

  #refuseCurrency(line: number, column: string, written: string): void {
    this.#problems.add(line, column, `the currency is “${written}”, not INR. Import a statement in rupees.`);
  }
}

/** For each cell, the next cell's text that is neither empty nor a colon. */
function textsBehind(cells: readonly string[]): string[] {
  const found: string[] = [];
  let next = "";
  for (const cell of cells.toReversed()) {
    found.push(next);
    if (!/^[\s:]*$/.test(cell)) next = cell;
  }
  return found.toReversed();
}

/** Whether a text has letters other than those that mask digits, as in `XXXX0001`. */
function hasWords(text: string): boolean {
  return /\p{L}/u.test(text.replaceAll(/X{2,}/gi, ""));
}
