// Fields about taxes: HSN codes, units, rates, quantities and discounts.
import { NumberLiteral } from "../json.ts";
import { formatPaise, formatThousandths, parsePaise, parseQuantity, parseThousandths } from "../money.ts";
import { parseDiscount } from "../discount.ts";
import { HSN_PATTERN } from "../gst.ts";
import { nearestOf } from "../nearest.ts";
import { UNITS } from "../units.ts";
import { fail, requiredField, type Decode, type Encode, type Field } from "./field.ts";
import { text } from "./fields.ts";

/** The code of a row by the HSN or the SAC, digits alone: docs/rules/invoicing.md#hsn-and-sac. */
export const hsnCode = (): Field<string> =>
  text({
    hint: "an HSN or SAC code of 2 to 8 digits, such as 998311",
    // Longer ones get the hint, too.
    maxLength: 20,
    pattern: HSN_PATTERN,
    takesNumber: true,
  });

/** A unit quantity code (UQC) such as `NOS` or `KGS`, taken in any case. docs/rules/values-and-errors.md#units */
export function unit(): Field<string> {
  const codes = Object.keys(UNITS);
  const schema = { type: "string", enum: codes, maxLength: 3 };
  return requiredField(schema, "a unit quantity code, such as NOS", (value, path, errors) => {
    const code = typeof value === "string" ? value.trim().toUpperCase() : "";
    if (Object.hasOwn(UNITS, code)) return code;
    const near = code.length > 20 ? [] : nearestOf(code, codes);
    const shown = near.length > 0 ? near : ["NOS", "KGS", "OTH"];
    const listed = shown.map((each) => `${each} (${UNITS[each]})`).join(", ");
    fail(
      errors,
      path,
      "not_allowed",
      `must be a unit quantity code of GST: ${near.length > 0 ? "did you mean " : "such as "}${listed}${near.length > 0 ? "?" : "."}`,
    );
    return "";
  });
}

/**
 * A percentage from 0 to 100 with at most 2 decimals, sent as a JSON number or a string; decoded into thousandths, so that
 * half of it is still a whole number.
 */
export function percentage(): Field<bigint> {
  return percentageOf({
    decimals: 2,
    examples: '"18" or "2.50"',
    parse: parsePaise,
    decode: (hundredths) => hundredths * 10n,
    encode: (thousandths) => formatPaise(thousandths / 10n),
  });
}

/**
 * The percentage of a tax, with at most 3 decimals: half of a GST rate of 0.25 is 0.125. Decoded into its text, which
 * `parseThousandths` converts to a number.
 */
export function taxPercentage(): Field<string> {
  const decode = (thousandths: bigint): string =>
    thousandths % 10n === 0n ? formatPaise(thousandths / 10n) : formatThousandths(thousandths);
  const encode = (text: string): string => text;
  return percentageOf({ decimals: 3, examples: '"9" or "0.125"', parse: parseThousandths, decode, encode });
}

/** A quantity above 0 with at most 3 decimals, sent as a JSON number or a string; decoded into thousandths. */
export function quantity(): Field<bigint> {
  const hint = 'a quantity above 0 with at most 9 digits and 3 decimals, such as "2" or "0.750"';
  const schema = { type: ["string", "number"], pattern: "^[0-9]{1,9}(?:\\.[0-9]{1,3})?$", maxLength: 13 };
  const decode: Decode<bigint> = (value, path, errors) => {
    const thousandths = parseQuantity(value instanceof NumberLiteral ? value.text : value);
    if (thousandths !== null && thousandths > 0n) return thousandths;
    fail(errors, path, "invalid", `must be ${hint}.`);
    return 1000n;
  };
  return requiredField(schema, hint, decode, { encode: formatThousandths });
}

/** A discount, decoded into its shortest form: `50.00` or `10%`. 0 is decoded into an empty text. */
export function discount(): Field<string> {
  const hint = 'an amount or a percentage up to 100 with its sign, such as "50.00" or "10%"';
  const schema = { type: ["string", "number"], pattern: "^[0-9]{1,13}(?:\\.[0-9]{1,2})? ?%?$", maxLength: 18 };
  return requiredField(schema, hint, (value, path, errors) => {
    const text = value instanceof NumberLiteral ? value.text : value;
    const read = typeof text === "string" || typeof text === "number" ? parseDiscount(String(text)) : null;
    if (read === null) {
      fail(errors, path, "invalid", `must be ${hint}.`);
      return "";
    }
    if (read.paise === null)
      return read.percentThousandths === 0n ? "" : `${formatThousandths(read.percentThousandths)}%`;
    return read.paise === 0n ? "" : formatPaise(read.paise);
  });
}

/** A percentage from 0 to 100. `parse` converts it to units of its last decimal; `null` if it is invalid. */
function percentageOf<T>({ decimals, examples, parse, decode, encode }: PercentageOptions<T>): Field<T> {
  const hint = `a percentage from 0 to 100 with at most ${decimals} decimals, such as ${examples}`;
  const schema = {
    type: ["string", "number"],
    pattern: `^[0-9]{1,3}(?:\\.[0-9]{1,${decimals}})?$`,
    maxLength: 4 + decimals,
    minimum: 0,
    maximum: 100,
  };
  const decodeGiven: Decode<T> = (value, path, errors) => {
    const units = parse(value instanceof NumberLiteral ? value.text : value);
    if (units !== null && units <= 100n * 10n ** BigInt(decimals)) return decode(units);
    fail(errors, path, "invalid", `must be ${hint}.`);
    return decode(0n);
  };
  return requiredField(schema, hint, decodeGiven, { encode });
}

type PercentageOptions<T> = {
  readonly decimals: number;
  readonly examples: string;
  readonly parse: (value: unknown) => bigint | null;
  readonly decode: (units: bigint) => T;
  readonly encode: Encode<T>;
};
