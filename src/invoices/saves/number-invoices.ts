// Numbers a batch of invoices: the merchant's own numbers are checked, the others are taken from a series.
// docs/rules/invoicing.md#number-of-the-merchants-own and docs/rules/invoicing.md#number-series.
import { inBookOrder } from "../../ledger/index.ts";
import type { MerchantKey } from "../../merchants/index.ts";
import { violates } from "../../platform/database/failure.ts";
import { type Connection, inSavepointTogether, together } from "../../platform/database/pool.ts";
import { fieldsRefusal, NodalError, type ErrorCode, type FieldError } from "../../platform/errors.ts";
import type { OwnNumber } from "./draft.ts";
import { findTakenNumbers } from "../invoice-store.ts";
import { isOfSeries, numberKey, writeNumber, type NumberSeries } from "../numbers/number-series.ts";
import { counterOf, takeNumbersOfMany, type WantedNumbers } from "../numbers/number-counter-store.ts";
import { listPrefixes } from "../templates/template-store.ts";

/** An invoice that needs a number; `ownNumber` is what the merchant sent, if anything. */
export type Numbered = { readonly path: string; readonly financialYear: number; readonly ownNumber: OwnNumber | null };

/** A number of an invoice, and its field in the request. */
type Placed = { readonly field: string; readonly financialYear: number; readonly number: string };

const ONCE = "invoice_number_once";
const TAKEN = "is already used in this financial year: send another one";
const TAKEN_FROM_SERIES = "of the template's series is already used by another invoice: use another template";

const keyOf = (financialYear: number, number: string): string => `${financialYear} ${numberKey(number)}`;

/** Checks the merchant's own numbers against those that series could generate, and those that are taken. */
export class OwnNumbers {
  readonly #prefixes: readonly string[];
  readonly #taken: Set<string>;

  private constructor(prefixes: readonly string[], taken: ReadonlySet<string>) {
    this.#prefixes = prefixes;
    this.#taken = new Set(taken);
  }

  /** Reads the data to check these invoices' own numbers: nothing if there are none. */
  static async read(connection: Connection, merchant: MerchantKey, invoices: readonly Numbered[]): Promise<OwnNumbers> {
    const own = ownOf(invoices);
    if (own.length === 0) return new OwnNumbers([], new Set());
    const [prefixes, taken] = await together(
      connection,
      () => listPrefixes(connection, merchant),
      () =>
        findTakenNumbers(
          connection,
          merchant,
          own.map(({ financialYear, number }) => ({ financialYear, invoiceNumber: number })),
        ),
    );
    const keys = taken.map(({ financialYear, invoiceNumber }) => keyOf(financialYear, invoiceNumber));
    return new OwnNumbers(prefixes, new Set(keys));
  }

  /**
   * Takes the own numbers of invoices, all or none. Refuses numbers that a series could generate, that another invoice of the
   * financial year has or has just taken, or that are repeated.
   * @throws NodalError `invoice_number_reserved` or `invoice_number_exists`
   */
  take(invoices: readonly Numbered[]): void {
    const own = ownOf(invoices);
    refuse("invoice_number_reserved", own, ({ number, financialYear }) =>
      this.#prefixes.some((prefix) => isOfSeries(prefix, financialYear, number))
        ? "belongs to a number series: leave it out, or use another format"
        : null,
    );
    const seen = new Set<string>();
    refuse("invoice_number_exists", own, ({ financialYear, number }) => {
      const key = keyOf(financialYear, number);
      const reason = this.#taken.has(key) || seen.has(key) ? TAKEN : null;
      seen.add(key);
      return reason;
    });
    for (const key of seen) this.#taken.add(key);
  }
}

function ownOf(invoices: readonly Numbered[]): Placed[] {
  return invoices.flatMap(({ ownNumber, financialYear }) => (ownNumber ? [{ ...ownNumber, financialYear }] : []));
}

function refuse(code: ErrorCode, numbers: readonly Placed[], reasonOf: (number: Placed) => string | null): void {
  const errors: FieldError[] = [];
  for (const placed of numbers) {
    const { field, number } = placed;
    const reason = reasonOf(placed);
    if (reason !== null) errors.push({ field, code, problem: `: the invoice number ${number} ${reason}.` });
  }
  if (errors.length > 0) throw fieldsRefusal(code, errors);
}

