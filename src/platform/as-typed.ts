// Values as people type and paste them: amounts with commas, phones with spaces and +91, dates with the day first.
// The fields check whether the result is valid.
import { parsePaise, withoutGrouping } from "./money.ts";

/** An e-mail address. */
export const EMAIL_PATTERN =
  /^[^\s@<>()[\],:;"\\]{1,64}@(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?\.)+[\p{L}\p{M}\p{N}-]{2,63}$/u;
/** A mobile number of 10 digits, with an optional +91 or 0 in front. */
export const MOBILE_PATTERN = /^(?:\+91[ -]?|0)?[0-9]{10}$/;
/** The most characters of a tag. */
export const TAG_LENGTH = 32;
/** A tag: letters of any script with their marks and joiners, digits, spaces, - _ . and /, at least one letter or digit. */
export const TAG_PATTERN = /^(?=.*[\p{L}\p{Nd}])[\p{L}\p{M}\p{Nd}\p{Join_Control} _./-]+$/u;
/** An Indian postal code. */
export const PINCODE_PATTERN = /^[0-9]{6}$/;

/**
 * Converts an amount of rupees as people write it, `₹ 1,23,456.50`, to that of the API: `123456.50`. Any other text is
 * returned unchanged, so that the field refuses it. docs/rules/values-and-errors.md#amounts-that-people-write
 */
export function typedAmount(text: string): string {
  const written = text.trim();
  return withoutGrouping(written.replace(/^(?:₹|rs\.?|inr)\s*/i, "")) ?? written;
}

/** As `typedAmount`, but also takes a percentage with its sign: `10 %`. */
export function typedDiscount(text: string): string {
  return text.trim().endsWith("%") ? text.trim() : typedAmount(text);
}

/** The paise of an amount as people write it (see `typedAmount`); `null` for anything else. */
export function typedPaise(text: string): bigint | null {
  return parsePaise(typedAmount(text));
}

/** The digits of a text that may be a phone number or a part of one, without its country: `+91 98765-43210`; else `null`. */
export function phoneDigits(text: string): string | null {
  const plain = text.trim().replaceAll(/[\s().-]/g, "");
  if (!/^\+?[0-9]{4,15}$/.test(plain)) return null;
  return plain.replace(/^(?:\+91|0091|91(?=[0-9]{10}$)|0(?=[0-9]{10}$))/, "").replace("+", "");
}

/** The digits of a mobile number that was typed with spaces, hyphens or its country; any other text is returned unchanged. */
export function typedMobile(text: string): string {
  if (/^(?:\+91[ -]?|0)?[0-9]{10}$/.test(text.trim())) return text.trim();
  const digits = phoneDigits(text);
  return digits !== null && digits.length === 10 ? digits : text;
}

/** The six digits of a PIN code that was typed with a space or a hyphen: `560 001`; any other text is returned unchanged. */
export function typedPin(text: string): string {
  const plain = text.replaceAll(/[\s-]/g, "");
  return /^[0-9]{6}$/.test(plain) ? plain : text;
}

/** Which of the first two numbers of a date is the day. */
export const DATE_ORDERS = ["day-first", "month-first"] as const;
export type DateOrder = (typeof DATE_ORDERS)[number];

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const YEAR_FIRST = /^([0-9]{4})[-/.]([0-9]{1,2})[-/.]([0-9]{1,2})$/;
const DAY_FIRST = /^([0-9]{1,2})[-/. ]([0-9]{1,2})(?:[-/. ]([0-9]{4}|[0-9]{2}))?$/;
const DAY_AND_MONTH = /^([0-9]{1,2})(?:st|nd|rd|th)?[-/. ]?([a-z]{3,9})\.?(?:[-/., ]{1,2}([0-9]{4}|[0-9]{2}))?$/;
const MONTH_AND_DAY = /^([a-z]{3,9})\.?[-/. ]?([0-9]{1,2})(?:st|nd|rd|th)?(?:[-/., ]{1,2}([0-9]{4}|[0-9]{2}))?$/;

/**
 * Converts a date as people type it to YYYY-MM-DD: 1/4/2026, 1-4-26, 1 apr 2026, 2026-04-01. The day comes before the
 * month unless `order` says otherwise. With `today` it also takes 1/4 and 1 apr (of that year), and today, yesterday
 * and tomorrow. `null` if it is no date.
 */
export function typedDate(text: string, today: string | null = null, order: DateOrder = "day-first"): string | null {
  const plain = text.trim().toLowerCase().replaceAll(/\s+/g, " ");
  const days = { yesterday: -1, today: 0, tomorrow: 1 }[plain];
  if (days !== undefined && today !== null) {
    return new Date(Date.parse(`${today}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
  }
  const [, day, month, year] =
    shuffled(YEAR_FIRST.exec(plain), [3, 2, 1]) ??
    inOrder(DAY_FIRST.exec(plain), order) ??
    DAY_AND_MONTH.exec(plain) ??
    shuffled(MONTH_AND_DAY.exec(plain), [2, 1, 3]) ??
    [];
  if (day === undefined || month === undefined) return null;
  const fullYear = year === undefined ? today?.slice(0, 4) : year.length === 2 ? `20${year}` : year;
  const monthNumber = /^[0-9]/.test(month) ? Number(month) : numberOfMonth(month);
  return fullYear === undefined ? null : dateOf(Number(fullYear), monthNumber, Number(day));
}

function inOrder(found: RegExpExecArray | null, order: DateOrder) {
  return order === "day-first" ? found : shuffled(found, [2, 1, 3]);
}

function shuffled(found: readonly (string | undefined)[] | null, order: readonly number[]) {
  return found && [found[0], ...order.map((index) => found[index])];
}

/** 1 for jan and january; 0 if it is no month. */
function numberOfMonth(name: string): number {
  const index = MONTHS.indexOf(name.slice(0, 3));
  const whole =
    index < 0 ? "" : new Date(Date.UTC(2000, index)).toLocaleString("en", { month: "long", timeZone: "UTC" });
  return whole.toLowerCase().startsWith(name) || name === "sept" ? index + 1 : 0;
}

function dateOf(year: number, month: number, day: number): string | null {
  const date = new Date(Date.UTC(year, month - 1, day));
  const isReal = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isReal ? date.toISOString().slice(0, 10) : null;
}

/** `1` or `0` for yes or no, as spreadsheets write them; any other text is returned unchanged. */
function typedFlag(text: string): string {
  const word = text.trim().toLowerCase();
  if (["yes", "y", "true"].includes(word)) return "1";
  return ["no", "n", "false"].includes(word) ? "0" : text;
}

/** A word of the API as people write it: `Exempt`, `Non-GST`, `SEZ with tax`, and `Nil rated` for `nil`. */
function typedWord(text: string): string {
  const word = text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, "_");
  return word === "nil_rated" ? "nil" : word;
}

const CLEANED: Readonly<Record<string, (text: string) => string>> = {
  mobile: typedMobile,
  amount: typedAmount,
  total_amount: typedAmount,
  tds_amount: typedAmount,
  quantity: typedAmount,
  discount: typedDiscount,
  unit_price: typedAmount,
  applicable_on: typedAmount,
  previous_dues: typedAmount,
  approve_over: typedAmount,
  transfer_limit: typedAmount,
  daily_limit: typedAmount,
  commission: typedAmount,
  zipcode: typedPin,
  pincode: typedPin,
  date: fullDate,
  bill_date: fullDate,
  due_date: fullDate,
  scheduled_for: fullDate,
  shipping_bill_date: fullDate,
  round_off: typedFlag,
  reverse_charge: typedFlag,
  price_includes_tax: typedFlag,
  tax_treatment: typedWord,
  supply_type: typedWord,
  gst_category: typedWord,
};

/**
 * Converts the text of a cell or a form's field to the API's spelling, by the field's name, or by its type if the
 * merchant named it. Unusable text is returned unchanged, so that the API's field refuses it.
 */
export function typedField(name: string, text: string): string {
  return Object.hasOwn(CLEANED, name) ? CLEANED[name]!(text) : text;
}

function fullDate(text: string): string {
  return typedDate(text) ?? text;
}
