// Taxes and total of an invoice. Pure arithmetic on paise. Percentages are thousandths of a percent (18 % is 18000n), so that half
// of any GST rate is still a whole number.
import type { MerchantProfile } from "../merchants/index.ts";
import { panOfGstin } from "../platform/gst.ts";
import { readState, stateOfGstin } from "../platform/indian-states.ts";
import { divideRounded } from "../platform/money.ts";
import { HEAD_OF_TAX, sumOfHeads, TAXES_OF_SUPPLY, taxOfRow, type HeadAmounts, type Supply } from "./gst-row.ts";
import type { Row } from "./lines/line.ts";

/** A tax as sent by the merchant. */
export type TaxRow = {
  readonly name: string;
  readonly percentThousandths: bigint;
  readonly applicableOnPaise: bigint;
};

/** A tax as it is charged and printed. */
export type Tax = TaxRow & { readonly amountPaise: bigint };

export type Totals = {
  readonly taxes: readonly Tax[];
  readonly subTotalPaise: bigint;
  readonly taxTotalPaise: bigint;
  /** Negative if the total is rounded down. */
  readonly roundOffPaise: bigint;
  readonly amountPaise: bigint;
};

/** The taxes of GST, in print order. */
export const GST_NAMES = ["CGST", "SGST", "UTGST", "IGST"] as const;
export type GstName = (typeof GST_NAMES)[number];

const GST_NAME = new RegExp(`(?<![A-Z])(${GST_NAMES.join("|")})(?![A-Z])`, "i");

/** The GST head of a tax, by its name, which may be "CGST 9%". `null` for another tax. */
export function gstOf({ name }: Pick<Tax, "name">): GstName | null {
  return (GST_NAME.exec(name)?.[1]?.toUpperCase() as GstName | undefined) ?? null;
}

/** Is it a cess, by its name? */
export function isCess({ name }: Pick<Tax, "name">): boolean {
  return /(?<![A-Z])CESS(?![A-Z])/i.test(name);
}

/** The rate of a row in thousandths of a percent, of which this tax is all (IGST) or half. */
export function rowRateOf(tax: Pick<Tax, "name" | "percentThousandths">): bigint {
  const gst = gstOf(tax);
  return gst === null || gst === "IGST" ? tax.percentThousandths : tax.percentThousandths * 2n;
}

/** 100 % in thousandths of a percent. */
const WHOLE = 100_000n;

/** The sum of amounts in paise. */
export function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

/** The tax of one amount, rounded half away from zero to the paisa. */
export function taxOn(amountPaise: bigint, percentThousandths: bigint): bigint {
  return divideRounded(amountPaise * percentThousandths, WHOLE);
}

/** A tax computed from the rows, with the places of its rows, from 0. */
export type RatedTax = Omit<Tax, "applicableOnPaise" | "amountPaise"> & {
  readonly head: keyof HeadAmounts;
  readonly places: readonly number[];
};

/**
 * The taxes from the rows' own rates: CGST and SGST or UTGST at half the rate each, or IGST, and cess. Rows of one rate are printed
 * as one line. docs/rules/invoicing.md#gst-of-the-rows
 */
export function ratedTaxes(rows: readonly Row[], supply: Supply): RatedTax[] {
  const parts = TAXES_OF_SUPPLY[supply];
  if (parts.length === 0) return [];
  const placesOf = (rateOf: (row: Row) => bigint): [rate: bigint, places: readonly number[]][] => {
    const byRate = Map.groupBy([...rows.keys()], (place) => rateOf(rows[place]!));
    return [...byRate].filter(([rate]) => rate > 0n);
  };
  const gst = placesOf((row) => row.gstThousandths).flatMap(([rate, places]) =>
    parts.map((name) => ({
      name,
      percentThousandths: rate / BigInt(parts.length),
      head: HEAD_OF_TAX[name],
      places,
    })),
  );
  const cess = placesOf((row) => row.cessThousandths ?? 0n).map(([rate, places]) => {
    return { name: "Cess", percentThousandths: rate, head: "cessPaise" as const, places };
  });
  return [...gst, ...cess];
}

