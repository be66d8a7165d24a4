// Converts amounts and dates as Indian banks and spreadsheets write them into paise and days, without floats.
import { hasNeedlessZeros, NEEDLESS_ZEROS, withoutGrouping } from "../../platform/money.ts";
import type { DateOrder, Side } from "./statement.ts";

const PLAIN_AMOUNT = /^(\d{1,15})(?:\.(\d{1,6}))?$/;

/** Texts that mean an empty amount, reference or currency. */
const NOTHING = /^(?:[-. ]*|nil|n\.?\/?a\.?|none|null)$/i;

/** Whether a cell is empty in effect: `NIL`, `N/A`, dashes, or no text. */
export function isNothing(text: string): boolean {
  return NOTHING.test(text);
}

/** An amount, whether it is written with a minus, brackets or a plus, and the side in its text, if any: `CR` or `DR`. */
export type SignedAmount = {
  readonly paise: bigint;
  readonly isNegative: boolean;
  readonly hasPlus: boolean;
  readonly side: Side | null;
};

/**
 * An amount as statements write it: `1,23,456.78`, `₹ 500`, `Rs.500.00`, `(250.00)`, `1000-`, `500/-`, `500.00CR`, `500.00
 * (Cr)`. `null` if it is not an amount, is finer than a paisa, or may be the rest of a longer one: `050.00`.
 */
export function readAmount(text: string): SignedAmount | null {
  // Nobody here uses a blank as a separator: `1 50` is not an amount.
  if (/\d\s+\d/.test(text)) return null;
  let rest = text.replaceAll(/\s/g, "").replaceAll("−", "-").toUpperCase();
  const word = /(?:\((CR|DR|C|D)\.?\)|(CR|DR|[CD])\.?)$/.exec(rest);
  if (word) rest = rest.slice(0, word.index);
  rest = rest.replace(/^([+-]?)(?:₹|RS\.?|INR)/, "$1").replace(/\/-$/, "");
  const isBracketed = rest.startsWith("(") && rest.endsWith(")");
  if (isBracketed) rest = rest.slice(1, -1);
  const isNegative = isBracketed || rest.startsWith("-") || rest.endsWith("-");
  const hasPlus = rest.startsWith("+");
  rest = rest.replace(/^[+-]/, "").replace(/-$/, "").replace(/^\./, "0.");
  if (hasNeedlessZeros(rest, { mayPad: true })) return null;
  const match = PLAIN_AMOUNT.exec(withoutGrouping(rest) ?? "");
  if (!match) return null;
  const decimals = (match[2] ?? "").padEnd(2, "0");
  if (/[1-9]/.test(decimals.slice(2))) return null;
  const side = word ? ((word[1] ?? word[2])!.startsWith("C") ? "in" : "out") : null;
  return { paise: BigInt(match[1]!) * 100n + BigInt(decimals.slice(0, 2)), isNegative, hasPlus, side };
}

/** The error for a cell that `readAmount` can't read. */
export function amountProblem(written: string): string {
  const isRest = hasNeedlessZeros(written.replace(/^\D+/, ""), { mayPad: true });
  return `“${written}” ${isRest ? NEEDLESS_ZEROS : "is not an amount."}`;
}

/** The side of an amount after its sign: a credit below zero was reversed. */
export function sideOfAmount({ isNegative, side }: SignedAmount, said: Side): Side {
  const named = side ?? said;
  return isNegative ? "out" : named;
}

/** A balance: negative if overdrawn (`DR` or a minus). `null` if it can't be read. */
export function readBalance(text: string): bigint | null {
  const amount = readAmount(text);
  if (!amount) return null;
  return amount.isNegative !== (amount.side === "out") ? -amount.paise : amount.paise;
}

/** An amount in SWIFT's messages, in paise: decimals follow a comma, at some banks a point. `null` if it can't be read. */
export function readSwiftAmount(text: string): bigint | null {
  return paiseOf(/^(\d{1,15})(?:[.,](\d{0,6}))?$/.exec(text.trim()));
}

/**
 * An amount in ISO 20022's XML, in paise: a decimal of XML Schema that is not negative, such as `1000`, `1.5` or `+1.50`. It has no
 * comma: `1,000` could be a thousand or one. `null` if it can't be read.
 */
export function readXmlAmount(text: string): bigint | null {
  return paiseOf(/^\+?(?=\.?\d)(\d{0,15})(?:\.(\d{0,6}))?$/.exec(text.trim()));
}

