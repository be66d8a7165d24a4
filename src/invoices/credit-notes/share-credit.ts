// Splits a credit over the rows and taxes of its invoice: docs/rules/invoicing.md#credit-notes
import { fieldsRefusal, validationError, type FieldError, type NodalError } from "../../platform/errors.ts";
import { list, money, object, wholeNumber, type Decoded } from "../../platform/http/fields.ts";
import { formatRupees } from "../../platform/indian-format.ts";
import { divideRounded } from "../../platform/money.ts";
import type { Invoice } from "../invoice.ts";
import { amountOfPrice } from "../lines/line-amount.ts";
import type { Row } from "../lines/line.ts";
import { shareLine } from "../lines/share-line.ts";
import { sum, type Tax } from "../totals.ts";
import { MAX_ROWS } from "../invoice-fields.ts";
import { creditableOf, type CreditLine, type CreditNote } from "./credit-note.ts";
import { inProportion, taxesByRow, type RowTaxes } from "../row-taxes.ts";

export type Billed = Pick<Invoice, "subTotalPaise" | "content">;
export type Earlier = Pick<CreditNote, "byRows" | "lines" | "taxablePaise" | "content">;
/** A taxable value with its part of each of the invoice's taxes, in paise. */
type Amounts = Pick<CreditLine, "taxablePaise" | "taxesPaise">;

/** The rows chosen in a request. */
export const chosenRows = list(object({ row: wholeNumber(1, MAX_ROWS), amount: money() }), MAX_ROWS);

/** The same rows as a use case's input. */
export function toChosenRows(rows: Decoded<typeof chosenRows> | null): ChosenRow[] | null {
  return rows && rows.map(({ row, amount }) => ({ line: row, amountPaise: amount }));
}

/** A row that is credited. */
export type ChosenRow = {
  /** The row's place on the invoice, from 1. */
  readonly line: number;
  /** The amount to credit, tax included, in paise. */
  readonly amountPaise: bigint;
};

export type CreditParts = Pick<CreditNote, "amountPaise" | "taxablePaise" | "taxPaise" | "lines"> & {
  readonly rows: readonly Row[];
  readonly taxes: readonly Tax[];
};

/**
 * Splits an amount over the rest of all rows, in proportion. The parts add up to it exactly, and notes that credit an invoice in
 * full credit each of its taxes in full, to the paisa.
 */
export function spreadCredit(invoice: Billed, earlier: readonly Earlier[], amountPaise: bigint): CreditParts {
  // Chosen rows change the mixture of rates: shares are of the rest after them.
  const since = earlier.findLastIndex(({ byRows }) => byRows) + 1;
  const count = invoice.content.taxes.length;
  const billed = minus(billedOf(invoice), total(earlier.slice(0, since).map(creditedBy), count));
  const whole = split(billed, total(earlier.slice(since).map(creditedBy), count), amountPaise);
  const rowTaxes = taxesByRow(invoice.content);
  const left = leftOf(invoice, rowTaxes, earlier);
  const taxable = inProportion(
    whole.taxablePaise,
    left.map((line) => line.taxablePaise),
  );
  const taxes = whole.taxesPaise.map((taxPaise, index) =>
    inProportion(
      taxPaise,
      left.map(({ taxesPaise }) => taxesPaise[index] ?? 0n),
    ),
  );
  const lines = left.map(({ line }, place) => ({
    line,
    taxablePaise: taxable[place]!,
    taxesPaise: rowTaxes === null ? [] : taxes.map((shares) => shares[place]!),
  }));
  return partsOf(invoice, rowTaxes, whole, lines);
}

/**
 * Credits chosen rows, each with the taxes of its own rates.
 * @throws NodalError `validation_failed` for a row that is not on the invoice or is named twice, and if the invoice's taxes can't
 * be tied to rows; `credit_exceeds_invoice` for more than is left of a row
 */
export function creditRows(invoice: Billed, earlier: readonly Earlier[], chosen: readonly ChosenRow[]): CreditParts {
  const rowTaxes = taxesByRow(invoice.content);
  if (rowTaxes === null) throw untiedTaxesError();
  refuseWrongRows(invoice, chosen);
  const left = leftOf(invoice, rowTaxes, earlier);
  refuseExcess(invoice, left, chosen);
  const count = invoice.content.taxes.length;
  const lines = chosen
    .map(({ line, amountPaise }) => {
      const place = line - 1;
      const billed = { taxablePaise: invoice.content.rows[place]!.amountPaise, taxesPaise: rowTaxes.paise[place]! };
      return { line, ...split(billed, minus(billed, left[place]!), amountPaise) };
    })
    .toSorted((one, other) => one.line - other.line);
  return partsOf(invoice, rowTaxes, total(lines, count), lines);
}

/**
 * The rest of each row that can be credited, with and without tax, in paise; `null` if the invoice's taxes can't be tied to rows.
 */
