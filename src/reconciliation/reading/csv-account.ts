// Whose lines a bank's table has, and in which currency: one account, and rupees.
import type { CsvRecord } from "../../platform/csv.ts";
import { excerpt } from "../../platform/excerpt.ts";
import type { Columns } from "./csv-columns.ts";
import { isForeignCurrency } from "./csv-currency.ts";
import { unreadable, type Problems, type Side } from "./statement.ts";
import { OneAccount } from "./statement-parts.ts";
import { isNothing, readDay } from "./values.ts";

/** `Account No: 501…`, `A/c 501…`, `Statement of Account 501… for November`, `Account` with the number in the next cell. */
const ACCOUNT =
  /^(?:(?:account\s+)?statement\s+(?:of|for)\s+(?:the\s+|your\s+)?)?(?:(?:savings?|current|loan|overdraft|od|cash credit|bank|debit|source|your)\s+)?(?:a\/?c|acct|account)\b\.?\s*(?:(?:no|num|number)\b)?[\s.:-]*(?:(?:for|of)\s+)?(.*)$/i;
/** A title of a table, such as `Loan account`. */
const TITLE =
  /^(?:your\s+)?(loan|saving|current|overdraft|od|cash credit|credit card|(?:fixed|recurring|term) deposit|fd|rd|ppf|nre|nro|salary|escrow|demat)s?\s+(?:bank\s+)?(?:account|a\/?c|acct)s?(?:\s+(?:statement|transactions|details|summary))?\W*$/i;
const NUMBER = /^[\dX*-]+(?: [\dX*-]{3,20})*/i;
const CURRENCY = /^(?:(?:account|a\/?c|statement)\s+)?(?:currency|ccy)\b(?:\s+code)?[\s.:-]*(.*)$/i;
const RUPEES = /^(?:inr\b.*|rs\.?|₹|(?:indian )?rupees?(?: \(?inr\)?)?)$/i;

/** Sees what a table says of its account and currency, above the lines and in columns. */
export class AccountOfTable {
  readonly #columns: Columns;
  readonly #problems: Problems;
  readonly #above = new OneAccount();
  /** Apart from what is above: a bank may write the number in full in one place, and masked in the other. */
  readonly #inColumns: ReadonlyMap<number, OneAccount>;
  readonly #ofSides = { in: new OneAccount(), out: new OneAccount() } as const;
  /** The account that was named last. */
  #written = "";
  /** That too, unless a narration names it: a narration may name the account of a payee. */
  #own = "";
  #title = { text: "", line: 0, kind: "" };
  /** The title above the first line; `null` before it. */
  #firstKind: string | null = null;

  constructor(columns: Columns, problems: Problems) {
    this.#columns = columns;
    this.#problems = problems;
    this.#inColumns = new Map(columns.accountPlaces.map((place) => [place, new OneAccount()]));
  }

  /** Takes a record that is no line: an address, a heading, or a text of the bank's. */
  seeText({ line, cells }: CsvRecord): void {
    const valueOf = (place: number, rest: string): string =>
      (rest || (cells.slice(place + 1).find((next) => !/^[\s:]*$/.test(next)) ?? "")).replace(/^[\s:]+/, "");
    const texts = cells.filter((cell) => cell !== "");
    const isNarration =
      this.#firstKind !== null && cells.every((cell, at) => cell === "" || this.#columns.narrationPlaces.includes(at));
    const kind = texts.length === 1 && !isNarration ? TITLE.exec(texts[0]!)?.[1] : undefined;
    if (kind !== undefined) this.#title = { text: texts[0]!, line, kind: kind.toLowerCase() };
    for (const [place, cell] of cells.entries()) {
      const named = ACCOUNT.exec(cell);
      const number = named ? (NUMBER.exec(valueOf(place, named[1]!))?.[0] ?? "").replaceAll(" ", "") : "";
      const isNumber = /^[\dX*-]*\d{3,}$/i.test(number) && readDay(number) === null && !/^20\d\d$/.test(number);
      if (isNumber) this.#written = number;
      if (isNumber && !isNarration) this.#own = number;
      const currency = valueOf(place, CURRENCY.exec(cell)?.[1] ?? "");
      if (CURRENCY.test(cell) && isForeignCurrency(currency)) this.#refuseCurrency(line, "currency", currency);
    }
  }

  /**
   * Takes a row of headings: the lines below it are of the account that was named last.
   * @throws NodalError `validation_failed` if lines above it are of another account
   */
  seeHeadings({ line, cells }: CsvRecord): void {
    this.#above.see(this.#written);
    for (const place of this.#columns.moneyPlaces) {
      const heading = cells[place] ?? "";
      const word = /([A-Z]{3})\W*$/.exec(heading)?.[1] ?? "";
      if (isForeignCurrency(word)) this.#refuseCurrency(line, heading, word);
    }
  }

  /**
   * Takes a line and its side. Another currency than INR is a problem.
   * @throws NodalError `validation_failed` if an earlier line is of another account
   */
  seeLine({ line, cells }: CsvRecord, side: Side): void {
    if (this.#own !== "") this.#above.see(this.#own);
    this.#firstKind ??= this.#title.kind;
    if (this.#title.kind !== this.#firstKind)
      throw unreadable(
        `The file has statements of two accounts: “${excerpt(this.#title.text, 40)}” on line ${this.#title.line} begins another one.`,
        "Import a file for each account. Nothing was imported.",
      );
    for (const [place, account] of this.#inColumns) if (!isNothing(cells[place] ?? "")) account.see(cells[place]!);
    for (const place of this.#columns.accountPlacesOf[side])
      if (!isNothing(cells[place] ?? "")) this.#ofSides[side].see(cells[place]!);
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
