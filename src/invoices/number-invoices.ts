// Numbering a batch of invoices: numbers of the merchant's own are checked, the others are taken from a series.
// What belongs here: decisions.md, "Invoice numbers".
import type { MerchantKey } from "../merchants/index.ts";
import { violates } from "../platform/database/failure.ts";
import type { Connection } from "../platform/database/pool.ts";
import { inSavepoint } from "../platform/database/savepoint.ts";
import { NodalError, type ErrorCode, type FieldError } from "../platform/errors.ts";
import type { OwnNumber } from "./draft.ts";
import { findTakenNumbers } from "./invoice-store.ts";
import { isOfSeries, numberKey, writeNumber, type NumberSeries } from "./number-series.ts";
import { listPrefixes, takeNumbers } from "./template-store.ts";

/** An invoice that needs a number; `ownNumber` is what the merchant sent, if anything. */
export type Numbered = { readonly path: string; readonly financialYear: number; readonly ownNumber: OwnNumber | null };

/** A number of an invoice, and what in the request it comes from. */
type Placed = { readonly field: string; readonly financialYear: number; readonly number: string };

const ONCE = "invoice_number_once";
const TAKEN = "is taken in this financial year: send another one";
const TAKEN_FROM_SERIES = "of the template's series was given to another invoice by hand: use another template";

/**
 * Refuses numbers that a series could write, that another invoice of the financial year has, or that come twice.
 * @throws NodalError `invoice_number_reserved` or `invoice_number_exists`
 */
export async function refuseOwnNumbers(
  connection: Connection,
  merchant: MerchantKey,
  invoices: readonly Numbered[],
): Promise<void> {
  const own = invoices.flatMap(({ ownNumber, financialYear }): Placed[] =>
    ownNumber ? [{ ...ownNumber, financialYear }] : [],
  );
  if (own.length === 0) return;
  const prefixes = await listPrefixes(connection, merchant);
  refuse("invoice_number_reserved", own, ({ number, financialYear }) =>
    prefixes.some((prefix) => isOfSeries(prefix, financialYear, number))
      ? "belongs to a number series: leave it out, or send one of another form"
      : null,
  );
  const taken = await findTakenNumbers(
    connection,
    merchant,
    own.map(({ financialYear, number }) => ({ financialYear, invoiceNumber: number })),
  );
  const keyOf = (financialYear: number, number: string): string => `${financialYear} ${numberKey(number)}`;
  const takenKeys = new Set(taken.map((number) => keyOf(number.financialYear, number.invoiceNumber)));
  const seen = new Set<string>();
  refuse("invoice_number_exists", own, ({ financialYear, number }) => {
    const key = keyOf(financialYear, number);
    const reason = takenKeys.has(key) || seen.has(key) ? TAKEN : null;
    seen.add(key);
    return reason;
  });
}

function refuse(code: ErrorCode, numbers: readonly Placed[], reasonOf: (number: Placed) => string | null): void {
  const errors: FieldError[] = [];
  for (const placed of numbers) {
    const { field, number } = placed;
    const reason = reasonOf(placed);
    if (reason !== null) errors.push({ field, code, message: `${field}: the invoice number ${number} ${reason}.` });
  }
  if (errors.length > 0) throw new NodalError(code, errors[0]!.message, { errors });
}

/**
 * Writes invoices whose numbers another request may be taking at the same time: `refuseOwnNumbers` could not see it yet.
 * Also refuses a number of a series that was given by hand before there was the series. `numbers` are the invoices' own.
 * @throws NodalError `invoice_number_exists`
 */
export async function refusingTakenNumbers(
  connection: Connection,
  merchant: MerchantKey,
  invoices: readonly Numbered[],
  numbers: readonly string[],
  write: () => Promise<void>,
): Promise<void> {
  try {
    await inSavepoint(connection, write);
  } catch (error) {
    if (!violates(error, ONCE)) throw error;
    // The database does not say which one it is: behind a policy it tells nothing of other rows.
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

/**
 * The number of each invoice, in order: its own, or the next of the series in its financial year.
 * @throws NodalError `invoice_number_exists` where the series has run out of numbers of 16 characters
 */
export async function takeSeriesNumbers(
  connection: Connection,
  merchant: MerchantKey,
  series: NumberSeries,
  invoices: readonly Numbered[],
): Promise<string[]> {
  const next = new Map<number, bigint>();
  const years = [
    ...new Set(invoices.filter(({ ownNumber }) => ownNumber === null).map(({ financialYear }) => financialYear)),
  ];
  for (const year of years.sort((a, b) => a - b)) {
    const count = invoices.filter((invoice) => invoice.ownNumber === null && invoice.financialYear === year).length;
    next.set(year, await takeNumbers(connection, merchant, series, year, count));
  }
  return invoices.map(({ ownNumber, financialYear }) => {
    if (ownNumber !== null) return ownNumber.number;
    const counter = next.get(financialYear)!;
    next.set(financialYear, counter + 1n);
    const number = writeNumber(series, financialYear, counter);
    if (number !== null) return number;
    throw new NodalError(
      "invoice_number_exists",
      "The template's number series has no numbers of 16 characters left: use a template with another series.",
    );
  });
}
