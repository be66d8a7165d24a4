// How the values of a command's options are checked: by the fields of the API, named by their flags.
// What belongs here: reading option values, and the options that several commands have.
import { validationError, type FieldError } from "../platform/errors.ts";
import { decoderOf, fail, requiredField } from "../platform/http/field.ts";
import { optional, type Decoded, type Field } from "../platform/http/fields.ts";
import { mask } from "../platform/secrets/index.ts";

type Fields = { readonly [name: string]: Field<unknown> };
/** The values that a reader answers. */
export type Values<F extends Fields> = { -readonly [Name in keyof F]: Decoded<F[Name]> };

/** What commander hands over: the text of each option that was given, by its name in camelCase. */
export type GivenOptions = { readonly [name: string]: string | true | undefined };

/** The flag of an option: `--bank-account` for `bankAccount`. */
function flagOf(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/**
 * Makes the reader of a command's options: it checks them and answers their values. `alsoCheck` adds what is wrong
 * between options. The reader throws a NodalError `validation_failed` with every failing option, named by its flag.
 */
export function optionsOf<F extends Fields>(
  fields: F,
  alsoCheck: (given: GivenOptions, errors: FieldError[]) => void = () => {},
): (given: GivenOptions) => Values<F> {
  return (given) => {
    const errors: FieldError[] = [];
    const values: Record<string, unknown> = {};
    for (const [name, field] of Object.entries(fields)) {
      values[name] = decoderOf(field)(given[name], flagOf(name), errors);
    }
    alsoCheck(given, errors);
    if (errors.length > 0) throw validationError(errors);
    return values as Values<F>;
  };
}

/** The option `--reveal` of commands that show account numbers and the like, which they mask without it. */
export const REVEAL_OPTION = ["--reveal", "show account numbers, PAN, Aadhaar and UPI handles in full"] as const;

/** An option without a value: `true` where it was given, else `null`. */
export function flag(): Field<true | null> {
  return optional(requiredField<true>({ type: "boolean" }, "given or not", () => true));
}

/** How a command shows what it masks unless `--reveal` is given. */
export type Show = (text: string) => string;

/** The way to show things, by the value of `--reveal`. */
export function shownBy(reveal: true | null): Show {
  return reveal ? (text) => text : mask;
}

/** The option `--merchant` alone, for commands about one merchant. */
export type MerchantOption = { readonly merchant: bigint };

/** The id of a merchant. */
export function merchantId(): Field<bigint> {
  const hint = "a merchant's id, which `nodal merchant list` shows";
  return requiredField({ type: "string" }, hint, (value, path, errors) => {
    if (typeof value === "string" && /^[0-9]{1,16}$/.test(value.trim())) return BigInt(value);
    fail(errors, path, "invalid", `must be ${hint}.`);
    return 0n;
  });
}
