// What a form asks about before it sends: values that may be, and are mostly slips. Nothing here refuses anything.
// What belongs here: which values are doubted, as sentences. How a form asks is form.tsx.
import { parsePaise } from "../../../src/platform/money.ts";
import { hasWrongCheckDigit } from "../format/check-digits.ts";
import { day, daysBetween } from "../format/time.ts";
import { doubts as words } from "../strings/doubts.ts";

/** Rates of GST that there are or were, in hundredths of a per cent. */
const GST_RATES: ReadonlySet<bigint> = new Set([
  0n,
  10n,
  25n,
  1_00n,
  1_50n,
  3_00n,
  5_00n,
  6_00n,
  7_50n,
  12_00n,
  18_00n,
  28_00n,
  40_00n,
]);
/** HSN codes have 4, 6 or 8 digits, and SAC codes 6. */
const HSN_OR_SAC = /^(?:[0-9]{4}|[0-9]{6}|[0-9]{8})$/;
const FAR_DAYS = 366;

/** What is doubted of the date of a payment. */
export function paymentDoubts(paidDate: string, today: string): string[] {
  return (daysBetween(today, paidDate) ?? 0) > 0 ? [words.paidLater(day(paidDate))] : [];
}

/** What is doubted of a GSTIN, unless it is the one on record (`known`). */
export function gstinDoubts(typed: string, known: string): string[] {
  const gstin = typed.trim().toUpperCase();
  return gstin !== known && hasWrongCheckDigit(gstin) ? [words.gstin(gstin)] : [];
}

type Invoice = {
  readonly bill_date: string;
  readonly particular_rows: readonly { readonly gst: string; readonly sac_code: string }[];
  readonly is_new_customer: boolean;
  readonly new_customer: { readonly gstin: string };
};

/**
 * What is doubted of an invoice: a date more than a year away, rates and codes that there are none of, and the GSTIN of a
 * customer that is made with it.
 */
export function invoiceDoubts(invoice: Invoice, today: string): string[] {
  const { bill_date: billDate, particular_rows: rows, is_new_customer: isNew, new_customer: customer } = invoice;
  const isFar = Math.abs(daysBetween(today, billDate) ?? 0) > FAR_DAYS;
  const ofRows = rows.flatMap(({ gst, sac_code: code }, index) => {
    const rate = gst.trim().replace(/%$/, "");
    const hundredths = parsePaise(rate);
    return [
      ...(hundredths !== null && !GST_RATES.has(hundredths) ? [words.rate(index + 1, rate)] : []),
      ...(code.trim() !== "" && !HSN_OR_SAC.test(code.trim()) ? [words.code(index + 1, code.trim())] : []),
    ];
  });
  const ofCustomer = isNew ? gstinDoubts(customer.gstin, "") : [];
  return [...ofCustomer, ...(isFar ? [words.billedFar(day(billDate))] : []), ...ofRows];
}