/** The paise of rupees and decimals; `null` if they are finer than a paisa. */
function paiseOf(match: RegExpExecArray | null): bigint | null {
  if (!match) return null;
  const decimals = (match[2] ?? "").padEnd(2, "0");
  return /[1-9]/.test(decimals.slice(2)) ? null : BigInt(match[1]!) * 100n + BigInt(decimals.slice(0, 2));
}

const INDIA = "Asia/Kolkata";
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

const ISO_DAY = /^(\d{4})[-/](\d{2})[-/](\d{2})(?=[T ,|Z+-]|$)/;
const WRITTEN_DAY = /^(\d{1,2})[-/. ](\d{1,2}|[A-Za-z]{3,9})[-/. ,]{1,2}(\d{4}|\d{2})(?=[T ,|]|$)/;
/** A time with its zone. Without one, it is India's time. */
const ZONED_TIME =
  /^[T ,|]+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)? ?(AM|PM)? ?(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)$/i;

/**
 * A day as statements write it: `22/11/26`, `22-11-2026`, `22.11.2026`, `22 Nov 2026`, `22-Nov-26`, `2026-11-22`, each optionally
 * followed by a time. With a time zone, it is the day in India at that time. The day comes first, as everywhere in India, unless a
 * file has the month first. `null` if it can't be read.
 */
export function readDay(text: string, order: DateOrder = "day-first"): Temporal.PlainDate | null {
  const iso = ISO_DAY.exec(text);
  if (iso) return inIndia(dayOf(Number(iso[1]), Number(iso[2]), Number(iso[3])), text.slice(iso[0].length));
  const match = WRITTEN_DAY.exec(text);
  if (!match) return null;
  const [whole, first, second, year] = match as unknown as [string, string, string, string];
  const wholeYear = Number(year) < 100 ? 2000 + Number(year) : Number(year);
  const [day, month] = order === "day-first" ? [first, second] : [second, first];
  const written = /^\d/.test(second)
    ? dayOf(wholeYear, Number(month), Number(day))
    : dayOf(wholeYear, MONTHS.indexOf(second.slice(0, 3).toLowerCase()) + 1, Number(first));
  return inIndia(written, text.slice(whole.length));
}

/** The day in India, if the time has a zone. */
function inIndia(day: Temporal.PlainDate | null, time: string): Temporal.PlainDate | null {
  const match = day && ZONED_TIME.exec(time);
  if (!day || !match) return day;
  const [, hour, minute, second = "0", half, zone] = match as unknown as string[];
  const isAfternoon = half?.toUpperCase() === "PM";
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (isAfternoon ? 12 : 0);
  try {
    const at = Temporal.PlainTime.from(
      { hour: hours, minute: Number(minute), second: Number(second) },
      { overflow: "reject" },
    );
    const timeZone = /^[+-]/.test(zone!) ? zone!.replace(/^(...):?$/, "$1:00") : "UTC";
    return day.toZonedDateTime({ timeZone, plainTime: at }).withTimeZone(INDIA).toPlainDate();
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** The order that a date proves: an order, `"either"`, or `null` if both read the same or it is not a date. */
export function orderOfDate(text: string): DateOrder | "either" | null {
  const [day, month] = [readDay(text), readDay(text, "month-first")];
  if (day && month) return day.equals(month) ? null : "either";
  return day ? "day-first" : month && "month-first";
}

/** `YYMMDD`, SWIFT's format. `null` if it is not a day. */
export function readShortDay(text: string): Temporal.PlainDate | null {
  const match = /^(\d{2})(\d{2})(\d{2})$/.exec(text);
  return match ? dayOf(2000 + Number(match[1]), Number(match[2]), Number(match[3])) : null;
}

/** The range of years in statements. */
const YEARS = { first: 1990, last: 2199 } as const;

function dayOf(year: number, month: number, day: number): Temporal.PlainDate | null {
  if (year < YEARS.first || year > YEARS.last) return null;
  try {
    return Temporal.PlainDate.from({ year, month, day }, { overflow: "reject" });
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** The day in India of a time in seconds. `null` if it is not a valid time. */
export function dayOfSeconds(seconds: unknown): Temporal.PlainDate | null {
  if (typeof seconds !== "number" || !Number.isSafeInteger(seconds) || Math.abs(seconds) > 1e11) return null;
  const day = Temporal.Instant.fromEpochMilliseconds(seconds * 1000)
    .toZonedDateTimeISO(INDIA)
    .toPlainDate();
  return dayOf(day.year, day.month, day.day);
}