/** Whether the database refused invoices because another invoice has one of their numbers. */
export function isNumberTaken(error: unknown): boolean {
  return violates(error, ONCE);
}

/**
 * Writes invoices whose numbers a concurrent request may be taking, which `OwnNumbers` could not see. Also refuses a series' number
 * that was given by hand before the series existed. `numbers` are the invoices' own. `write` sends all its statements at once.
 * @throws NodalError `invoice_number_exists`
 */
export async function refusingTakenNumbers(
  connection: Connection,
  merchant: MerchantKey,
  invoices: readonly Numbered[],
  numbers: readonly string[],
  write: () => Promise<unknown>,
): Promise<void> {
  try {
    await inSavepointTogether(connection, write);
  } catch (error) {
    if (!isNumberTaken(error)) throw error;
    // The database doesn't say which one: behind row-level security it reveals nothing of other rows.
    const placed = invoices.map(({ path, ownNumber, financialYear }, index): Placed => {
      return { field: ownNumber?.field ?? path, financialYear, number: numbers[index]! };
    });
    const taken = await findTakenNumbers(
      connection,
      merchant,
      placed.map(({ financialYear, number }) => ({ financialYear, invoiceNumber: number })),
    );
    const isTaken = ({ financialYear, number }: Placed): boolean =>
      taken.some((other) => other.financialYear === financialYear && other.invoiceNumber === number);
    const reasonOf = (each: Placed): string =>
      invoices.some(({ ownNumber }) => ownNumber?.field === each.field) ? TAKEN : TAKEN_FROM_SERIES;
    refuse("invoice_number_exists", placed, (each) => (isTaken(each) ? reasonOf(each) : null));
    throw error;
  }
}

/** Invoices of a merchant that need numbers, each with the series of its template and kind. */
export type Numbering = {
  readonly merchant: MerchantKey;
  readonly invoices: readonly (Numbered & { readonly series: NumberSeries })[];
};

/**
 * The numbers of invoices, in order: its own, or the next of its series in its financial year. Each counter is used once for all of
 * them, in the order of merchants, series and years.
 * @throws NodalError `invoice_number_exists` if a series has run out of numbers of 16 characters
 */
export async function takeSeriesNumbers(connection: Connection, numberings: readonly Numbering[]): Promise<string[][]> {
  const counters = new Map<string, { -readonly [Part in keyof WantedNumbers]: WantedNumbers[Part] }>();
  // The ids of series are unique per merchant only.
  const nameOf = (series: NumberSeries, year: number): string => {
    const { seriesId, financialYear } = counterOf(series, year);
    return `${seriesId} ${financialYear}`;
  };
  for (const { merchant, invoices } of numberings) {
    const { bucket, merchantId } = merchant;
    for (const { ownNumber, financialYear, series } of invoices) {
      if (ownNumber !== null) continue;
      const name = nameOf(series, financialYear);
      const counter = counters.get(name) ?? { bucket, merchantId, ...counterOf(series, financialYear), count: 0 };
      counters.set(name, counter);
      counter.count += 1;
    }
  }
  const inOrder = [...counters].sort(([, one], [, other]) => compareCounters(one, other));
  const wanted = inOrder.map(([, counter]) => counter);
  const first = wanted.length === 0 ? [] : await takeNumbersOfMany(connection, wanted);
  const next = new Map(inOrder.map(([name], index) => [name, first[index]!]));
  const numberOf = ({ ownNumber, financialYear, series }: Numbering["invoices"][number]): string => {
    if (ownNumber !== null) return ownNumber.number;
    const name = nameOf(series, financialYear);
    const counter = next.get(name)!;
    next.set(name, counter + 1n);
    const number = writeNumber(series, financialYear, counter);
    if (number !== null) return number;
    throw new NodalError(
      "invoice_number_exists",
      "The template's number series has no numbers of 16 characters left: use a template with another series.",
    );
  };
  return numberings.map(({ invoices }) => invoices.map(numberOf));
}

function compareCounters(one: WantedNumbers, other: WantedNumbers): number {
  const order = inBookOrder(one, other) || Number(one.seriesId - other.seriesId);
  return order || one.financialYear - other.financialYear;
}
