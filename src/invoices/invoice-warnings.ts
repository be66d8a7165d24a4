// Warnings: accepted values of an invoice that may surprise, or are probably mistakes: docs/rules/values-and-errors.md#warnings.
// They refuse nothing.
import { FAR_DAYS, isEInvoiceNumber, isKnownRate, isUsualHsn, lastDayToCredit } from "../platform/gst.ts";
import { formatPaise, formatThousandths } from "../platform/money.ts";
import type { Warning } from "../platform/http/warning.ts";
import type { CreditNote } from "./credit-notes/credit-note.ts";
import type { Invoice, InvoiceInput } from "./invoice.ts";
import { documentFacts } from "./document-kind.ts";
import { namesInvoiceNumber } from "./numbers/number-series.ts";
import { TAXES_OF_SUPPLY } from "./gst-row.ts";
import { gstOf, sum, type Tax } from "./totals.ts";
import { unprintableOf } from "./unprintable.ts";

/** The values that warnings depend on. The number is empty before the invoice has one. */
type Warned = Pick<
  Invoice,
  "content" | "cycleName" | "billDate" | "dueDate" | "invoiceNumber" | "seriesId" | "subTotalPaise"
>;

/** The warnings of an invoice saved on `today`, the merchant's day. Fields are relative to the invoice: `bill_date`. */
export function warningsOfInvoice(invoice: Warned, today: Temporal.PlainDate): Warning[] {
  const all = [
    untaxed(invoice),
    contradicting(invoice) ?? uneven(invoice),
    aboveSubTotal(invoice),
    ...partiesOf(invoice),
    ...slipsOf(invoice),
    ...datesOf(invoice, today),
    numbered(invoice),
  ];
  return [...all, unprintable(invoice)].filter((warning) => warning !== null);
}

/** The first row with a rate that is not charged: docs/rules/invoicing.md#place-of-supply. */
function untaxed({ content: { rows, ownTaxes, supply, kind } }: Warned): Warning | null {
  if (ownTaxes || supply !== "untaxed" || documentFacts(kind).isRegistered) return null;
  const index = rows.findIndex(({ gstThousandths }) => gstThousandths > 0n);
  if (index === -1) return null;
  const message =
    "The rows' GST is not charged, as the supplier has no GSTIN. Enter the GSTIN in the " +
    "company's settings (or in the template's company), or send rows without gst.";
  return { code: "gst_not_charged", field: `particular_rows[${index}].gst`, message };
}

/** The first tax sent by the merchant that is not charged at the place of supply. */
function contradicting({ content: { taxes, ownTaxes, supply, placeOfSupply, kind } }: Warned): Warning | null {
  if (!ownTaxes) return null;
  const charged = TAXES_OF_SUPPLY[supply];
  for (const [index, tax] of taxes.entries()) {
    const gst = gstOf(tax);
    if (gst === null || charged.includes(gst) || (gst === "SGST" && charged.includes("UTGST"))) continue;
    const right = charged.length > 0 ? `charge ${charged.join(" and ")}` : "charge no GST";
    const why = documentFacts(kind).isRegistered
      ? `The place of supply is ${placeOfSupply?.name ?? "unknown"}`
      : "The supplier has no GSTIN";
    return {
      code: "tax_contradicts_place",
      field: `tax_rows[${index}].name`,
      message: `${why}: ${right} instead of ${gst}.`,
    };
  }
  return null;
}

/** The sum of a member of the sent taxes, by the name of the GST. UTGST may be sent as SGST. */
function sumsByGst({ content: { taxes } }: Warned, member: "amountPaise" | "applicableOnPaise"): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const tax of taxes) {
    const gst = gstOf(tax)?.replace("UTGST", "SGST");
    if (gst !== undefined) sums.set(gst, (sums.get(gst) ?? 0n) + tax[member]);
  }
  return sums;
}

