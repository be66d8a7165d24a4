// What an option of a command is: its flag, what the help says of it, and the field of the API that checks its value.
import { decoderOf, fail, requiredField } from "../platform/http/field.ts";
import { optional, type Decoded, type Field } from "../platform/http/fields.ts";
import { mask } from "../platform/secrets/index.ts";

export type OptionOf<T> = {
  readonly field: Field<T>;
  readonly description: string;
  /** What the help shows for the value, such as `<id>`; none for an option that is given or not. */
  readonly value?: string;
  /** The name of the field in refusals of use cases, where it is not the option's. */
  readonly named?: string;
  /** The options that must not be given beside it. */
  readonly conflicts?: readonly string[];
  /** The flag begins with `--no-`, and the value is `false` where it is given, else `true`. */
  readonly isNegated?: true;
  /** It may be given several times: the values become the lines of one text. */
  readonly isRepeated?: true;
};

/** The options of a command by their names in camelCase: `bankAccount` is `--bank-account`. */
export type Options = { readonly [name: string]: OptionOf<unknown> };
/** The values of options, decoded. */
export type Values<O extends Options> = { -readonly [Name in keyof O]: Decoded<O[Name]["field"]> };

/** What commander hands over: the text of each option that was given, by its name in camelCase. */
export type GivenOptions = { readonly [name: string]: string | boolean | undefined };

/** The flag of an option, or of a field of a use case: `--bank-account` for `bankAccount` and `bank_account`. */
export function flagOf(name: string): string {
  return `--${name.replaceAll("_", "-").replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** An option with a value. */
export function option<T>(
  value: string,
  description: string,
  field: Field<T>,
  more: Omit<OptionOf<T>, "field" | "description" | "value"> = {},
): OptionOf<T> {
  return { value, description, field, ...more };
}

/** An option without a value: `true` where it was given, else `null`. */
export function flag(description: string, conflicts: readonly string[] = []): OptionOf<true | null> {
  const field = optional(requiredField<true>({ type: "boolean" }, "given or not", () => true));
  return { description, field, conflicts };
}

/** The id of something: `what` says of what, and which command shows it. */
export function id(what: string): OptionOf<bigint> {
  const field = requiredField({ type: "string" }, what, (value, path, errors) => {
    if (typeof value === "string" && /^[0-9]{1,16}$/.test(value.trim())) return BigInt(value);
    fail(errors, path, "invalid", `must be ${what}.`);
    return 0n;
  });
  return option("<id>", what, field);
}

/** A value, or a word in its place, which becomes `null`. */
export function orWord<T>(word: string, field: Field<T>): Field<T | null> {
  const hint = `${(field as { readonly "x-error"?: string })["x-error"]?.replace(/^Must be |\.$/g, "")}, or ${word}`;
  return requiredField<T | null>({ type: "string" }, hint, (value, path, errors) => {
    return value === word ? null : decoderOf(field)(value, path, errors);
  });
}

/** An option that need not be given: else its value is `null`. */
export function ifGiven<T>(given: OptionOf<T>, description = given.description): OptionOf<T | null> {
  return { ...given, description, field: optional(given.field) };
}

export const MERCHANT = id("the merchant's id, which `nodal merchant list` shows");

/** The option of commands that show account numbers and the like, which they mask without it. */
export const REVEAL = flag("show account numbers, PAN, Aadhaar and UPI handles in full");

/** How a command shows what it masks unless `--reveal` is given. */
export type Show = (text: string) => string;

/** The way to show things, by the value of `--reveal`. */
export function shownBy(reveal: true | null): Show {
  return reveal ? (text) => text : mask;
}
