// Whose lines a bank's table has, and in which currency: one account, and rupees.
import type { CsvRecord } from "../../platform/csv.ts";
import type { Columns } from "./csv-columns.ts";
import { isForeignCurrency } from "./csv-currency.ts";
import type { Problems } from "./statement.ts";
import { OneAccount } from "./statement-parts.ts";
import { isNothing } from "./values.ts";

const ACCOUNT = /^(?:a\/?c|account)\s*(?:no|num|number)\b[\s.:-]*(.*)$/i;
const CURRENCY = /^(?:(?:account|a\/?c|statement)\s+)?(?:currency|ccy)\b(?:\s+code)?[\s.:-]*(.*)$/i;
const RUPEES = /^(?:inr\b.*|rs\.?|₹|(?:indian )?rupees?(?: \(?inr\)?)?)$/i;

/** Sees what a table says of its account and currency, above the lines and in columns. */
export class AccountOfTable {
  readonly #columns: Columns;
  readonly #problems: Problems;
  readonly #above = new OneAccount();
  /** Apart from what is above: a bank may write the number in full in one place, and masked in the other. */
  readonly #inColumns: ReadonlyMap<number, OneAccount>;
  #written = "";

  constructor(columns: Columns, problems: Problems) {
    this.#columns = columns;
    this.#problems = problems;
    this.#inColumns = new Map(columns.accountPlaces.map((place) => [place, new OneAccount()]));
  }

  /** Takes a record that is no line: an address, a heading, or a text of the bank's. */
  seeText({ line, cells }: CsvRecord): void {
    const valueOf = (place: number, rest: string): string =>
      (rest || (cells.slice(place + 1).find((next) => !/^[\s:]*$/.test(next)) ?? "")).replace(/^[\s:]+/, "");
    for (const [place, cell] of cells.entries()) {
      const [number = ""] = valueOf(place, ACCOUNT.exec(cell)?.[1] ?? "").split(" ");
      if (ACCOUNT.test(cell) && /^[\dX*-]*\d{3,}$/i.test(number)) this.#written = number;
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
   * Takes a line. Another currency than INR is a problem.
   * @throws NodalError `validation_failed` if an earlier line is of another account
   */
  seeLine({ line, cells }: CsvRecord): void {
    for (const [place, account] of this.#inColumns) if (!isNothing(cells[place] ?? "")) account.see(cells[place]!);
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