function taxesOfRows(rows: readonly Row[], supply: Supply): Tax[] {
  return ratedTaxes(rows, supply).map(({ name, percentThousandths, head, places }) => {
    const taxed = places.map((place) => rows[place]!);
    return {
      name,
      percentThousandths,
      applicableOnPaise: sum(taxed.map((row) => row.amountPaise)),
      amountPaise: sum(taxed.map((row) => taxOfRow(row, supply)[head])),
    };
  });
}

/**
 * Computes an invoice's total (docs/rules/invoicing.md#amount). Tax rows that the merchant sends are used unchanged
 * (docs/rules/invoicing.md#taxes-that-are-sent); without any, taxes are computed from the rows.
 * @param roundsTotal whether the total without previous dues is rounded to whole rupees
 */
export function addUp(
  rows: readonly Row[],
  taxRows: readonly TaxRow[],
  previousDuesPaise: bigint,
  supply: Supply,
  roundsTotal = false,
): Totals {
  const taxes =
    taxRows.length > 0
      ? taxRows.map((tax) => ({ ...tax, amountPaise: taxOn(tax.applicableOnPaise, tax.percentThousandths) }))
      : taxesOfRows(rows, supply);
  const subTotalPaise = sum(rows.map((row) => row.amountPaise));
  const taxTotalPaise = sum(taxes.map((tax) => tax.amountPaise));
  const exactPaise = subTotalPaise + taxTotalPaise;
  const pricedPaise = exactPaise + sum(rows.map((row) => missingOf(row, supply)));
  const ownPaise = roundsTotal ? divideRounded(pricedPaise, RUPEE) * RUPEE : pricedPaise;
  const roundOffPaise = ownPaise - exactPaise;
  return { taxes, subTotalPaise, taxTotalPaise, roundOffPaise, amountPaise: ownPaise + previousDuesPaise };
}

/** The part of a tax-inclusive price beyond the row's amount and tax. */
function missingOf(row: Row, supply: Supply): bigint {
  const { includedPaise, amountPaise } = row;
  return includedPaise === undefined ? 0n : includedPaise - amountPaise - sumOfHeads(taxOfRow(row, supply));
}

/** In paise. */
const RUPEE = 100n;

/** The round-off in an invoice's amount, in paise: the amount less rows, taxes and previous dues. */
export function roundOffOf(
  invoice: Pick<Totals, "subTotalPaise" | "taxTotalPaise" | "amountPaise"> & { readonly previousDuesPaise: bigint },
): bigint {
  return invoice.amountPaise - invoice.subTotalPaise - invoice.taxTotalPaise - invoice.previousDuesPaise;
}

export type ProfileWarning = { readonly field: "gstin" | "pan" | "state"; readonly message: string };

/** The warnings of a profile. */
export function profileWarnings({ gstin, pan, state }: Pick<MerchantProfile, "gstin" | "pan" | "state">) {
  const warnings: ProfileWarning[] = [];
  const ofGstin = stateOfGstin(gstin);
  const ofAddress = readState(state);
  const ownPan = panOfGstin(gstin);
  if (ownPan !== null && pan !== "" && ownPan !== pan) {
    warnings.push({ field: "pan", message: "The PAN differs from the one in the GSTIN." });
  }
  if (gstin !== "" && ofGstin === null) {
    warnings.push({
      field: "gstin",
      message: `The GSTIN begins with ${gstin.slice(0, 2)}, which is not a state code.`,
    });
  }
  if (ofGstin && ofAddress && ofGstin.code !== ofAddress.code) {
    const message = `The GSTIN belongs to ${ofGstin.name}, but the address is in ${ofAddress.name}: GST follows the GSTIN.`;
    warnings.push({ field: "state", message });
  }
  if (gstin === "" && ofAddress === null) {
    const message = "Add a GSTIN or an Indian state: without it, invoices can't apply CGST and SGST or IGST.";
    warnings.push({ field: "state", message });
  }
  return warnings;
}
