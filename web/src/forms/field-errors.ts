// Errors that a form can tell by itself: an empty required field, and text that can't be a value of its field. They come
// before any question; the server checks everything again.
import {
  EMAIL_PATTERN,
  MOBILE_PATTERN,
  PINCODE_PATTERN,
  typedField,
  typedPaise,
} from "../../../src/platform/as-typed.ts";
import { GSTIN_PATTERN, HSN_PATTERN } from "../../../src/platform/gst.ts";
import { parseThousandths } from "../../../src/platform/money.ts";
import { fieldErrors as words } from "../strings/refusals.ts";

type Check = (text: string) => string | null;

const HUNDRED_PERCENT = 100_000n;

const matching =
  (pattern: RegExp, error: string): Check =>
  (text) =>
    pattern.test(text) ? null : error;
const amount: Check = (text) => (typedPaise(text) === null ? words.amount : null);
const amountAboveZero: Check = (text) => ((typedPaise(text) ?? 0n) > 0n ? null : words.amountAboveZero);
const rate: Check = (text) => {
  const thousandths = parseThousandths(text);
  return thousandths === null || thousandths > HUNDRED_PERCENT ? words.rate : null;
};

/** By the last part of a field's name: `particular_rows.0.gst` is checked as `gst`. */
const CHECKS: Readonly<Record<string, Check>> = {
  amount: amountAboveZero,
  total_amount: amount,
  applicable_on: amount,
  previous_dues: amount,
  gst: rate,
  percentage: rate,
  sac_code: matching(HSN_PATTERN, words.hsn),
  gstin: matching(GSTIN_PATTERN, words.gstin),
  gst_number: matching(GSTIN_PATTERN, words.gstin),
  email: matching(EMAIL_PATTERN, words.email),
  email_id: matching(EMAIL_PATTERN, words.email),
  mobile: matching(MOBILE_PATTERN, words.mobile),
  pincode: matching(PINCODE_PATTERN, words.pincode),
  zipcode: matching(PINCODE_PATTERN, words.pincode),
};

/** What is wrong with the text of a field; `null` if nothing is. An empty text is wrong only if `isRequired`. */
export function fieldError(path: string, text: string, isRequired: boolean): string | null {
  if (text.trim() === "") return isRequired ? words.required : null;
  const name = path.split(".").at(-1)!;
  return Object.hasOwn(CHECKS, name) ? CHECKS[name]!(typedField(name, text).trim()) : null;
}
