// The vocabulary of request fields: each builder states once how a value is documented, checked and decoded. Rules that
// need the database do not.
import { NumberLiteral } from "../json.ts";
import type { FieldError } from "../errors.ts";
import { GSTIN_PATTERN } from "../gst.ts";
import { formatPaise, parsePaise } from "../money.ts";
import { EMAIL_PATTERN, MOBILE_PATTERN, PINCODE_PATTERN } from "../as-typed.ts";
import { isTimeZone } from "../time.ts";
import {
  decoderOf,
  encodeMembers,
  encoderOf,
  fail,
  isOptional,
  optional,
  requiredField,
  type Decode,
  type Decoded,
  type Encode,
  type Field,
  type FieldErrorCode,
} from "./field.ts";

export { ifSent, optional, type Decoded, type Field } from "./field.ts";

type TextRule = {
  /** Completes the sentence "`<field>` must be …". */
  readonly hint: string;
  /** Counted in Unicode code points, as JSON Schema counts. */
  readonly maxLength: number;
  readonly minLength?: number;
  readonly pattern?: RegExp;
  /** Published instead of the pattern, if not every language can compile that. It accepts at least as much. */
  readonly plainPattern?: RegExp;
  /** JSON Schema `format`, for readers and generators of the document. */
  readonly format?: string;
  /** Kept exactly as sent, spaces included: passwords and secrets. */
  readonly raw?: boolean;
  /** Also takes a JSON number that is a whole number, as its decimal digits. */
  readonly takesNumber?: boolean;
  readonly foldCase?: boolean;
  /** Line breaks and tabs inside are kept; each break becomes `\n`. */
  readonly takesLines?: boolean;
};

const CONTROL_CHARACTER = /\p{Cc}/u;
const CONTROL_CHARACTER_IN_LINES = /[^\P{Cc}\r\n\t]/u;
/** They display the text after them in another order than it is stored. Joiners and plain marks, which scripts need, do not. */
const DIRECTION_OVERRIDE = /[\u202a-\u202e\u2066-\u2069]/;
/** Text made only of spaces, joiners and direction marks looks empty to a reader. */
const VISIBLE_CHARACTER = /[^\p{Z}\p{Cf}]/u;

/** Required text of 1 to `max` characters, trimmed. */
export function requiredText(max: number): Field<string> {
  return text({ hint: `text of 1 to ${max} characters`, maxLength: max });
}

/** Text of at most `max` characters, trimmed, or `null`. */
export function optionalText(max: number): Field<string | null> {
  return optional(text({ hint: `text of at most ${max} characters`, maxLength: max }));
}

/** Required text of 1 to `max` characters; a whole JSON number is taken as its digits. */
export function textOrNumber(max: number): Field<string> {
  return text({ hint: `text of 1 to ${max} characters`, maxLength: max, takesNumber: true });
}

/** Required text of 1 to `max` characters, trimmed, that may have several lines; each line break becomes `\n`. */
export function requiredLines(max: number): Field<string> {
  return text({ hint: `text of 1 to ${max} characters`, maxLength: max, takesLines: true });
}

/** A password or secret: exactly as sent, never trimmed. */
export function rawText(max: number, minLength = 1): Field<string> {
  return text({ hint: `text of ${minLength} to ${max} characters`, maxLength: max, minLength, raw: true });
}

/** An e-mail address. */
export const email = textBy({
  hint: "an e-mail address, such as name@example.com",
  maxLength: 254,
  format: "email",
  pattern: EMAIL_PATTERN,
  plainPattern: /^[^\s@]{1,64}@(?:[^\s@.]{1,63}\.)+[^\s@.]{2,63}$/,
});

/** A mobile number, as sent: docs/rules/values-and-errors.md#e-mail-mobile-and-postal-codes. */
export const mobile = textBy({
  hint: "a mobile number of 10 digits, optionally with +91 or 0 in front",
  maxLength: 14,
  pattern: MOBILE_PATTERN,
  takesNumber: true,
});

/** An IFSC, in either case: docs/rules/values-and-errors.md#bank-accounts-and-upi-handles. */
export const ifsc = textBy({
  hint: "an IFSC of 11 characters: 4 letters, 0, and 6 letters or digits, such as HDFC0000001",
  maxLength: 11,
  pattern: /^[A-Za-z]{4}0[A-Za-z0-9]{6}$/,
  foldCase: true,
});

/** A bank account number, leading zeros kept: docs/rules/values-and-errors.md#bank-accounts-and-upi-handles. */
export const bankAccount = textBy({
  hint: "a bank account number of 4 to 35 letters and digits",
  maxLength: 35,
  pattern: /^[A-Za-z0-9]{4,35}$/,
  takesNumber: true,
});