/** Sent CGST and SGST (or UTGST) that differ. Section 9 of the CGST Act and of each SGST Act tax a supply at the same rate. */
function uneven(invoice: Warned): Warning | null {
  if (!invoice.content.ownTaxes) return null;
  const amounts = sumsByGst(invoice, "amountPaise");
  const [cgst, sgst] = [amounts.get("CGST") ?? 0n, amounts.get("SGST") ?? 0n];
  if (cgst === sgst) return null;
  const message = `CGST comes to ${formatPaise(cgst)} and SGST or UTGST to ${formatPaise(sgst)}: both are charged, at the same rate.`;
  return { code: "tax_halves_differ", field: "tax_rows", message };
}

/** A recipient that can't pay the tax, and a platform that collects none. */
function partiesOf({ content: { reverseCharge, recipient, ecommerceGstin = "" } }: Warned): Warning[] {
  const found: Warning[] = [];
  if (reverseCharge && recipient.gstin === "") {
    const message =
      "The recipient pays the tax, and has no GSTIN: save it for the customer, or leave reverse_charge out.";
    found.push({ code: "recipient_unregistered", field: "reverse_charge", message });
  }
  // Operators collect tax under a separate registration, whose GSTIN has a C at position 14. Source: CGST Act, section 52.
  if (ecommerceGstin !== "" && ecommerceGstin[13] !== "C") {
    const message =
      "This is not the GSTIN under which a platform collects tax (TCS), which has a C at place 14. Ask the platform for that one.";
    found.push({ code: "operator_gstin", field: "ecommerce_gstin", message });
  }
  return found;
}

/** A sent GST larger than the rows justify. */
function aboveSubTotal(invoice: Warned): Warning | null {
  if (!invoice.content.ownTaxes) return null;
  for (const [gst, basePaise] of sumsByGst(invoice, "applicableOnPaise")) {
    if (basePaise <= invoice.subTotalPaise) continue;
    const message = `${gst} is charged on ${formatPaise(basePaise)}, and the rows come to ${formatPaise(invoice.subTotalPaise)}.`;
    return { code: "tax_above_sub_total", field: "tax_rows", message };
  }
  return null;
}

/**
 * The warning of an update that changed the rows of an invoice (`before`), but kept the taxes that the merchant had sent for the
 * old ones; `null` if the taxes were sent again, or are on the new sub-total.
 */
export function keptTaxes(before: Invoice, after: Invoice, input: Pick<InvoiceInput, "taxRows">): Warning | null {
  const { ownTaxes, taxes } = after.content;
  if (!ownTaxes || input.taxRows !== null || before.subTotalPaise === after.subTotalPaise) return null;
  const bases = Map.groupBy(taxes, ({ name }) => name.toUpperCase());
  const isBase = (some: readonly Tax[]): boolean => {
    return sum(some.map(({ applicableOnPaise }) => applicableOnPaise)) === after.subTotalPaise;
  };
  if ([...bases.values()].every(isBase)) return null;
  const message =
    `The rows now come to ${formatPaise(after.subTotalPaise)}, and the tax_rows sent earlier for ${formatPaise(before.subTotalPaise)} were kept. ` +
    "Send tax_rows again, or an empty list to have the taxes follow from the rows.";
  return { code: "tax_rows_kept", field: "tax_rows", message };
}

/** The warnings of members that an update sent empty, and that don't change. */
export function warningsOfKept(names: readonly string[], path: string): Warning[] {
  return names.map((name) => ({
    code: "empty_member",
    field: `${path}.${name}`,
    message: `${name} is empty and was not changed: send a value, or leave it out.`,
  }));
}

/** The first rate and the first code that are probably typing errors. */
function slipsOf({ content: { rows } }: Warned): (Warning | null)[] {
  const rate = rows.findIndex((row) => !isKnownRate(row.gstThousandths));
  const code = rows.findIndex((row) => row.sacCode !== "" && !isUsualHsn(row.sacCode));
  return [
    rate === -1
      ? null
      : {
          code: "unknown_gst_rate",
          field: `particular_rows[${rate}].gst`,
          message: `${formatThousandths(rows[rate]!.gstThousandths)} % is not a GST rate.`,
        },
    code === -1
      ? null
      : {
          code: "unusual_hsn",
          field: `particular_rows[${code}].sac_code`,
          message: `${rows[code]!.sacCode} is not an HSN or SAC code: those have 4, 6 or 8 digits, and don't begin with 00. Was a leading 0 lost?`,
        },
  ];
}

