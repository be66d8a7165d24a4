// What an invoice comes to: its rows, its taxes, its total. Pure arithmetic on paise.
// Percentages are thousandths of a percent (18 % is 18000n), so that half of any GST rate is still a whole number.
import { divideRounded } from "../platform/money.ts";

export type Row = {
  readonly item: string;
  readonly sacCode: string;
  readonly description: string;
  readonly gstThousandths: bigint;
  readonly amountPaise: bigint;
};

/** A tax as the merchant sends it. */
export type TaxRow = {
  readonly name: string;
  readonly percentThousandths: bigint;
  readonly applicableOnPaise: bigint;
};

/** A tax as it is charged and printed. */
export type Tax = TaxRow & { readonly amountPaise: bigint };

/**
 * How GST is charged: within one state, within a union territory without a legislature, between states, or not at all (a
 * supplier without GSTIN).
 */
export type Supply = "intra_state" | "intra_union_territory" | "inter_state" | "untaxed";

/** The taxes of each rate, which share it in equal parts. */
export const TAXES_OF_SUPPLY: { readonly [Name in Supply]: readonly string[] } = {
  intra_state: ["CGST", "SGST"],
  intra_union_territory: ["CGST", "UTGST"],
  inter_state: ["IGST"],
  untaxed: [],
};

export type Totals = {
  readonly taxes: readonly Tax[];
  readonly subTotalPaise: bigint;
  readonly taxTotalPaise: bigint;
  readonly amountPaise: bigint;
};

/** 100 % in thousandths of a percent. */
const WHOLE = 100_000n;

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

/** The tax of one amount, rounded half away from zero to the paisa. */
function taxOn(amountPaise: bigint, percentThousandths: bigint): bigint {
  return divideRounded(amountPaise * percentThousandths, WHOLE);
}

/**
 * The taxes that follow from the rows' own rates: CGST and SGST or UTGST at half the rate each, or IGST. Each row's tax
 * is rounded by itself; rows of one rate are printed as one line. docs/rules/invoicing.md#gst-of-the-rows
 */
function taxesOfRows(rows: readonly Row[], supply: Supply): Tax[] {
  const parts = TAXES_OF_SUPPLY[supply];
  const rates = [...new Set(rows.map((row) => row.gstThousandths))].filter((rate) => rate > 0n);
  return rates.flatMap((rate) => {
    const taxed = rows.filter((row) => row.gstThousandths === rate);
    return parts.map((name) => ({
      name,
      percentThousandths: rate / BigInt(parts.length),
      applicableOnPaise: sum(taxed.map((row) => row.amountPaise)),
      amountPaise: sum(taxed.map((row) => divideRounded(row.amountPaise * rate, WHOLE * BigInt(parts.length)))),
    }));
  });
}

/**
 * Adds an invoice up (docs/rules/invoicing.md#amount). Tax rows that the merchant sends are taken as they are
 * (docs/rules/invoicing.md#taxes-that-are-sent); without any, taxes follow from the rows.
 */
export function addUp(
  rows: readonly Row[],
  taxRows: readonly TaxRow[],
  previousDuesPaise: bigint,
  supply: Supply,
): Totals {
  const taxes =
    taxRows.length > 0
      ? taxRows.map((tax) => ({ ...tax, amountPaise: taxOn(tax.applicableOnPaise, tax.percentThousandths) }))
      : taxesOfRows(rows, supply);
  const subTotalPaise = sum(rows.map((row) => row.amountPaise));
  const taxTotalPaise = sum(taxes.map((tax) => tax.amountPaise));
  return { taxes, subTotalPaise, taxTotalPaise, amountPaise: subTotalPaise + taxTotalPaise + previousDuesPaise };
}