/** A GSTIN of 15 characters, in either case: docs/rules/values-and-errors.md#pan-gstin-and-aadhaar. */
export const gstin = textBy({
  hint: "a GSTIN or UIN of 15 characters that begins with the 2 digits of a state, such as 29AAACI1234K1Z5",
  maxLength: 15,
  pattern: GSTIN_PATTERN,
  foldCase: true,
});

/** A PAN of 10 characters, taken in either case: docs/rules/values-and-errors.md#pan-gstin-and-aadhaar. */
export const pan = textBy({
  hint: "a PAN of 10 characters: 5 letters, 4 digits and a letter, such as AAACI1234K",
  maxLength: 10,
  pattern: /^[A-Za-z]{5}[0-9]{4}[A-Za-z]$/,
  foldCase: true,
});

/** An Aadhaar number of 12 digits, whatever its check digit: docs/rules/values-and-errors.md#pan-gstin-and-aadhaar. */
export const aadhaar = textBy({
  hint: "an Aadhaar number of 12 digits",
  maxLength: 12,
  pattern: /^[0-9]{12}$/,
  takesNumber: true,
});

/** The IANA name of a time zone. An offset is none: SQL and Temporal read its sign in opposite ways. */
export function timeZone(): Field<string> {
  const hint = "the name of a time zone, such as Asia/Kolkata";
  return requiredField({ type: "string", maxLength: 64 }, hint, (value, path, errors) => {
    const name = typeof value === "string" ? value.trim() : "";
    if (/^[A-Za-z][A-Za-z0-9_+/-]{1,63}$/.test(name) && isTimeZone(name)) return name;
    fail(errors, path, "invalid", `must be ${hint}.`);
    return "";
  });
}

/** A postal code of 6 digits: docs/rules/values-and-errors.md#e-mail-mobile-and-postal-codes. */
export const pincode = textBy({
  hint: "a postal code of 6 digits",
  maxLength: 6,
  pattern: PINCODE_PATTERN,
  takesNumber: true,
});

/** A UPI handle of 3 to 100 characters: docs/rules/values-and-errors.md#bank-accounts-and-upi-handles. */
export const upiHandle = textBy({
  hint: "a UPI handle of the form name@psp, 3 to 100 characters",
  maxLength: 100,
  pattern: /^[A-Za-z0-9._-]+@[A-Za-z0-9.-]+$/,
});

/** 1 to `max` decimal digits, decoded as the string of digits: docs/rules/values-and-errors.md#numbers-and-strings. */
export function digitsOrNumber(max: number): Field<string> {
  return text({
    hint: `1 to ${max} digits, as a string or a whole number`,
    maxLength: max,
    pattern: new RegExp(`^[0-9]{1,${max}}$`),
    takesNumber: true,
  });
}

/** A whole number from `minimum` to `maximum`, sent as a JSON number or a string of digits. Never for money. */
export function wholeNumber(minimum: number, maximum: number): Field<number> {
  const hint = `a whole number from ${minimum} to ${maximum}`;
  const maxLength = String(maximum).length;
  return requiredField(
    { type: ["integer", "string"], minimum, maximum, maxLength, pattern: "^[0-9]+$" },
    hint,
    (value, path, errors) => {
      const digits = typeof value === "string" ? value.trim() : digitsOf(value);
      const number = digits !== null && /^[0-9]{1,16}$/.test(digits) ? Number(digits) : NaN;
      if (number >= minimum && number <= maximum) return number;
      fail(errors, path, "invalid", `must be ${hint}.`);
      return minimum;
    },
  );
}

// `remedy` follows a refusal.
/** An amount in rupees, decoded into paise. Above 0 unless zero is allowed: docs/rules/values-and-errors.md#money. */
export function money(options: { readonly allowZero?: boolean; readonly remedy?: string } = {}): Field<bigint> {
  const { allowZero = false, remedy = "" } = options;
  const hint = `an amount in rupees${allowZero ? "" : " above 0"}, with at most 13 digits and 2 decimals, such as "100.50"`;
  const schema = {
    type: ["string", "number"],
    pattern: "^[0-9]{1,13}(?:\\.[0-9]{1,2})?$",
    maxLength: 16,
    ...(allowZero ? { minimum: 0 } : { exclusiveMinimum: 0 }),
    examples: ["100.50"],
  };
  const decode: Decode<bigint> = (value, path, errors) => {
    const paise = parsePaise(value instanceof NumberLiteral ? value.text : value);
    if (paise !== null && (allowZero || paise > 0n)) return paise;
    fail(errors, path, "invalid", [`must be ${hint}.`, remedy].join(" ").trimEnd());
    return 0n;
  };
  return requiredField(schema, hint, decode, { encode: formatPaise });
}

