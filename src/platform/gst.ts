// Facts of GST that the server and the dashboard's forms share: forms of GSTINs, rates, codes, and numbers that e-invoicing refuses.
import { divideRounded } from "./money.ts";

/**
 * The forms of a GSTIN behind the two digits of its state, in either case. Most are of taxpayers, with their PAN. A tax deductor (`D` at 14)
 * and a department may have a TAN instead. UN bodies and embassies (UIN), non-residents and providers of online services from abroad (OIDAR)
 * have the year, a country, and five digits. Source: GSTN's patterns as GST software publishes them.
 */
const GSTIN_FORMS = [
  "[A-Za-z]{4}[A-Za-z0-9][0-9]{4}[A-Za-z][1-9A-Za-z][A-Za-z][0-9A-Za-z]",
  "[A-Za-z]{4}[0-9]{5}[A-Za-z][0-9][Zz][0-9]",
  "[0-9]{2}[A-Za-z]{3}[0-9]{5}(?:[UOuo][Nn]|[Nn][Rr]|[Oo][Ss])[0-9A-Za-z]",
];

/** A GSTIN or UIN in any of its forms, with the code of a state in front. */
export const GSTIN_PATTERN = new RegExp(`^(?:0[1-9]|[12][0-9]|3[0-8]|9[79])(?:${GSTIN_FORMS.join("|")})$`);

/** The PAN in a taxpayer's GSTIN; `null` in one without a PAN. */
export function panOfGstin(gstin: string): string | null {
  return /^[0-9]{2}([A-Z]{5}[0-9]{4}[A-Z])/.exec(gstin)?.[1] ?? null;
}

type RateOnDates = { readonly from?: string; readonly to?: string };

/**
 * Current and former GST rates in thousandths of a percent, with their first and last day if they were introduced or abolished.
 * Sources: notifications up to 9/2025 and 19/2025 (Central Tax, Rate): 40 % from 22 September 2025, 28 % until 31 January 2026.
 */
const GST_RATES: ReadonlyMap<bigint, RateOnDates> = new Map([
  [0n, {}],
  [100n, {}],
  [250n, {}],
  [1000n, {}],
  [1500n, {}],
  [3000n, {}],
  [5000n, {}],
  [6000n, {}],
  [7500n, {}],
  [12_000n, {}],
  [18_000n, {}],
  [28_000n, { to: "2026-01-31" }],
  [40_000n, { from: "2025-09-22" }],
]);

/** Is or was there a GST rate of so many thousandths of a percent? */
export function isKnownRate(thousandths: bigint): boolean {
  return GST_RATES.has(thousandths);
}

/** The GST rates on a day (`YYYY-MM-DD`), in thousandths of a percent. */
export function gstRatesOn(day: string): readonly bigint[] {
  return [...GST_RATES].flatMap(([rate, { from = day, to = day }]) => (from <= day && day <= to ? [rate] : []));
}

/** 100 % in thousandths of a percent. */
const WHOLE = 100_000n;

/** The tax in an amount that contains it, or its share where it has so many equal parts: rounded half up to the paisa. */
export function taxWithinAmount(amountPaise: bigint, rateThousandths: bigint, parts: bigint): bigint {
  return divideRounded(amountPaise * rateThousandths, (WHOLE + rateThousandths) * parts);
}

/** How a supply is treated: with tax, at a rate of nil, exempt, or outside GST. Only `taxable` has a rate above 0. */
export const TAX_TREATMENTS = ["taxable", "nil", "exempt", "non_gst"] as const;
export type TaxTreatment = (typeof TAX_TREATMENTS)[number];

type Treated = {
  readonly tax_treatment?: TaxTreatment | null;
  readonly gst?: bigint | null;
  readonly cess_percentage?: bigint | null;
};

/** Checks the rates of a supply that is not taxable. Members are named as in the API. */
export function checkTreatment(
  { tax_treatment: treatment, gst, cess_percentage: cess }: Treated,
  refuse: (name: "gst" | "cess_percentage", problem: string) => void,
): void {
  if (!treatment || treatment === "taxable") return;
  const problem = `must be 0 or left out, because tax_treatment is ${treatment}.`;
  if (gst) refuse("gst", problem);
  if (cess) refuse("cess_percentage", problem);
}

/** An HSN or SAC code, of any usual or unusual length. */
export const HSN_PATTERN = /^[0-9]{2,8}$/;

/** HSN codes have 4, 6 or 8 digits (2 name a chapter alone), and SAC codes 6. There is no chapter 00. */
export function isUsualHsn(code: string): boolean {
  return /^(?!00)(?:[0-9]{4}|[0-9]{6}|[0-9]{8})$/.test(code);
}

/** A bill date further away than this is probably a typo. */
export const FAR_DAYS = 366;

/** Does the e-invoicing portal accept a document number? It refuses a leading `0`, `-` or `/`. */
export function isEInvoiceNumber(number: string): boolean {
  return !/^[0/-]/.test(number);
}

/**
 * The last day for a credit note that reduces the tax of an invoice of this date, as `YYYY-MM-DD`: 30 November after
 * its financial year. Source: CGST Act, section 34(2). The annual return may end it sooner.
 */
export function lastDayToCredit({ year, month }: { readonly year: number; readonly month: number }): string {
  return `${month >= 4 ? year + 1 : year}-11-30`;
}
