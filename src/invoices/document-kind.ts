// The kinds of documents that a merchant issues. Their differences are columns of this table.
import type { TaxTreatment } from "../platform/gst.ts";

type DocumentFacts = {
  readonly title: string;
  /** In labels such as "Invoice no.". */
  readonly noun: string;
  /** Its number series, one of those of each template, and the default prefix; `null` if it is not numbered. */
  readonly series: { readonly name: string; readonly prefix: string } | null;
  /** Whether its supplier has a GSTIN: then its numbers and taxes follow the rules of GST. */
  readonly isRegistered: boolean;
  /** Whether it charges GST: then it has a rate for each line, a tax summary, and the person who pays the tax. */
  readonly isTaxed: boolean;
  /** Whether it has rows: otherwise it is only an amount. */
  readonly hasRows: boolean;
  /** Whether its amount is to be paid: then it has a due date, a status and ways to pay. */
  readonly isPayable: boolean;
  /** The name of the recipient's copy; empty if the law requires no copies. Source: CGST Rules, rule 48. */
  readonly copyLabel: string;
  readonly recipientLabel: string;
  readonly totalLabel: string;
  /** The label of the total with previous dues. */
  readonly totalWithDuesLabel: string;
};

const INVOICE = {
  title: "Invoice",
  noun: "Invoice",
  series: { name: "invoice", prefix: "INV-{FY}-" },
  isRegistered: false,
  isTaxed: false,
  hasRows: true,
  isPayable: true,
  copyLabel: "",
  recipientLabel: "Billed to",
  totalLabel: "Total",
  totalWithDuesLabel: "Total payable",
} as const;

const ESTIMATE = {
  ...INVOICE,
  title: "Estimate",
  noun: "Estimate",
  series: { name: "estimate", prefix: "EST-{FY}-" },
  isPayable: false,
  recipientLabel: "Estimate for",
  totalLabel: "Estimated total",
  totalWithDuesLabel: "Estimated total",
} as const;

const COPY = "Original for recipient";

export const DOCUMENT_KINDS = {
  tax_invoice: { ...INVOICE, title: "Tax invoice", isRegistered: true, isTaxed: true, copyLabel: COPY },
  /** By a registered supplier who charges no tax: exempt supplies, or the composition scheme. CGST Rules, rule 49. */
  bill_of_supply: { ...INVOICE, title: "Bill of supply", isRegistered: true, copyLabel: COPY },
  /** By a supplier without a GSTIN, who may not call it a tax invoice: docs/rules/invoicing.md#tax-invoice. */
  invoice: INVOICE,
  /** A customer's dues from before the merchant billed here: docs/rules/invoicing.md#opening-balances. */
  opening_balance: {
    ...INVOICE,
    title: "Opening balance",
    noun: "Opening balance",
    series: null,
    hasRows: false,
    recipientLabel: "Owed by",
    totalLabel: "Opening balance",
    totalWithDuesLabel: "Opening balance",
  },
  credit_note: {
    ...INVOICE,
    title: "Credit note",
    noun: "Credit note",
    series: { name: "credit_note", prefix: "CN-{FY}-" },
    isRegistered: true,
    isTaxed: true,
    isPayable: false,
    copyLabel: COPY,
    recipientLabel: "Credited to",
    totalLabel: "Total credit",
    totalWithDuesLabel: "Total credit",
  },
  /** Credits money without GST, and is in no return: docs/rules/invoicing.md#financial-credit-notes. */
  financial_credit_note: {
    ...INVOICE,
    title: "Financial credit note",
    noun: "Credit note",
    series: { name: "financial_credit_note", prefix: "FN-{FY}-" },
    hasRows: false,
    isPayable: false,
    recipientLabel: "Credited to",
    totalLabel: "Total credit",
    totalWithDuesLabel: "Total credit",
  },
  /** Increases the charge of an invoice: docs/rules/invoicing.md#debit-notes. CGST Act, section 34(3). */
  debit_note: {
    ...INVOICE,
    title: "Debit note",
    noun: "Debit note",
    series: { name: "debit_note", prefix: "DN-{FY}-" },
    isRegistered: true,
    isTaxed: true,
    copyLabel: COPY,
    totalLabel: "Total debit",
  },
  /** May become a tax invoice: docs/rules/estimates.md#printing. */
  estimate: { ...ESTIMATE, isRegistered: true, isTaxed: true },
  /** May become an invoice without tax. */
  plain_estimate: ESTIMATE,
} as const satisfies Readonly<Record<string, DocumentFacts>>;