export function creditableRows(
  invoice: Billed,
  earlier: readonly Earlier[],
): readonly (ChosenRow & { readonly taxablePaise: bigint })[] | null {
  const rowTaxes = taxesByRow(invoice.content);
  if (rowTaxes === null) return null;
  return leftOf(invoice, rowTaxes, earlier).map((left) => ({
    line: left.line,
    amountPaise: grossOf(left),
    taxablePaise: left.taxablePaise,
  }));
}

/**
 * The part of a credit that reduces rows and taxes, and the same with the invoice's round-off: a note that credits the whole rest
 * takes the round-off back too, so that notes that credit an invoice in full add up to its amount. All in paise.
 */
export type Rounding = {
  /** The rest to credit, with and without the round-off. */
  readonly leftPaise: bigint;
  readonly leftOfRowsPaise: bigint;
};

/** The rest of an invoice after earlier notes. */
export function roundingOf(
  invoice: Pick<Invoice, "amountPaise" | "previousDuesPaise" | "subTotalPaise" | "taxTotalPaise">,
  earlier: readonly Pick<CreditNote, "amountPaise" | "taxablePaise" | "taxPaise">[],
): Rounding {
  const ofRows = sum(earlier.map(({ taxablePaise, taxPaise }) => taxablePaise + taxPaise));
  return {
    leftPaise: creditableOf(invoice, earlier),
    leftOfRowsPaise: invoice.subTotalPaise + invoice.taxTotalPaise - ofRows,
  };
}

/** The part of an amount, at most the rest, that reduces rows and taxes. */
export function ofRows(amountPaise: bigint, { leftPaise, leftOfRowsPaise }: Rounding): bigint {
  return amountPaise === leftPaise ? leftOfRowsPaise : least(amountPaise, leftOfRowsPaise);
}

/** The total of a note that reduces rows and taxes by this much. */
export function withRounding(ofRowsPaise: bigint, { leftPaise, leftOfRowsPaise }: Rounding): bigint {
  return ofRowsPaise === leftOfRowsPaise ? leftPaise : least(ofRowsPaise, leftPaise);
}

/** The error for rows of an invoice whose taxes can't be tied to rows. `remedy`: a sentence. */
export function untiedTaxesError(remedy = "Credit an amount of the whole invoice instead."): NodalError {
  const problem = `can't be chosen on this invoice: its tax_rows don't tell which rows they tax. ${remedy}`;
  return validationError([{ field: "rows", code: "not_allowed", problem }]);
}

/** @throws NodalError `validation_failed` */
export function refuseWrongRows({ content }: Billed, chosen: readonly Pick<ChosenRow, "line">[]): void {
  const count = content.rows.length;
  const errors = chosen.flatMap(({ line }, index): FieldError[] => {
    const refuse = (problem: string): FieldError[] => [{ field: `rows[${index}].row`, code: "invalid", problem }];
    if (line > count)
      return refuse(`names row ${line}, and the invoice has ${count}: number them from the top, from 1.`);
    const isSecond = chosen.findIndex((each) => each.line === line) < index;
    return isSecond ? refuse(`names row ${line} a second time: give its amount once.`) : [];
  });
  if (errors.length > 0) throw validationError(errors);
}

/** @throws NodalError `credit_exceeds_invoice`, naming each row with its rest */
function refuseExcess({ content }: Billed, left: readonly CreditLine[], chosen: readonly ChosenRow[]): void {
  const errors = chosen.flatMap(({ line, amountPaise }, index): FieldError[] => {
    const leftPaise = grossOf(left[line - 1]!);
    if (amountPaise <= leftPaise) return [];
    const name = `Row ${line} (${content.rows[line - 1]!.item})`;
    const problem =
      leftPaise > 0n
        ? `${name} has ${formatRupees(leftPaise)} left to credit, tax included: credit at most that much of it.`
        : `${name} has nothing left to credit: choose another row.`;
    return [{ field: `rows[${index}].amount`, code: "credit_exceeds_invoice", problem }];
  });
  if (errors.length > 0) throw fieldsRefusal("credit_exceeds_invoice", errors);
}

/** The rows and taxes of a note. */
export function partsOf(
  invoice: Billed,
  rowTaxes: RowTaxes | null,
  whole: Amounts,
  lines: readonly CreditLine[],
): CreditParts {
  const { content } = invoice;
  const taxableOf = new Map(lines.map(({ line, taxablePaise }) => [line - 1, taxablePaise]));
  const baseOf = ({ applicableOnPaise }: Tax, index: number): bigint => {
    const places = rowTaxes === null ? [...content.rows.keys()] : rowTaxes.rowsOf[index]!;
    const wholePaise = sum(places.map((place) => content.rows[place]!.amountPaise));
    const creditedPaise = sum(places.map((place) => taxableOf.get(place) ?? 0n));
    return wholePaise === 0n ? 0n : divideRounded(applicableOnPaise * creditedPaise, wholePaise);
  };
  return {
    rows: content.rows.flatMap((row, place) => {
      const partPaise = taxableOf.get(place) ?? 0n;
      const { quantityThousandths } = lines.find(({ line }) => line === place + 1) ?? {};
      return partPaise > 0n ? [rowOf(row, partPaise, quantityThousandths)] : [];
    }),
    taxes: content.taxes.map((tax, index) => ({
      ...tax,
      applicableOnPaise: baseOf(tax, index),
      amountPaise: whole.taxesPaise[index]!,
    })),
    amountPaise: grossOf(whole),
    taxablePaise: whole.taxablePaise,
    taxPaise: sum(whole.taxesPaise),
    lines: lines.filter((line) => grossOf(line) > 0n),
  };
}

