// How each kind of a line's members is typed, checked and shown in the dashboard.
import type { LineKind } from "../../../../src/invoices/lines/line.ts";
import { typedAmount, typedDiscount } from "../../../../src/platform/as-typed.ts";
import { HSN_PATTERN } from "../../../../src/platform/gst.ts";
import { rupees } from "../../format/money.ts";
import { fieldErrors as words } from "../../strings/refusals.ts";
import { amount, discount, matching, quantity, rate, type Check } from "../checks.ts";

type KindInForms = {
  readonly check: Check | null;
  /** The spelling of the API for what somebody typed. */
  readonly typed: (text: string) => string;
  /** A value of the API, for readers; empty for none. */
  readonly shown: (text: string) => string;
  readonly isDecimal: boolean;
  /** Rupees: with their sign in a form, and right-aligned. */
  readonly isMoney: boolean;
  /** In tables: rates are right-aligned. Phones leave codes out, and have what is short below the item. */
  readonly column: { readonly align?: "right"; readonly hideBelow?: "sm"; readonly isBelowFirst?: true };
};

const same = (text: string): string => text;
const plain = { typed: same, shown: same, isDecimal: false, isMoney: false };

export const LINE_KINDS: { readonly [Kind in LineKind]: KindInForms } = {
  text: { ...plain, check: null, column: {} },
  code: { ...plain, check: matching(HSN_PATTERN, words.hsn), column: { hideBelow: "sm" } },
  rate: {
    check: rate,
    typed: same,
    shown: (text) => (text === "" ? "" : `${text}%`),
    isDecimal: true,
    isMoney: false,
    column: { align: "right" },
  },
  quantity: { ...plain, check: quantity, typed: typedAmount, isDecimal: true, column: { align: "right" } },
  unit: { ...plain, check: null, column: { isBelowFirst: true } },
  price: { check: amount, typed: typedAmount, shown: rupees, isDecimal: true, isMoney: true, column: {} },
  discount: { ...plain, check: discount, typed: typedDiscount, column: { align: "right", isBelowFirst: true } },
  treatment: { ...plain, check: null, column: { isBelowFirst: true } },
  flag: { ...plain, check: null, column: {} },
  amount: { check: amount, typed: typedAmount, shown: rupees, isDecimal: true, isMoney: true, column: {} },
};
