// Errors that a form can tell by itself: an empty required field, and text that can't be a value of its field. They come
// before any question; the server checks everything again.
import { LINE_MEMBERS } from "../../../src/invoices/lines/line.ts";
import { CUSTOMER_MEMBERS } from "../../../src/customers/customer-members.ts";
import { CONTACT_MEMBERS } from "../../../src/franchises/contact-members.ts";
import { PROFILE_MEMBERS } from "../../../src/merchants/profile-members.ts";
import { BENEFICIARY_MEMBERS } from "../../../src/payouts/beneficiaries/beneficiary-members.ts";
import type { Member, MemberKind } from "../../../src/platform/member.ts";
import { EMAIL_PATTERN, MOBILE_PATTERN, PINCODE_PATTERN, typedField } from "../../../src/platform/as-typed.ts";
import { GSTIN_PATTERN } from "../../../src/platform/gst.ts";
import { fieldErrors as words } from "../strings/refusals.ts";
import { amount, amountAboveZero, matching, rate, type Check } from "./checks.ts";
import { LINE_KINDS } from "./invoice/line-kinds.ts";

const OF_LINES = LINE_MEMBERS.flatMap(({ name, kind }): [string, Check][] => {
  const { check } = LINE_KINDS[kind];
  return check === null ? [] : [[name, check]];
});

const OF_KINDS: { readonly [Kind in MemberKind]?: Check } = {
  email: matching(EMAIL_PATTERN, words.email),
  mobile: matching(MOBILE_PATTERN, words.mobile),
  pincode: matching(PINCODE_PATTERN, words.pincode),
  gstin: matching(GSTIN_PATTERN, words.gstin),
};
const MEMBERS: readonly Member[] = [
  ...CUSTOMER_MEMBERS,
  ...CONTACT_MEMBERS,
  ...BENEFICIARY_MEMBERS,
  ...PROFILE_MEMBERS,
];
const OF_RECORDS = MEMBERS.flatMap(({ name, kind }): [string, Check][] => {
  const check = OF_KINDS[kind];
  return check ? [[name, check]] : [];
});

/** By the last part of a field's name: `particular_rows.0.gst` is checked as `gst`. */
const CHECKS: Readonly<Record<string, Check>> = {
  ...Object.fromEntries([...OF_LINES, ...OF_RECORDS]),
  amount: amountAboveZero,
  applicable_on: amount,
  previous_dues: amount,
  percentage: rate,
};

/** The error of a field's text; `null` for none. An empty text is wrong only if `isRequired`. */
export function fieldError(path: string, text: string, isRequired: boolean): string | null {
  if (text.trim() === "") return isRequired ? words.required : null;
  const name = path.split(".").at(-1)!;
  return Object.hasOwn(CHECKS, name) ? CHECKS[name]!(typedField(name, text).trim()) : null;
}
