// Ties an invoice's taxes to its rows, with each row's part.
import { divideRounded } from "../platform/money.ts";
import type { InvoiceContent } from "./invoice.ts";
import { chargedSupply, taxOfRow } from "./gst-row.ts";
import { ratedTaxes, rowRateOf, sum, type RatedTax } from "./totals.ts";

type Taxed = Pick<InvoiceContent, "rows" | "taxes" | "ownTaxes" | "supply" | "reverseCharge">;

/** An invoice's taxes by its rows. */
export type RowTaxes = {
  /** For each row: its part of each tax, in paise. */
  readonly paise: readonly (readonly bigint[])[];
  /** For each tax: the places of its rows, from 0. */
  readonly rowsOf: readonly (readonly number[])[];
};

/**
 * Each row's part of each tax. The parts of a tax add up to it. `null` if the merchant sent `tax_rows` that can't be tied to rows:
 * docs/rules/invoicing.md#credit-notes
 */
export function taxesByRow(content: Taxed): RowTaxes | null {
  const found = content.ownTaxes
    ? content.taxes.map((_, index) => ofOwnTax(content, index))
    : ratedTaxes(content.rows, chargedSupply(content)).map((tax) => ofRate(content, tax));
  const isComplete =
    found.length === content.taxes.length &&
    found.every((parts, index) => parts !== null && sum([...parts.values()]) === content.taxes[index]!.amountPaise);
  if (!isComplete) return null;
  return {
    paise: content.rows.map((_, row) => found.map((parts) => parts!.get(row) ?? 0n)),
    rowsOf: found.map((parts) => [...parts!.keys()]),
  };
}

/** The parts of a tax computed from the rows' rates: each is rounded separately, as in the invoice's total. */
function ofRate({ rows, supply }: Taxed, { head, places }: RatedTax): Map<number, bigint> {
  return new Map(places.map((place) => [place, taxOfRow(rows[place]!, supply)[head]]));
}

/** The parts of a tax sent by the merchant, in proportion to its rows; `null` if its rows are unknown. */
function ofOwnTax({ rows, taxes }: Taxed, index: number): Map<number, bigint> | null {
  const { applicableOnPaise, amountPaise } = taxes[index]!;
  const all = [...rows.keys()];
  const baseOf = (places: readonly number[]): bigint => sum(places.map((place) => rows[place]!.amountPaise));
  const rate = rowRateOf(taxes[index]!);
  const ofItsRate = all.filter((place) => rows[place]!.gstThousandths === rate);
  const isOnAll = rows.length === 1 || baseOf(all) === applicableOnPaise;
  const taxed = isOnAll ? all : ofItsRate;
  if (!isOnAll && baseOf(ofItsRate) !== applicableOnPaise) return null;
  const weights = taxed.map((place) => rows[place]!.amountPaise);
  const shares = taxed.length === 1 ? [amountPaise] : inProportion(amountPaise, weights);
  return new Map(taxed.map((place, at) => [place, shares[at]!]));
}

/**
 * Splits an amount in proportion to weights. The shares add up to it, and none exceeds its weight unless the amount exceeds their
 * sum. All are 0 if the weights are.
 */
export function inProportion(amountPaise: bigint, weights: readonly bigint[]): bigint[] {
  const whole = sum(weights);
  let before = 0n;
  return weights.map((weight) => {
    if (whole === 0n) return 0n;
    const through = before + weight;
    const share = divideRounded(through * amountPaise, whole) - divideRounded(before * amountPaise, whole);
    before = through;
    return share;
  });
}
