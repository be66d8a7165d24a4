// The wording of an invoice: the texts of the PDF and the public page, in order. The templates do the layout.
import { amountInWords } from "../platform/amount-words.ts";
import { formatIndianAmount, formatIndianDate, formatPercent, formatRupees } from "../platform/indian-format.ts";
import { formatPaise } from "../platform/money.ts";
import { qrSvg } from "../platform/html.ts";
import {
  documentFacts,
  isTaxable,
  overdueDays,
  printLines,
  printRate,
  shownStatus,
  type PrintedLines,
  type Tax,
} from "../invoices/index.ts";
import type { InvoiceDocument, Party } from "./document.ts";
import { PAGE_WORDS, type PageWords } from "./page-words.ts";
import { taxSummary } from "./render-summary.ts";

/** A label and its value. */
export type Fact = { readonly label: string; readonly value: string };

export type PartyView = { readonly name: string; readonly lines: readonly string[]; readonly facts: readonly Fact[] };

export type TotalView = Fact & { readonly note: string; readonly isStrong: boolean };

export type TableView = {
  readonly headings: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly total: readonly string[];
};

/** Without columns, the table of rows is not printed. */
export type InvoiceView = PrintedLines & {
  readonly title: string;
  /** `Tax invoice INV/001`, for metadata, tabs and file names. */
  readonly name: string;
  readonly copyLabel: string;
  /** Below the title; empty if there is none. */
  readonly endorsement: string;
  readonly status: string;
  /** A watermark on each page; empty for a valid document. */
  readonly mark: "CANCELLED" | "CREDITED" | "DRAFT" | "";
  readonly tone: "good" | "open" | "bad" | "muted";
  readonly headline: Fact & { readonly note: string };
  readonly supplier: PartyView;
  readonly recipientLabel: string;
  readonly recipient: PartyView;
  readonly facts: readonly Fact[];
  readonly totals: readonly TotalView[];
  readonly amountInWords: string;
  readonly summary: TableView | null;
  readonly terms: readonly string[];
  readonly signatory: string;
  readonly payment: {
    readonly link: string;
    readonly handle: string;
    readonly qrSvg: string;
    readonly amount: string;
  } | null;
  /** The account for a bank transfer; empty if there is none. */
  readonly bank: readonly Fact[];
  readonly publicUrl: string;
};

/**
 * Everything that is printed, in print order. `today` tells how far off the due date is; without it only the status does.
 * `words` has the sentences; labels and statuses are English, for the layout to translate.
 */
export function invoiceView(
  document: InvoiceDocument,
  today?: Temporal.PlainDate,
  words: PageWords = PAGE_WORDS.en,
): InvoiceView {
  const { title, recipientLabel, hasRows } = documentFacts(document.kind);
  const link = upiLink(document);
  const status = statusAt(document, today);
  return {
    title,
    name: document.number === null ? title : `${title} ${document.number}`,
    copyLabel: copyLabelOf(document),
    endorsement: document.endorsement,
    status,
    mark: markOf(document, status),
    tone: toneOf(status),
    headline: headlineOf(document, today, words),
    supplier: partyView(document.supplier, []),
    recipientLabel,
    recipient: partyView(
      document.recipient,
      present([
        { label: "Customer code", value: document.recipient.code },
        { label: "Ship to", value: document.deliveryAddress.split("\n").join(", ") },
      ]),
    ),
    facts: factsOf(document),
    ...(hasRows
      ? printLines(document.rows, { isTaxed: isTaxed(document), hasOwnTaxes: document.hasOwnTaxes })
      : { columns: [], rows: [] }),
    totals: totalsOf(document, words),
    amountInWords: amountInWords(document.totalPaise),
    summary: summaryOf(document),
    terms: document.terms
      .split(/\r\n|\r|\n/)
      .map((line) => line.trim())
      .filter((line) => line !== ""),
    signatory: document.signatory,
    payment:
      link === null
        ? null
        : { link, handle: document.upi!.handle, qrSvg: qrSvg(link), amount: formatRupees(document.duePaise) },
    bank: bankOf(document),
    publicUrl: document.publicUrl,
  };
}

