// Invoice numbers: their financial year, formatting by a series, and which can't be given by hand. number-invoices.ts and
// template-store.ts take the next number.

/** docs/rules/invoicing.md#invoice-number */
const MAX_LENGTH = 16;
const OWN_NUMBER = /^[A-Za-z0-9/-]{1,16}$/;

export type NumberSeries = {
  readonly seriesId: bigint;
  /** May contain `{FY}`, which becomes `2627` in the financial year 2026-27. */
  readonly prefix: string;
  /** Digits of the counter, with leading zeros; a larger number takes more. */
  readonly width: number;
  /** Whether the counter restarts each financial year. */
  readonly yearly: boolean;
};

/** The year in which the Indian financial year of a date begins: 1 April to 31 March. */
export function financialYearOf(date: Temporal.PlainDate): number {
  return date.month >= 4 ? date.year : date.year - 1;
}

function fillPrefix(prefix: string, financialYear: number): string {
  const years = `${String(financialYear % 100).padStart(2, "0")}${String((financialYear + 1) % 100).padStart(2, "0")}`;
  return prefix.replaceAll("{FY}", years);
}

/** The formatted number of a series (docs/rules/invoicing.md#number-series), or `null` if it would be longer than GST allows. */
export function writeNumber(series: NumberSeries, financialYear: number, counter: bigint): string | null {
  const number = `${fillPrefix(series.prefix, financialYear)}${counter.toString().padStart(series.width, "0")}`;
  return number.length <= MAX_LENGTH ? number : null;
}

/**
 * Whether a number fits the pattern of a series with this prefix: the prefix, then only digits. Case is ignored, as the tax
 * authority ignores it.
 */
export function isOfSeries(prefix: string, financialYear: number, number: string): boolean {
  const written = fillPrefix(prefix, financialYear).toUpperCase();
  return number.toUpperCase().startsWith(written) && /^[0-9]+$/.test(number.slice(written.length));
}

/** The spelling in which numbers are compared, without case. Equals the database's index. */
export function numberKey(number: string): string {
  return number.toUpperCase();
}

export function isSameNumber(one: string, other: string): boolean {
  return numberKey(one) === numberKey(other);
}

/** Whether a merchant can give an invoice this number by hand. */
export function isWellFormedNumber(number: string): boolean {
  return OWN_NUMBER.test(number);
}

/** Whether a header field's name means the invoice's number: "Invoice no", "Invoice No.", "Bill number". */
export function namesInvoiceNumber(fieldName: string): boolean {
  return /^(tax )?(invoice|bill) ?(no|num|number|#)\.?$/i.test(fieldName.trim());
}

/**
 * The numbers of a series with this ending, as far as its digits decide: for `00006` and `6` the sixth, for `2627/6` the sixth of
 * that year. `years` are those to try if the series never resets.
 */
export function numbersEnding(
  series: NumberSeries & { readonly financialYear: number; readonly lastNumber: bigint },
  end: string,
  years: readonly number[],
): string[] {
  const digits = /[0-9]{1,12}$/.exec(end)?.[0];
  if (digits === undefined || BigInt(digits) > series.lastNumber) return [];
  const written = (series.yearly ? [series.financialYear] : years).map((year) =>
    writeNumber(series, year, BigInt(digits)),
  );
  const isMeant = (number: string | null): number is string =>
    number !== null && numberKey(number).endsWith(numberKey(end));
  return [...new Set(written.filter(isMeant))];
}
