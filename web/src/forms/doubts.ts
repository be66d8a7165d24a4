// Possible mistakes that a form asks about before it sends: valid values that are usually slips. Nothing here is refused. form.tsx
// shows them.
import { FAR_DAYS, isKnownRate, isUsualHsn } from "../../../src/platform/gst.ts";
import { parsePaise } from "../../../src/platform/money.ts";
import { hasWrongCheckDigit } from "../format/check-digits.ts";
import { day, daysBetween } from "../format/time.ts";
import { doubts as words } from "../strings/doubts.ts";

/** Doubts about the date of a payment: after today, or before the invoice. */
export function paymentDoubts(paidDate: string, billDate: string, today: string): string[] {
  const isLater = (daysBetween(today, paidDate) ?? 0) > 0;
  const isEarly = (daysBetween(paidDate, billDate) ?? 0) > 0;
  return [
    ...(isLater ? [words.paidLater(day(paidDate))] : []),
    ...(isEarly ? [words.paidBeforeBill(day(paidDate), day(billDate))] : []),
  ];
}

/** Doubts about a GSTIN, unless it is the saved one (`known`). */
export function gstinDoubts(typed: string, known: string): string[] {
  const gstin = typed.trim().toUpperCase();
  return gstin !== known && hasWrongCheckDigit(gstin) ? [words.gstin(gstin)] : [];
}

type Invoice = {
  readonly bill_date: string;
  readonly due_date: string;
  readonly particular_rows: readonly { readonly gst: string; readonly sac_code: string }[];
  readonly is_new_customer: boolean;
  readonly new_customer: { readonly gstin: string };
};

/**
 * Doubts about an invoice: a date more than a year away, a due date more than a year later, unknown rates and codes, and the GSTIN of its new
 * customer.
 */
export function invoiceDoubts(invoice: Invoice, today: string): string[] {
  const {
    bill_date: billDate,
    due_date: dueDate,
    particular_rows: rows,
    is_new_customer: isNew,
    new_customer: customer,
  } = invoice;
  const isFar = Math.abs(daysBetween(today, billDate) ?? 0) > FAR_DAYS;
  const isDueFar = (daysBetween(billDate, dueDate) ?? 0) > FAR_DAYS;
  const ofRows = rows.flatMap(({ gst, sac_code: code }, index) => {
    const rate = gst.trim().replace(/%$/, "");
    const hundredths = parsePaise(rate);
    return [
      ...(hundredths !== null && !isKnownRate(hundredths * 10n) ? [words.rate(index + 1, rate)] : []),
      ...(code.trim() !== "" && !isUsualHsn(code.trim()) ? [words.code(index + 1, code.trim())] : []),
    ];
  });
  const ofDates = [
    ...(isFar ? [words.billedFar(day(billDate))] : []),
    ...(isDueFar ? [words.dueFar(day(dueDate), day(billDate))] : []),
  ];
  const ofCustomer = isNew ? gstinDoubts(customer.gstin, "") : [];
  return [...ofCustomer, ...ofDates, ...ofRows];
}

/** The doubts that were shown, and for which values. */
export type Asked<Values> = {
  readonly own: readonly string[];
  readonly ofServer: readonly string[];
  readonly of: Values;
};

/**
 * The doubts to show while a form has these values. The server is asked only when the form is sent: its doubts about earlier values are dropped.
 */
export function stillDoubted<Values>(
  asked: Asked<Values>,
  values: Values,
  find: (values: Values) => readonly string[],
): readonly string[] {
  const own = asked.own.length === 0 ? [] : find(values).filter((doubt) => asked.own.includes(doubt));
  return [...own, ...(asked.of === values ? asked.ofServer : [])];
}
