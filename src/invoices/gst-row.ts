import { divideRounded } from "../platform/money.ts";
import type { Row } from "./lines/line.ts";

/**
 * How GST is charged: within one state, within a union territory without a legislature, between states, or not at all (a
 * supplier without GSTIN).
 */
export type Supply = "intra_state" | "intra_union_territory" | "inter_state" | "untaxed";

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

/** The taxes of each rate, which share it in equal parts. */
export const TAXES_OF_SUPPLY: Readonly<Record<Supply, readonly (keyof typeof HEAD_OF_TAX)[]>> = {
  intra_state: ["CGST", "SGST"],
  intra_union_territory: ["CGST", "UTGST"],
  inter_state: ["IGST"],
  untaxed: [],
};

export const NO_HEADS: HeadAmounts = { igstPaise: 0n, cgstPaise: 0n, sgstPaise: 0n, cessPaise: 0n };

/** 100 % in thousandths of a percent. */
const WHOLE = 100_000n;

/**
 * The tax of one row at its own rate, each head rounded half away from zero to the paisa by itself.
 * docs/rules/invoicing.md#gst-of-the-rows
 */
export function taxOfRow({ amountPaise, gstThousandths }: TaxedRow, supply: Supply): HeadAmounts {
  const parts = TAXES_OF_SUPPLY[supply];
  if (parts.length === 0) return NO_HEADS;
  const paise = divideRounded(amountPaise * gstThousandths, WHOLE * BigInt(parts.length));
  return { ...NO_HEADS, ...Object.fromEntries(parts.map((name) => [HEAD_OF_TAX[name], paise])) };
}

export type TaxedRow = Pick<Row, "amountPaise" | "gstThousandths">;