/** Of goods the transporter has the second copy and the supplier the third; of services the supplier has the second. docs/rules/invoicing.md#copies */
function copyLabelOf({ kind, copy, rows }: InvoiceDocument): string {
  const { copyLabel } = documentFacts(kind);
  if (copyLabel === "" || copy === undefined) return copyLabel;
  if (copy === "triplicate") return "Triplicate for supplier";
  const isOfServices = rows.length > 0 && rows.every(({ sacCode }) => sacCode.startsWith("99"));
  return isOfServices ? "Duplicate for supplier" : "Duplicate for transporter";
}

/** docs/rules/invoicing.md#bank-details */
function bankOf(document: InvoiceDocument): Fact[] {
  const { bank } = document;
  if (bank === null || !isPayable(document)) return [];
  return present([
    { label: "Account name", value: bank.holder },
    { label: "Account number", value: bank.accountNumber },
    { label: "IFSC", value: bank.ifsc },
  ]);
}

function present(facts: readonly Fact[]): Fact[] {
  return facts.filter((fact) => fact.value.trim() !== "");
}

function partyView(party: Party, more: readonly Fact[]): PartyView {
  return {
    name: party.name,
    lines: [...party.addressLines, stateLine(party), party.email, party.mobile].filter((line) => line.trim() !== ""),
    facts: [
      ...present([
        { label: "GSTIN", value: party.gstin ?? "" },
        { label: "PAN", value: party.pan ?? "" },
      ]),
      ...more,
    ],
  };
}

// The state and its code belong on a GST invoice; an address that contains the state need not repeat it.
function stateLine({ state, addressLines }: Party): string {
  if (state === null) return "";
  const isNamed = addressLines.some((line) => line.toLowerCase().includes(state.name.toLowerCase()));
  return isNamed ? `State code ${state.code}` : `${state.name} (${state.code})`;
}

function factsOf(document: InvoiceDocument): Fact[] {
  const { isPayable: hasDueDate, hasRows, noun } = documentFacts(document.kind);
  const place = document.placeOfSupply;
  return present([
    { label: `${noun} no.`, value: document.number ?? "" },
    { label: `${noun} date`, value: formatIndianDate(document.billDate) },
    { label: "Against invoice", value: document.originalInvoice?.number ?? "" },
    { label: "Dated", value: document.originalInvoice === null ? "" : formatIndianDate(document.originalInvoice.date) },
    { label: "Due date", value: hasDueDate ? formatIndianDate(document.dueDate) : "" },
    { label: "Billing period", value: document.cycleName },
    { label: "Place of supply", value: place === null || !hasRows ? "" : `${place.name} (${place.code})` },
    { label: "Country of destination", value: document.country },
    { label: "Reverse charge", value: isTaxed(document) ? (document.reverseCharge ? "Yes" : "No") : "" },
    { label: "Shipping bill", value: shippingBill(document) },
    { label: "Port code", value: document.shipping?.portCode ?? "" },
    ...document.headerFields.map((field) => ({ label: field.name, value: field.value })),
  ]);
}

/** Whether it charges GST: notes about a bill of supply don't, nor do those of rows that are not taxed. */
function isTaxed({ kind, rows, taxes }: InvoiceDocument): boolean {
  const hasTaxable = rows.length === 0 || taxes.length > 0 || rows.some(isTaxable);
  return documentFacts(kind).isTaxed && hasTaxable;
}

function shippingBill({ shipping }: InvoiceDocument): string {
  if (shipping === null) return "";
  const dated = shipping.billDate === "" ? "" : formatIndianDate(Temporal.PlainDate.from(shipping.billDate));
  return [shipping.billNo, dated].filter((part) => part !== "").join(" of ");
}