function datesOf({ billDate, dueDate }: Warned, today: Temporal.PlainDate): Warning[] {
  const isFar = (date: Temporal.PlainDate): boolean => Math.abs(today.until(date).days) > FAR_DAYS;
  const warn = (field: string, date: Temporal.PlainDate, why: string): Warning => ({
    code: "date_far_away",
    field,
    message: `${date.toString()} is more than a year ${why}.`,
  });
  const isDueFar = dueDate.since(billDate).days > FAR_DAYS;
  return [
    ...(isFar(billDate) ? [warn("bill_date", billDate, `away from today, ${today.toString()}`)] : []),
    ...(isDueFar ? [warn("due_date", dueDate, `after ${billDate.toString()}`)] : []),
  ];
}

/** The warnings of a payment's date. Advance payments of an invoice are accepted, so nothing refuses them. */
export function warningsOfPayment(
  { paidDate }: { readonly paidDate: Temporal.PlainDate },
  { billDate }: Pick<Invoice, "billDate">,
  today: Temporal.PlainDate,
): Warning[] {
  const early =
    Temporal.PlainDate.compare(paidDate, billDate) < 0
      ? `${paidDate.toString()} is before the invoice's bill_date, ${billDate.toString()}.`
      : null;
  return [
    inFuture("paid_date", paidDate, today),
    early === null ? null : { code: "paid_before_bill", field: "paid_date", message: early },
  ].filter((warning) => warning !== null);
}

/** The warnings of a date of a receipt, its use or its refund that is after `today`. */
export function warningsOfReceipt(date: Temporal.PlainDate, today: Temporal.PlainDate): Warning[] {
  const future = inFuture("date", date, today);
  return future === null ? [] : [future];
}

/** The warnings of a credit note: it is too late to reduce the tax in a GST return. */
export function warningsOfCreditNote(
  note: Pick<CreditNote, "noteDate" | "taxPaise">,
  { billDate }: Pick<Invoice, "billDate">,
): Warning[] {
  const late = creditedLate(note, billDate);
  return late === null ? [] : [late];
}

function creditedLate(
  { noteDate, taxPaise }: Pick<CreditNote, "noteDate" | "taxPaise">,
  billDate: Temporal.PlainDate,
): Warning | null {
  const lastDay = lastDayToCredit(billDate);
  if (taxPaise === 0n || noteDate.toString() <= lastDay) return null;
  const message = `The tax of this invoice could be credited until ${lastDay} (CGST Act, section 34): ask your accountant before you report this note. A financial credit note gives money back without GST, and is not reported.`;
  return { code: "credited_late", field: "date", message };
}

function inFuture(field: string, date: Temporal.PlainDate, today: Temporal.PlainDate): Warning | null {
  if (Temporal.PlainDate.compare(date, today) <= 0) return null;
  const message = `${date.toString()} is in the future: today is ${today.toString()}.`;
  return { code: "date_in_future", field, message };
}

function numbered({ invoiceNumber, seriesId, content: { kind, headerFields } }: Warned): Warning | null {
  if (!documentFacts(kind).isRegistered || isEInvoiceNumber(invoiceNumber)) return null;
  const index = headerFields.findIndex(({ name, value }) => namesInvoiceNumber(name) && value !== "");
  const field = seriesId === null && index !== -1 ? `custom_header_fields[${index}].value` : "template_id";
  const message = `The e-invoicing portal refuses the number ${invoiceNumber}: it may not begin with 0, - or /.`;
  return { code: "number_not_for_e_invoice", field, message };
}

/** The most warnings; nobody reads more. */
const MAX_LETTERS = 20;

function unprintable(invoice: Warned): Warning | null {
  const found = unprintableOf(invoice);
  if (!found) return null;
  const all = [...found.letters];
  const shown = all.slice(0, MAX_LETTERS).join(" ") + (all.length > MAX_LETTERS ? " …" : "");
  const message =
    `The PDF of this invoice shows empty boxes for ${shown}: its fonts lack these characters. ` +
    "Write them in Latin letters or another supported script.";
  return { code: "letters_not_printed", field: found.field, message };
}