/** A calendar date, `YYYY-MM-DD`: docs/rules/values-and-errors.md#dates-and-times. */
export function date(): Field<Temporal.PlainDate> {
  const hint = "a date that exists, in the form YYYY-MM-DD, from 2000-01-01 to 2199-12-31";
  const pattern = /^2[01][0-9]{2}-[0-9]{2}-[0-9]{2}$/;
  const schema = { type: "string", format: "date", pattern: pattern.source, maxLength: 10 };
  const decode: Decode<Temporal.PlainDate> = (value, path, errors) => {
    const text = typeof value === "string" ? value.trim() : "";
    try {
      if (pattern.test(text)) return Temporal.PlainDate.from(text, { overflow: "reject" });
    } catch {
      // A date of the right form that the calendar does not have.
    }
    fail(errors, path, "invalid", `must be ${hint}.`);
    return Temporal.PlainDate.from("2000-01-01");
  };
  return requiredField(schema, hint, decode, { encode: String });
}

/** A calendar date as `date` takes it, kept as its text. */
export function dateText(): Field<string> {
  const decodeDate = decoderOf(date());
  const { type, format, pattern, maxLength } = date() as unknown as Readonly<Record<string, unknown>>;
  const hint = "a date that exists, in the form YYYY-MM-DD";
  return requiredField({ type, format, pattern, maxLength }, hint, (value, path, errors) => {
    const before = errors.length;
    const decoded = decodeDate(value, path, errors);
    return errors.length > before ? "" : decoded.toString();
  });
}

/** A switch: 1 or 0, as a number or a string. */
export function flag(): Field<boolean> {
  const hint = "1 or 0";
  const decode: Decode<boolean> = (value, path, errors) => {
    const digit = typeof value === "string" ? value.trim() : value;
    if (digit === "1" || digit === 1) return true;
    if (digit === "0" || digit === 0) return false;
    fail(errors, path, "not_allowed", `must be ${hint}.`);
    return false;
  };
  const schema = { type: ["string", "number"], enum: ["0", "1", 0, 1] };
  return requiredField(schema, hint, decode, { encode: (isOn) => (isOn ? "1" : "0") });
}

/** One of the given words, spelt exactly so. */
export function oneOf<const Word extends string>(words: readonly Word[]): Field<Word> {
  const hint = `one of ${words.join(", ")}`;
  const maxLength = Math.max(...words.map((word) => word.length));
  return requiredField({ type: "string", enum: [...words], maxLength }, hint, (value, path, errors) => {
    const trimmed = typeof value === "string" ? value.trim() : value;
    const word = words.find((candidate) => candidate === trimmed);
    if (word === undefined)
      fail(errors, path, typeof value === "string" ? "not_allowed" : "invalid", `must be ${hint}.`);
    return word as Word;
  });
}

type Fields = { readonly [name: string]: Field<unknown> };
type DecodedFields<F extends Fields> = { -readonly [Name in keyof F]: Decoded<F[Name]> };

/**
 * Reports errors about combinations of an object's fields, by `refuse`. It runs beside the checks of single fields, so that a caller gets all errors
 * at once: invalid fields are missing in `values`.
 */
export type Between<F extends Fields> = (
  values: Partial<DecodedFields<F>>,
  refuse: (name: keyof F & string, code: FieldErrorCode, problem: string) => void,
) => void;

/**
 * An object with these fields: a whole body, or a nested one. Members that are not named are ignored. `between` checks combinations of fields.
 */
export function object<F extends Fields>(fields: F, between?: Between<F>): Field<DecodedFields<F>> {
  const members = Object.entries(fields).map(([name, field]) => ({ name, decodeMember: decoderOf(field) }));
  const required = Object.keys(fields).filter((name) => !isOptional(fields[name]!));
  const schema = { type: "object", properties: fields, ...(required.length > 0 ? { required } : {}) };
  const decode: Decode<DecodedFields<F>> = (value, path, errors) => {
    const decoded: Record<string, unknown> = {};
    const sound: Record<string, unknown> = {};
    if (!isPlainObject(value)) {
      fail(errors, path, "invalid", "must be an object.");
      return decoded as DecodedFields<F>;
    }
    const prefix = path === "" ? "" : `${path}.`;
    for (const { name, decodeMember } of members) {
      const before = errors.length;
      decoded[name] = decodeMember(Object.hasOwn(value, name) ? value[name] : undefined, prefix + name, errors);
      if (between && errors.length === before) sound[name] = decoded[name];
    }
    between?.(sound as Partial<DecodedFields<F>>, (name, code, problem) => fail(errors, prefix + name, code, problem));
    return decoded as DecodedFields<F>;
  };
  const encode: Encode<DecodedFields<F>> = (values) => encodeMembers(fields, values);
  return requiredField(schema, "an object", decode, { encode, missing: {} as DecodedFields<F> });
}