function totalsOf(document: InvoiceDocument, words: PageWords): TotalView[] {
  const line = (label: string, paise: bigint, note = "", isStrong = false): TotalView => ({
    label,
    value: isStrong ? formatRupees(paise) : formatIndianAmount(paise),
    note,
    isStrong,
  });
  const { isPayable: asksForMoney, totalLabel, totalWithDuesLabel, noun, hasRows } = documentFacts(document.kind);
  const hasDues = document.previousDuesPaise !== 0n;
  const hasTaxes = document.taxes.length > 0;
  const untaxed = document.hasOwnTaxes ? [] : document.rows.filter((row) => !isTaxable(row));
  const untaxedPaise = untaxed.reduce((sum, { amountPaise }) => sum + amountPaise, 0n);
  const isTaxedInFull = hasTaxes && untaxed.length === 0;
  const thisInvoicePaise = document.subTotalPaise + document.taxTotalPaise + document.roundOffPaise;
  const isPaid = asksForMoney && document.paidPaise > 0n;
  // A refunded credit note credits the invoice just like one that reduces the due amount.
  const creditedPaise = asksForMoney ? document.creditedPaise + refundedOf(document) : 0n;
  return [
    ...(hasRows ? [line(isTaxedInFull ? "Taxable value" : "Subtotal", document.subTotalPaise)] : []),
    ...(hasTaxes && untaxed.length > 0 ? [line("Taxable value", document.subTotalPaise - untaxedPaise)] : []),
    ...document.taxes.map((tax) => line(taxLabel(tax), tax.amountPaise, taxNote(tax, document, words))),
    ...(document.roundOffPaise === 0n ? [] : [line("Round off", document.roundOffPaise)]),
    ...(hasDues && hasRows
      ? [line(`This ${noun.toLowerCase()}`, thisInvoicePaise), line("Previous dues", document.previousDuesPaise)]
      : []),
    line(hasDues ? totalWithDuesLabel : totalLabel, document.totalPaise, "", true),
    ...(creditedPaise > 0n ? [line("Credit notes", -creditedPaise)] : []),
    ...(isPaid ? [line("Paid", -document.paidPaise)] : []),
    ...document.refunds.map(({ date, amountPaise }) =>
      line("Refunded", amountPaise, words.onDay(formatIndianDate(date))),
    ),
    ...(isPaid || creditedPaise > 0n
      ? [line("Amount due", isPayable(document) ? document.duePaise : 0n, "", true)]
      : []),
  ];
}

function refundedOf({ refunds }: InvoiceDocument): bigint {
  return refunds.reduce((sum, { amountPaise }) => sum + amountPaise, 0n);
}

/** The refunded amount and its date; empty if nothing was refunded. */
function refundNote(document: InvoiceDocument, words: PageWords): string {
  const last = document.refunds.at(-1);
  if (!last) return "";
  const amount = formatRupees(refundedOf(document));
  return words.refunded(amount, formatIndianDate(last.date), document.refunds.length > 1);
}

function taxLabel(tax: Tax): string {
  return tax.name.includes("%") ? tax.name : `${tax.name} ${formatPercent(tax.percentThousandths)}`;
}

// A tax on the whole sub-total needs no note about its base.
function taxNote(tax: Tax, document: InvoiceDocument, words: PageWords): string {
  if (tax.applicableOnPaise === document.subTotalPaise) return "";
  return words.onAmount(formatIndianAmount(tax.applicableOnPaise));
}

function summaryOf(document: InvoiceDocument): TableView | null {
  if (!isTaxed(document) || document.rows.length === 0) return null;
  const { taxNames, lines } = taxSummary(document.rows, document.taxes);
  const totalTax = (taxesPaise: readonly bigint[]) => taxesPaise.reduce((total, tax) => total + tax, 0n);
  // One tax is its own total.
  const amounts = (taxablePaise: bigint, taxesPaise: readonly bigint[]) =>
    [taxablePaise, ...taxesPaise, ...(taxNames.length > 1 ? [totalTax(taxesPaise)] : [])].map(formatIndianAmount);
  const columnTotals = taxNames.map((_, column) => lines.reduce((total, line) => total + line.taxesPaise[column]!, 0n));
  const taxablePaise = lines.reduce((total, line) => total + line.taxablePaise, 0n);
  return {
    headings: ["HSN/SAC", "GST rate", "Taxable value", ...taxNames, ...(taxNames.length > 1 ? ["Total tax"] : [])],
    rows: lines.map((line) => [
      line.sacCode || "–",
      printRate(line, document) || "–",
      ...amounts(line.taxablePaise, line.taxesPaise),
    ]),
    total: ["Total", "", ...amounts(taxablePaise, columnTotals)],
  };
}

