// Checks of typed texts that forms share.
import { typedAmount, typedDiscount, typedPaise } from "../../../src/platform/as-typed.ts";
import { parseDiscount } from "../../../src/platform/discount.ts";
import { parseQuantity, parseThousandths } from "../../../src/platform/money.ts";
import { fieldErrors as words } from "../strings/refusals.ts";

/** The error of a non-empty text; `null` for none. */
export type Check = (text: string) => string | null;

const HUNDRED_PERCENT = 100_000n;

export const matching =
  (pattern: RegExp, error: string): Check =>
  (text) =>
    pattern.test(text) ? null : error;
export const amount: Check = (text) => (typedPaise(text) === null ? words.amount : null);
export const amountAboveZero: Check = (text) => ((typedPaise(text) ?? 0n) > 0n ? null : words.amountAboveZero);
export const quantity: Check = (text) => ((parseQuantity(typedAmount(text)) ?? 0n) > 0n ? null : words.quantity);
export const discount: Check = (text) => (parseDiscount(typedDiscount(text)) === null ? words.discount : null);
export const rate: Check = (text) => {
  const thousandths = parseThousandths(text);
  return thousandths === null || thousandths > HUNDRED_PERCENT ? words.rate : null;
};