/** An array of `minItems` to `maxItems` values of one field. Errors are named `path[0]`. */
export function list<T>(item: Field<T>, maxItems: number, minItems = 1): Field<T[]> {
  const hint = `an array of ${minItems} to ${maxItems} items`;
  const decodeItem = decoderOf(item);
  const decode: Decode<T[]> = (value, path, errors) => {
    const isListed = Array.isArray(value) && value.length >= minItems && value.length <= maxItems;
    if (isListed) return value.map((element, index) => decodeItem(element, `${path}[${index}]`, errors));
    const isLonger = Array.isArray(value) && value.length > maxItems;
    fail(errors, path, isLonger ? "too_long" : "invalid", `must be ${hint}.`);
    return [];
  };
  const encode: Encode<T[]> = (values) => values.map((value) => encoderOf(item)(value) ?? null);
  return requiredField({ type: "array", items: item, minItems, maxItems }, hint, decode, { encode });
}

/** The builder of a text that always has the same rule. */
function textBy(rule: TextRule): () => Field<string> {
  return () => text(rule);
}

/** Text by a rule: the builder behind the others. */
export function text(rule: TextRule): Field<string> {
  const { hint, maxLength, minLength = 1, pattern, plainPattern = pattern, format } = rule;
  const schema = {
    type: rule.takesNumber ? ["string", "number"] : "string",
    minLength,
    maxLength,
    ...(plainPattern ? { pattern: plainPattern.source } : {}),
    ...(format ? { format } : {}),
    ...(rule.raw ? { writeOnly: true } : {}),
  };
  return requiredField(schema, hint, (value, path, errors) => {
    const given = textOf(value, rule);
    if (given === null) fail(errors, path, "invalid", `must be ${hint}.`);
    else if (!areCharactersFit(given, path, errors, rule)) return "";
    else if (isLongerThan(given, maxLength)) {
      fail(errors, path, "too_long", `must be at most ${maxLength} characters long.`);
    } else if (given.length < minLength || !(pattern ?? VISIBLE_CHARACTER).test(given)) {
      fail(errors, path, "invalid", `must be ${hint}.`);
    } else return rule.foldCase ? given.toUpperCase() : given;
    return "";
  });
}

/** Whether a text has only characters that it may have (docs/rules/values-and-errors.md#text); else `errors` says so. */
export function areCharactersFit(
  given: string,
  path: string,
  errors: FieldError[],
  { raw, takesLines }: Pick<TextRule, "raw" | "takesLines">,
): boolean {
  const control = takesLines ? CONTROL_CHARACTER_IN_LINES : CONTROL_CHARACTER;
  if (control.test(given) || !given.isWellFormed()) {
    fail(errors, path, "invalid", "must not contain control characters or broken Unicode; remove them.");
    return false;
  }
  // A secret is never shown to anyone.
  if (raw || !DIRECTION_OVERRIDE.test(given)) return true;
  const which = "U+202A to U+202E and U+2066 to U+2069";
  fail(
    errors,
    path,
    "invalid",
    `must not contain characters that change the direction of text (${which}); remove them.`,
  );
  return false;
}

function textOf(value: unknown, rule: TextRule): string | null {
  if (typeof value === "string") return rule.raw ? value : rule.takesLines ? linesOf(value) : value.trim();
  return rule.takesNumber ? digitsOf(value) : null;
}

function linesOf(value: string): string {
  return value.trim().replace(/\r\n?/g, "\n");
}

/** The decimal digits of a JSON number, or `null` where they would not be exactly what was sent. */
function digitsOf(value: unknown): string | null {
  if (value instanceof NumberLiteral) return /^[0-9]+$/.test(value.text) ? value.text : null;
  return Number.isSafeInteger(value) && (value as number) >= 0 ? String(value) : null;
}

/** Counts code points only where the number of UTF-16 units leaves the question open. */
function isLongerThan(given: string, maxLength: number): boolean {
  if (given.length <= maxLength) return false;
  if (given.length > maxLength * 2) return true;
  return [...given].length > maxLength;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof NumberLiteral);
}
