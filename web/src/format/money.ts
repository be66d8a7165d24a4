// Formats amounts of the API for people. It uses the server's own code, and no floats.
import { amountInWords } from "../../../src/platform/amount-words.ts";
import { typedPaise } from "../../../src/platform/as-typed.ts";
import { formatIndianAmount, formatRoundRupees, formatRupees } from "../../../src/platform/indian-format.ts";

/** The paise of an amount of the API (`"-590.00"`) or one that a person typed; `null` for anything else. */
export function toPaise(text: string): bigint | null {
  const [, minus = "", size = ""] = /^\s*(-?)(.*)$/s.exec(text) ?? [];
  const paise = typedPaise(size);
  return paise !== null && minus !== "" ? -paise : paise;
}

export { formatRupees };

/** The paise of a displayed amount: the API's sums may exceed the limit of a single amount. */
function shownPaise(amount: string): bigint | null {
  const [, minus = "", whole, decimals] = /^(-?)(\d+)\.(\d{2})$/.exec(amount) ?? [];
  if (whole === undefined || decimals === undefined) return toPaise(amount);
  const paise = BigInt(whole + decimals);
  return minus === "" ? paise : -paise;
}

/** `"123456.5"` is `₹1,23,456.50`. Any other text is returned unchanged. */
export function rupees(amount: string): string {
  const paise = shownPaise(amount);
  return paise === null ? amount : formatRupees(paise);
}

/** As `rupees`, without `.00`: for sentences about limits. */
export function roundRupees(amount: string): string {
  const paise = shownPaise(amount);
  return paise === null ? amount : formatRoundRupees(paise);
}

/** As `rupees`, without the sign: for columns whose heading says what they are. */
export function indianAmount(amount: string): string {
  const paise = shownPaise(amount);
  return paise === null ? amount : formatIndianAmount(paise);
}

/** The sum of amounts of the API, in the same form. */
export function sumOf(amounts: readonly string[]): string {
  const paise = amounts.reduce((sum, amount) => sum + (shownPaise(amount) ?? 0n), 0n);
  const size = String(paise < 0n ? -paise : paise).padStart(3, "0");
  return `${paise < 0n ? "-" : ""}${size.slice(0, -2)}.${size.slice(-2)}`;
}

/** `"590"` is `Rupees Five Hundred and Ninety Only`; `null` where it is not an amount. */
export function inWords(amount: string): string | null {
  const paise = shownPaise(amount);
  return paise === null ? null : amountInWords(paise);
}

/** As an axis has it, in lakh, crore and lakh crore: `150000000n` is `15 L`. */
export function shortRupees(paise: bigint): string {
  const size = paise < 0n ? -paise : paise;
  const sign = paise < 0n ? "\u2212" : "";
  for (const { value, name } of SHORT_SCALES) {
    if (size < value) continue;
    const tenths = (size * 10n) / value;
    return `${sign}${tenths / 10n}${tenths % 10n === 0n ? "" : `.${tenths % 10n}`} ${name}`;
  }
  return `${sign}${size / 100n}`;
}

const SHORT_SCALES = [
  { value: 1_00_000_00_00_000_00n, name: "L Cr" },
  { value: 1_00_00_000_00n, name: "Cr" },
  { value: 1_00_000_00n, name: "L" },
  { value: 1_000_00n, name: "K" },
];
