// Numbers and dates as people in India read them: 12,34,567.89 and 1 Nov 2026. Values of the API are printed by
// money.ts and time.ts.
import { formatPaise, formatThousandths } from "./money.ts";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Paise as rupees in the Indian grouping, with a true minus sign: `-123456789n` is `−12,34,567.89`. */
export function formatIndianAmount(paise: bigint): string {
  const [rupees, fraction] = formatPaise(paise < 0n ? -paise : paise).split(".");
  return `${paise < 0n ? "\u2212" : ""}${groupIndian(rupees!)}.${fraction!}`;
}

/** As `formatIndianAmount`, with the rupee sign: `₹12,34,567.89`. */
export function formatRupees(paise: bigint): string {
  const amount = formatIndianAmount(paise);
  return amount.startsWith("\u2212") ? `\u2212₹${amount.slice(1)}` : `₹${amount}`;
}

/** As `formatRupees`, without `.00`: for sentences about limits. `₹25,00,000`, but `₹1,500.50`. */
export function formatRoundRupees(paise: bigint): string {
  return formatRupees(paise).replace(/\.00$/, "");
}

/** Thousandths of a percent without needless zeros: `18000n` is `18%`, `125n` is `0.125%`. */
export function formatPercent(thousandths: bigint): string {
  return `${formatThousandths(thousandths)}%`;
}

/** `1 Nov 2026`. */
export function formatIndianDate(date: Temporal.PlainDate): string {
  return `${date.day} ${MONTHS[date.month - 1]!} ${date.year}`;
}

/** Commas as in 12,34,567: the last three digits, then pairs. Takes digits only. */
function groupIndian(digits: string): string {
  return `${digits.slice(0, -3).replace(/\B(?=(\d\d)+$)/g, ",")}${digits.length > 3 ? "," : ""}${digits.slice(-3)}`;
}
