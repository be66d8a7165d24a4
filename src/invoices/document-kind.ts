// The kinds of documents that a merchant issues. What differs between them is a column of this table.

/** The number series that a template has for its documents. */
export type SeriesName = "invoice" | "credit_note";

type DocumentFacts = {
  readonly title: string;
  /** In labels such as "Invoice no.". */
  readonly noun: string;
  readonly series: SeriesName;
  /** Whether it charges GST: then it has a rate for each line, a tax summary, and says who pays the tax. */
  readonly isTaxed: boolean;
  /** Whether its amount is to be paid: then it has a due date, a status and ways to pay. */
  readonly isPayable: boolean;
  /** What the recipient's copy is called; empty where the law asks for no copies. Source: CGST Rules, rule 48. */
  readonly copyLabel: string;
  readonly recipientLabel: string;
  readonly totalLabel: string;
  /** The label of the total with previous dues. */
  readonly totalWithDuesLabel: string;
};

const INVOICE = {
  title: "Invoice",
  noun: "Invoice",
  series: "invoice",
  isTaxed: false,
  isPayable: true,
  copyLabel: "",
  recipientLabel: "Billed to",
  totalLabel: "Total",
  totalWithDuesLabel: "Total payable",
} as const;

const COPY = "Original for recipient";

export const DOCUMENT_KINDS = {
  tax_invoice: { ...INVOICE, title: "Tax invoice", isTaxed: true, copyLabel: COPY },
  /** By a registered supplier who charges no tax: exempt supplies, or the composition scheme. CGST Rules, rule 49. */
  bill_of_supply: { ...INVOICE, title: "Bill of supply", copyLabel: COPY },
  /** By a supplier without a GSTIN, who may not call it a tax invoice: docs/rules/invoicing.md#tax-invoice. */
  invoice: INVOICE,
  credit_note: {
    ...INVOICE,
    title: "Credit note",
    noun: "Credit note",
    series: "credit_note",
    isTaxed: true,
    isPayable: false,
    copyLabel: COPY,
    recipientLabel: "Credited to",
    totalLabel: "Total credit",
    totalWithDuesLabel: "Total credit",
  },
} as const satisfies Readonly<Record<string, DocumentFacts>>;

export type DocumentKind = keyof typeof DOCUMENT_KINDS;
/** The kinds that bill. */
export type InvoiceKind = Exclude<DocumentKind, "credit_note">;

/** What a supplier's invoice is. Nothing makes a bill of supply yet. */
export function invoiceKindOf(supplier: { readonly gstin: string }): InvoiceKind {
  return supplier.gstin === "" ? "invoice" : "tax_invoice";
}

/** The facts of a kind. */
export function documentFacts(kind: DocumentKind): DocumentFacts {
  return DOCUMENT_KINDS[kind];
}