/** A fully credited invoice is `Cancelled` in lists. As a document it is valid, and credited. */
function statusAt(document: InvoiceDocument, today: Temporal.PlainDate | undefined): string {
  if (document.status === "Cancelled" && document.creditedPaise > 0n) return "Credited";
  // The way of payment matters to the supplier, not to the customer.
  if (document.status === "Paid offline") return "Paid";
  if (today === undefined || !isPayable(document)) return document.status;
  return shownStatus(document.status, overdueDays(document, today));
}

function markOf({ isDraft }: InvoiceDocument, status: string): InvoiceView["mark"] {
  if (isDraft) return "DRAFT";
  return status === "Cancelled" ? "CANCELLED" : status === "Credited" ? "CREDITED" : "";
}

function toneOf(status: string): InvoiceView["tone"] {
  if (/^paid/i.test(status)) return "good";
  if (/^overdue/i.test(status)) return "bad";
  return /^(unpaid|partially paid)/i.test(status) ? "open" : "muted";
}

function headlineOf(
  document: InvoiceDocument,
  today: Temporal.PlainDate | undefined,
  words: PageWords,
): InvoiceView["headline"] {
  const { isPayable: asksForMoney, totalLabel, noun } = documentFacts(document.kind);
  const refunded = refundNote(document, words);
  const headline = (label: string, paise: bigint, note: string) => {
    return { label, value: formatRupees(paise), note: words.join(note, refunded) };
  };
  if (!asksForMoney) {
    const { originalInvoice } = document;
    return headline(
      totalLabel,
      document.totalPaise,
      originalInvoice === null ? "" : words.againstInvoice(originalInvoice.number),
    );
  }
  if (isPayable(document)) return headline("Amount due", document.duePaise, dueNote(document, today, words));
  if (document.status === "Cancelled") {
    const isCredited = statusAt(document, today) === "Credited";
    return headline("Amount due", 0n, isCredited ? words.wasCredited(noun) : words.wasCancelled(noun));
  }
  if (document.status === "Carried forward") return headline("Amount due", 0n, words.carriedForward);
  return headline("Paid", document.paidPaise, refunded === "" ? words.thanks : words.nothingDue);
}

function dueNote(document: InvoiceDocument, today: Temporal.PlainDate | undefined, words: PageWords): string {
  const due = formatIndianDate(document.dueDate);
  if (today === undefined) return document.status === "Overdue" ? words.wasDueOn(due) : words.dueOn(due);
  const { days } = today.until(document.dueDate);
  if (days < 0) return words.wasDueAgo(due, -days);
  return days === 0 ? words.dueToday(due) : words.dueIn(due, days);
}

const MAX_NOTE = 50;
const CLOSED_UNPAID = new Set(["Cancelled", "Carried forward"]);

/** Whether the document asks for money: it has its own due amount. */
function isPayable(document: InvoiceDocument): boolean {
  return documentFacts(document.kind).isPayable && document.duePaise > 0n && !CLOSED_UNPAID.has(document.status);
}

/** The limit of one UPI payment, in paise: ₹1,00,000 (NPCI). An app refuses a link for more. */
const UPI_LIMIT_PAISE = 1_00_000_00n;

/**
 * `upi://pay?…` for the due amount, or `null` without a UPI handle, without a due amount, or above UPI's limit:
 * docs/rules/invoicing.md#upi-link.
 */
export function upiLink(document: InvoiceDocument): string | null {
  if (document.upi === null || !isPayable(document) || document.duePaise > UPI_LIMIT_PAISE) return null;
  const note = [...`${documentFacts(document.kind).noun} ${document.number ?? document.recipient.code}`.trim()]
    .slice(0, MAX_NOTE)
    .join("");
  const fields: [string, string][] = [
    ["pa", document.upi.handle],
    ["pn", document.upi.payee || document.supplier.name],
    ["am", formatPaise(document.duePaise)],
    ["cu", "INR"],
    ["tn", note],
  ];
  if (document.number !== null) fields.push(["tr", document.number]);
  return `upi://pay?${fields.map(([name, value]) => `${name}=${encode(value)}`).join("&")}`;
}

// UPI apps read `pa=name@bank` with a bare @, as in NPCI's own examples; everything else is percent-encoded.
function encode(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replaceAll("%40", "@");
}
