import { divideRounded } from "../platform/money.ts";
import type { Row } from "./lines/line.ts";

/**
 * How GST is charged: within one state, within a union territory without a legislature, between states; or not at all, on exports
 * and SEZ supplies under a letter of undertaking (`zero_rated`), and by a supplier without GSTIN (`untaxed`).
 */
export type Supply = "intra_state" | "intra_union_territory" | "inter_state" | "zero_rated" | "untaxed";

/** GST by head, in paise. SGST holds UTGST too: returns have one field for both. */
export type HeadAmounts = {
  readonly igstPaise: bigint;
  readonly cgstPaise: bigint;
  readonly sgstPaise: bigint;
  readonly cessPaise: bigint;
};

/** The head that each tax belongs to. */
export const HEAD_OF_TAX = {
  IGST: "igstPaise",
  CGST: "cgstPaise",
  SGST: "sgstPaise",
  UTGST: "sgstPaise",
} as const satisfies Readonly<Record<string, keyof HeadAmounts>>;

/** The taxes of each rate, which split it equally. */
export const TAXES_OF_SUPPLY: Readonly<Record<Supply, readonly (keyof typeof HEAD_OF_TAX)[]>> = {
  intra_state: ["CGST", "SGST"],
  intra_union_territory: ["CGST", "UTGST"],
  inter_state: ["IGST"],
  zero_rated: [],
  untaxed: [],
};

/** The tax rules of a document: under reverse charge none, since the recipient pays the tax. CGST Act, section 9(3). */
export function chargedSupply({
  supply,
  reverseCharge = false,
}: {
  readonly supply: Supply;
  readonly reverseCharge?: boolean;
}): Supply {
  return reverseCharge ? "untaxed" : supply;
}

export const NO_HEADS: HeadAmounts = { igstPaise: 0n, cgstPaise: 0n, sgstPaise: 0n, cessPaise: 0n };

/** 100 % in thousandths of a percent. */
const WHOLE = 100_000n;

/**
 * The tax of one row at its own rates of GST and cess, each head rounded separately, half away from zero to the paisa.
 * docs/rules/invoicing.md#gst-of-the-rows
 */
export function taxOfRow({ amountPaise, gstThousandths, cessThousandths = 0n }: TaxedRow, supply: Supply): HeadAmounts {
  const parts = TAXES_OF_SUPPLY[supply];
  if (parts.length === 0) return NO_HEADS;
  const paise = divideRounded(amountPaise * gstThousandths, WHOLE * BigInt(parts.length));
  return {
    ...NO_HEADS,
    ...Object.fromEntries(parts.map((name) => [HEAD_OF_TAX[name], paise])),
    cessPaise: divideRounded(amountPaise * cessThousandths, WHOLE),
  };
}

export type TaxedRow = Pick<Row, "amountPaise" | "gstThousandths" | "cessThousandths">;

/**
 * A row with a tax-inclusive price, with its taxable value: the amount in paise that comes nearest to the price with its tax. A few
 * prices can't be met to the paisa, since each head is rounded: the rest is the document's round-off. Other rows don't change.
 * docs/rules/invoicing.md#prices-with-tax
 */
export function withoutTax(row: Row, supply: Supply): Row {
  const { includedPaise } = row;
  if (includedPaise === undefined) return row;
  const rate = TAXES_OF_SUPPLY[supply].length === 0 ? 0n : row.gstThousandths + (row.cessThousandths ?? 0n);
  const nearest = divideRounded(includedPaise * WHOLE, WHOLE + rate);
  const candidates = [nearest, nearest - 1n, nearest + 1n].filter((amountPaise) => amountPaise >= 0n);
  const missOf = (amountPaise: bigint): bigint => {
    const miss = includedPaise - amountPaise - sumOfHeads(taxOfRow({ ...row, amountPaise }, supply));
    return miss < 0n ? -miss : miss;
  };
  const amountPaise = candidates.reduce((best, each) => (missOf(each) < missOf(best) ? each : best));
  return { ...row, amountPaise };
}

/** The sum of all heads. */
export function sumOfHeads({ igstPaise, cgstPaise, sgstPaise, cessPaise }: HeadAmounts): bigint {
  return igstPaise + cgstPaise + sgstPaise + cessPaise;
}