export type DocumentKind = keyof typeof DOCUMENT_KINDS;
/** Receipts and vouchers of advances have numbers, but are not kinds of documents. */
const OTHER_SERIES = [
  { name: "receipt", prefix: "RCT-{FY}-" },
  { name: "receipt_voucher", prefix: "RV-{FY}-" },
  { name: "refund_voucher", prefix: "RFV-{FY}-" },
] as const;
export type SeriesName =
  | NonNullable<(typeof DOCUMENT_KINDS)[DocumentKind]["series"]>["name"]
  | (typeof OTHER_SERIES)[number]["name"];

/** The default prefix of each number series of a template. */
export const SERIES_PREFIXES = Object.fromEntries(
  [...Object.values(DOCUMENT_KINDS).map(({ series }) => series), ...OTHER_SERIES].flatMap((series) =>
    series === null ? [] : [[series.name, series.prefix]],
  ),
) as Readonly<Record<SeriesName, string>>;
export const SERIES_NAMES = Object.keys(SERIES_PREFIXES) as readonly SeriesName[];

/** A value for each number series of a template. */
export function mapSeries<T>(make: (name: SeriesName) => T): Readonly<Record<SeriesName, T>> {
  return Object.fromEntries(SERIES_NAMES.map((name) => [name, make(name)])) as Record<SeriesName, T>;
}

/** The kinds that bill. */
export type InvoiceKind = {
  [Kind in DocumentKind]: (typeof DOCUMENT_KINDS)[Kind]["isPayable"] extends true ? Kind : never;
}[DocumentKind];

/** The values that decide the kind of an invoice. */
type KindReasons = {
  readonly supplier: { readonly gstin: string };
  readonly rows: readonly { readonly taxTreatment?: TaxTreatment }[];
  /** Taxes sent by the merchant. */
  readonly taxRows: readonly unknown[];
};

/** Whether the supplier is registered under GST. */
export function isRegistered({ supplier }: Pick<KindReasons, "supplier">): boolean {
  return supplier.gstin !== "";
}

/** Whether a row is taxed: it is neither nil rated, exempt nor outside GST. */
export function isTaxable({ taxTreatment = "taxable" }: KindReasons["rows"][number]): boolean {
  return taxTreatment === "taxable";
}

/**
 * The kind of an invoice: decided only here, and stored with it. A registered supplier who sells nothing taxable issues a bill of
 * supply. Source: CGST Act, section 31(3)(c).
 */
export function kindOfInvoice({ supplier, rows, taxRows }: KindReasons): InvoiceKind {
  if (!isRegistered({ supplier })) return "invoice";
  const isTaxed = rows.length === 0 || taxRows.length > 0 || rows.some(isTaxable);
  return isTaxed ? "tax_invoice" : "bill_of_supply";
}

/** Whether documents of this kind were billed elsewhere: docs/rules/invoicing.md#opening-balances. */
export function isOpeningBalance(kind: DocumentKind): boolean {
  return kind === "opening_balance";
}

/** Whether notes of this kind credit no GST: docs/rules/invoicing.md#financial-credit-notes. */
export function isFinancial(kind: DocumentKind): boolean {
  return kind === "financial_credit_note";
}

/** The facts of a kind. */
export function documentFacts(kind: DocumentKind): DocumentFacts {
  return DOCUMENT_KINDS[kind];
}

/** The series that numbers documents of a kind. @throws Error for a kind that no series numbers */
export function seriesNameOf(kind: DocumentKind): SeriesName {
  const { series } = DOCUMENT_KINDS[kind];
  if (series === null) throw new Error(`no series numbers documents of the kind ${kind}`);
  return series.name;
}

/** The kind of the estimate of such an invoice. */
export function estimateKindOf(kind: DocumentKind): DocumentKind {
  return DOCUMENT_KINDS[kind].isTaxed ? "estimate" : "plain_estimate";
}
