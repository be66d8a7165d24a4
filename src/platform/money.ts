// Money: integer paise as bigint, converted from and to the API's decimal text. Floats are never used.

const DECIMAL_AMOUNT = /^([0-9]{1,13})(?:\.([0-9]{1,2}))?$/;

/**
 * Parses an amount of the API into paise, or returns `null` if it is invalid. It must be decimal rupees with at most 13
 * integer and 2 fraction digits, without sign, exponent or separators: docs/rules/values-and-errors.md#money.
 *
 * A JSON number is read from its shortest decimal text, which is exact for amounts within these limits (at most 15
 * significant digits). The body parser passes other numbers as their source text.
 */
export function parsePaise(value: unknown): bigint | null {
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string") return null;
  const match = DECIMAL_AMOUNT.exec(text.trim());
  if (!match) return null;
  return BigInt(match[1]!) * 100n + BigInt((match[2] ?? "").padEnd(2, "0"));
}

const PLAIN = /^[0-9]+(?:\.[0-9]+)?$/;
const GROUPED_BY_THREE = /^[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?$/;
const GROUPED_INDIAN = /^[1-9][0-9]?(?:,[0-9]{2})*,[0-9]{3}(?:\.[0-9]+)?$/;

/**
 * Removes the commas from an amount that a person, a spreadsheet or a bank wrote:
 * `12,34,567.50` and `1,234,567.50` are `1234567.50`. `null` for any other grouping, especially a decimal comma:
 * `1500,50` without its comma would be a hundred times as much.
 * docs/rules/values-and-errors.md#amounts-that-people-write
 */
export function withoutGrouping(text: string): string | null {
  const isAmount = PLAIN.test(text) || GROUPED_INDIAN.test(text) || GROUPED_BY_THREE.test(text);
  return isAmount ? text.replaceAll(",", "") : null;
}

/**
 * Does an amount in a file have needless leading zeros: `000.00`, `050.00`, `00.50`? It may be the rest of an amount
 * that was cut at a comma. `mayPad` allows them before more than three digits, such as `000000001500.00`: banks pad
 * amounts to a width, and no more than three digits follow a comma.
 */
export function hasNeedlessZeros(text: string, { mayPad = false } = {}): boolean {
  return mayPad ? /^0[0-9]{1,2}(?:\.|$)/.test(text) : /^0[0-9]/.test(text);
}

/** The problem of an amount that `hasNeedlessZeros` found. It follows the amount in a sentence. */
export const NEEDLESS_ZEROS =
  'begins with zeros, like the rest of an amount that was cut at its comma: put an amount with commas in quotation marks, such as "8,050.00", or remove the zeros.';

/** Prints paise as decimal rupees with two fraction digits: `59000n` is `"590.00"`. */
export function formatPaise(paise: bigint): string {
  const digits = (paise < 0n ? -paise : paise).toString().padStart(3, "0");
  return `${paise < 0n ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Divides and rounds half away from zero (docs/rules/values-and-errors.md#rounding). `divisor` is above 0. */
export function divideRounded(dividend: bigint, divisor: bigint): bigint {
  const magnitude = (2n * (dividend < 0n ? -dividend : dividend) + divisor) / (2n * divisor);
  return dividend < 0n ? -magnitude : magnitude;
}

const DECIMAL_RATE = /^([0-9]{1,3})(?:\.([0-9]{1,3}))?$/;

/** Parses a percentage with at most 3 decimals into thousandths of a percent; `null` if it is invalid. */
export function parseThousandths(value: unknown): bigint | null {
  const text = typeof value === "number" ? String(value) : value;
  const match = typeof text === "string" ? DECIMAL_RATE.exec(text.trim()) : null;
  return match && BigInt(match[1]!) * 1000n + BigInt((match[2] ?? "").padEnd(3, "0"));
}

const DECIMAL_QUANTITY = /^([0-9]{1,9})(?:\.([0-9]{1,3}))?$/;

/** Parses a quantity of at most 9 digits and 3 decimals into thousandths; `null` if it is invalid. */
export function parseQuantity(value: unknown): bigint | null {
  const text = typeof value === "number" ? String(value) : value;
  const match = typeof text === "string" ? DECIMAL_QUANTITY.exec(text.trim()) : null;
  return match && BigInt(match[1]!) * 1000n + BigInt((match[2] ?? "").padEnd(3, "0"));
}

/**
 * Prints thousandths (0 and above) with the fewest decimals: `18000n` is `18`, `125n` is `0.125`.
 */
export function formatThousandths(thousandths: bigint): string {
  const decimals = (thousandths % 1000n).toString().padStart(3, "0").replace(/0+$/, "");
  return `${thousandths / 1000n}${decimals === "" ? "" : `.${decimals}`}`;
}