/** A row of a note. One credited by number has the number and price, if they multiply to the credited amount. */
function rowOf(row: Row, partPaise: bigint, quantityThousandths: bigint | undefined): Row {
  const shared = shareLine(row, partPaise);
  if (quantityThousandths === undefined) return shared;
  if (!hasPlainPrice(row)) return { ...shared, quantityThousandths };
  const { unitPricePaise, discount } = row;
  const price = { quantity: quantityThousandths, unit_price: unitPricePaise, discount: discount ?? null };
  if (amountOfPrice(price) !== partPaise) return { ...shared, quantityThousandths };
  return { ...shared, quantityThousandths, unitPricePaise, ...(discount === undefined ? {} : { discount }) };
}

/**
 * Whether a row's price determines the amount of any number of pieces: not if it includes tax, or a discount amount is on the whole
 * row.
 */
export function hasPlainPrice(row: Row): row is Row & { readonly unitPricePaise: bigint } {
  const { unitPricePaise, discount = "%", includedPaise } = row;
  return unitPricePaise !== undefined && includedPaise === undefined && discount.endsWith("%");
}

/** The rest of each row that can be credited. */
export function leftOf({ content }: Billed, rowTaxes: RowTaxes | null, earlier: readonly Earlier[]): CreditLine[] {
  const credited = Map.groupBy(
    earlier.flatMap(({ lines }) => lines),
    ({ line }) => line,
  );
  return content.rows.map(({ amountPaise }, place) => {
    const billed = { taxablePaise: amountPaise, taxesPaise: rowTaxes?.paise[place] ?? [] };
    const line = place + 1;
    return { line, ...minus(billed, total(credited.get(line) ?? [], billed.taxesPaise.length)) };
  });
}

/**
 * Splits a credit into taxable value and taxes. Each tax is computed on everything credited so far, rounded half away from zero,
 * less the amount credited of it before. The rest is the taxable value.
 */
function split(billed: Amounts, credited: Amounts, amountPaise: bigint): Amounts {
  const left = minus(billed, credited);
  const throughPaise = grossOf(credited) + amountPaise;
  let restPaise = amountPaise;
  const rounded = billed.taxesPaise.map((taxPaise, index) => {
    const wantedPaise = divideRounded(taxPaise * throughPaise, grossOf(billed)) - credited.taxesPaise[index]!;
    const sharePaise = between(0n, wantedPaise, least(restPaise, left.taxesPaise[index]!));
    restPaise -= sharePaise;
    return sharePaise;
  });
  // If all taxes were rounded down, too little taxable value may be left.
  let excessPaise = restPaise - left.taxablePaise;
  const taxesPaise = rounded.map((sharePaise, index) => {
    const morePaise = between(0n, excessPaise, left.taxesPaise[index]! - sharePaise);
    excessPaise -= morePaise;
    return sharePaise + morePaise;
  });
  return { taxablePaise: amountPaise - sum(taxesPaise), taxesPaise };
}

function billedOf({ subTotalPaise, content }: Billed): Amounts {
  return { taxablePaise: subTotalPaise, taxesPaise: content.taxes.map((tax) => tax.amountPaise) };
}

function creditedBy({ taxablePaise, content }: Earlier): Amounts {
  return { taxablePaise, taxesPaise: content.taxes.map((tax) => tax.amountPaise) };
}

/** Tax included. */
function grossOf({ taxablePaise, taxesPaise }: Amounts): bigint {
  return taxablePaise + sum(taxesPaise);
}

/** The sum of amounts with this many taxes. */
export function total(amounts: readonly Amounts[], taxes: number): Amounts {
  return {
    taxablePaise: sum(amounts.map((each) => each.taxablePaise)),
    taxesPaise: Array.from({ length: taxes }, (_, index) => sum(amounts.map((each) => each.taxesPaise[index]!))),
  };
}

function minus(amounts: Amounts, taken: Amounts): Amounts {
  return {
    taxablePaise: amounts.taxablePaise - taken.taxablePaise,
    taxesPaise: amounts.taxesPaise.map((paise, index) => paise - taken.taxesPaise[index]!),
  };
}

function between(from: bigint, amount: bigint, to: bigint): bigint {
  if (amount < from) return from;
  return least(amount, to);
}

/** The smaller of two amounts. */
export function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
