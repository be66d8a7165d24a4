import type { MerchantKey } from "../../merchants/index.ts";
import { isEInvoiceNumber, isKnownRate, isUsualHsn } from "../../platform/gst.ts";
import { isRegistered, type DocumentKind } from "../document-kind.ts";
import { taxOfRow, type HeadAmounts, type Supply } from "../gst-row.ts";
import type { Invoice, InvoiceContent, InvoiceHead } from "../invoice.ts";
import type { Row } from "../lines/line.ts";
import { sum } from "../totals.ts";
import { headsOf, tieTaxes, type LineTax } from "./tie-taxes.ts";

/** A revision of an invoice or credit note. */
export type RevisionKey = MerchantKey & { readonly documentId: bigint; readonly revision: number };

/** A document in the register. Amounts are in paise, and positive for credit notes too. */
export type GstDocument = RevisionKey & {
  readonly isCurrent: boolean;
  readonly kind: DocumentKind;
  /** Whether it is a supply under GST: docs/rules/tax-register.md#what-is-in-it */
  readonly isSupply: boolean;
  readonly seriesId: bigint | null;
  readonly financialYear: number;
  readonly documentNumber: string;
  readonly documentDate: Temporal.PlainDate;
  readonly partyName: string;
  readonly partyGstin: string;
  /** Two digits; empty if unknown. */
  readonly placeOfSupply: string;
  readonly supply: Supply;
  readonly supplyType: string;
  readonly reverseCharge: boolean;
  /** The GSTIN of the platform that it was sold through; empty for none. */
  readonly ecommerceGstin: string;
  /** The shipping bill of an export of goods; empty until it is known. */
  readonly shippingBillNumber: string;
  readonly shippingBillDate: string;
  readonly portCode: string;
  /** With taxes and round-off, without previous dues. */
  readonly valuePaise: bigint;
  /** The invoice of a credit note or debit note. */
  readonly originalDocumentId: bigint | null;
  readonly cancelledAt: Temporal.Instant | null;
};

/** A row of a document with its tax. Line 0 holds taxes that could not be tied to rows. */
export type GstLine = HeadAmounts & {
  readonly line: number;
  readonly hsn: string;
  readonly description: string;
  readonly uqc: string;
  readonly quantityThousandths: bigint;
  readonly rateThousandths: bigint;
  readonly treatment: string;
  readonly taxablePaise: bigint;
  /** Taxes whose names are not GST's. */
  readonly otherPaise: bigint;
};

/** Problems for an accountant to fix, by code. docs/rules/tax-register.md#problems */
export const PROBLEM_CODES = [
  "hsn_missing",
  "hsn_form",
  "hsn_short",
  "tax_rows",
  "gst_rate",
  "place_of_supply",
  "reverse_charge",
  "number_form",
] as const;
export type ProblemCode = (typeof PROBLEM_CODES)[number];
export type GstProblem = RevisionKey & {
  readonly documentDate: Temporal.PlainDate;
  /** 0 for the whole document. */
  readonly line: number;
  readonly code: ProblemCode;
};

/** The register's rows of one revision. */
export type GstEntry = {
  readonly document: GstDocument;
  readonly lines: readonly GstLine[];
  readonly problems: readonly GstProblem[];
};

/** The content of a row, and how much of it the document has: all for an invoice, the credited part for a note. */
type RegisteredRow = {
  readonly line: number;
  readonly row: Row;
  readonly taxablePaise: bigint;
  readonly tax: LineTax;
};

/**
 * Whether an invoice was cancelled by the merchant. A fully credited one has the status `Cancelled` too, but is in returns with its
 * notes.
 */
export function isVoid({ status, creditedPaise }: Pick<InvoiceHead, "status" | "creditedPaise">): boolean {
  return status === "Cancelled" && creditedPaise === 0n;
}

/** An invoice in the register. */
export function entryOfInvoice(invoice: InvoiceHead & { readonly content: InvoiceContent }): GstEntry {
  const { bucket, merchantId, invoiceId, revision, content } = invoice;
  const { lineTaxes, untied } = tieTaxes(content);
  const rows = content.rows.map((row, place): RegisteredRow => {
    // A debit note by amount raises the price of pieces that the invoice already counts.
    const counted = content.original ? { ...row, quantityThousandths: row.quantityThousandths ?? 0n } : row;
    return { line: place + 1, row: counted, taxablePaise: row.amountPaise, tax: lineTaxes[place]! };
  });
  return entryOf(
    content,
    {
      bucket,
      merchantId,
      documentId: invoiceId,
      revision,
      seriesId: invoice.seriesId,
      financialYear: invoice.financialYear,
      documentNumber: invoice.invoiceNumber,
      documentDate: invoice.billDate,
      valuePaise: invoice.amountPaise - invoice.previousDuesPaise,
      originalDocumentId: content.original?.invoiceId ?? null,
    },
    rows,
    untied ? headsOf(content.taxes) : null,
  );
}

/** The parts of a credit note that the register copies. */
type RegisteredNote = MerchantKey & {
  readonly creditNoteId: bigint;
  readonly seriesId: bigint;
  readonly financialYear: number;
  readonly creditNoteNumber: string;
  readonly noteDate: Temporal.PlainDate;
  readonly amountPaise: bigint;
  readonly content: InvoiceContent;
  /** For each credited row of the invoice, the reduction of its taxable value and of each of the invoice's taxes. */
  readonly lines: readonly {
    readonly line: number;
    readonly taxablePaise: bigint;
    readonly taxesPaise: readonly bigint[];
  }[];
};

/** A credit note of this invoice in the register. */
export function entryOfNote(invoice: Invoice, note: RegisteredNote): GstEntry {
  const { bucket, merchantId, creditNoteId, content } = note;
  const { lineTaxes, untied, heads } = tieTaxes(invoice.content);
  // The note has a row for each line with a taxable value.
  const shared = content.rows.values();
  const rows = note.lines.map(({ line, taxablePaise, taxesPaise }): RegisteredRow => {
    const billed = invoice.content.rows[line - 1]!;
    const row: RegisteredRow["row"] = taxablePaise > 0n ? shared.next().value! : { ...billed, amountPaise: 0n };
    // In a part of a row without a quantity, the number of returned pieces is unknown.
    const isWhole = taxablePaise === billed.amountPaise;
    const counted = isWhole ? row : { ...row, quantityThousandths: row.quantityThousandths ?? 0n };
    const { rateThousandths } = lineTaxes[line - 1]!;
    const amountOf = (head: keyof HeadAmounts): bigint =>
      untied ? 0n : sum(taxesPaise.filter((_, index) => heads[index] === head));
    const own = taxOfRow({ ...row, amountPaise: taxablePaise }, content.supply);
    const charged = {
      igstPaise: amountOf("igstPaise"),
      cgstPaise: amountOf("cgstPaise"),
      sgstPaise: amountOf("sgstPaise"),
      cessPaise: amountOf("cessPaise"),
    };
    // Under reverse charge the note reduces a tax that the recipient paid.
    const tax = { rateThousandths, ...(content.reverseCharge ? own : charged) };
    return { line, row: counted, taxablePaise, tax };
  });
  return entryOf(
    content,
    {
      bucket,
      merchantId,
      documentId: creditNoteId,
      revision: 1,
      seriesId: note.seriesId,
      financialYear: note.financialYear,
      documentNumber: note.creditNoteNumber,
      documentDate: note.noteDate,
      valuePaise: note.amountPaise,
      originalDocumentId: invoice.invoiceId,
    },
    rows,
    untied ? headsOf(content.taxes) : null,
  );
}

type Particulars = Pick<
  GstDocument,
  | keyof RevisionKey
  | "seriesId"
  | "financialYear"
  | "documentNumber"
  | "documentDate"
  | "valuePaise"
  | "originalDocumentId"
>;

/** @param untied the taxes that could not be tied to rows, by head */
function entryOf(
  content: InvoiceContent,
  particulars: Particulars,
  rows: readonly RegisteredRow[],
  untied: ReturnType<typeof headsOf> | null,
): GstEntry {
  const isSupply = isRegistered(content) && (content.rows.length > 0 || content.taxes.length > 0);
  const document: GstDocument = {
    ...particulars,
    isCurrent: true,
    kind: content.kind,
    isSupply,
    partyName: content.recipient.name,
    partyGstin: content.recipient.gstin,
    placeOfSupply: content.placeOfSupply?.code ?? "",
    supply: content.supply,
    supplyType: content.supplyType ?? "regular",
    reverseCharge: content.reverseCharge ?? false,
    ecommerceGstin: content.ecommerceGstin ?? "",
    shippingBillNumber: content.shipping?.billNo ?? "",
    shippingBillDate: content.shipping?.billDate ?? "",
    portCode: content.shipping?.portCode ?? "",
    cancelledAt: null,
  };
  if (!isSupply) return { document, lines: [], problems: [] };
  const lines = rows.map(lineOf);
  const rest = { hsn: "", description: "", uqc: "NA", quantityThousandths: 0n, rateThousandths: 0n, taxablePaise: 0n };
  const line0 = untied ? [{ ...rest, line: 0, treatment: "untied", ...untied }] : [];
  return { document, lines: [...line0, ...lines], problems: problemsOf(document, lines, untied !== null) };
}

/** One piece, in thousandths: the default quantity of a row. */
const ONE = 1000n;

/** A service has no unit and no quantity in returns. Its SAC begins with 99. */
function lineOf({ line, row, taxablePaise, tax }: RegisteredRow): GstLine {
  const isService = row.sacCode.startsWith("99");
  const { unit = "OTH", quantityThousandths = ONE, taxTreatment = "taxable" } = row;
  return {
    line,
    hsn: row.sacCode,
    description: row.item || row.description,
    uqc: isService ? "NA" : unit,
    quantityThousandths: isService ? 0n : quantityThousandths,
    treatment: taxTreatment,
    taxablePaise,
    rateThousandths: tax.rateThousandths,
    igstPaise: tax.igstPaise,
    cgstPaise: tax.cgstPaise,
    sgstPaise: tax.sgstPaise,
    cessPaise: tax.cessPaise,
    otherPaise: 0n,
  };
}

function problemsOf(document: GstDocument, lines: readonly GstLine[], isUntied: boolean): GstProblem[] {
  const { bucket, merchantId, documentId, revision, documentDate } = document;
  const key = { bucket, merchantId, documentId, revision, documentDate };
  const found: [line: number, code: ProblemCode][] = [];
  if (isUntied) found.push([0, "tax_rows"]);
  if (document.placeOfSupply === "") found.push([0, "place_of_supply"]);
  if (document.reverseCharge && document.partyGstin === "") found.push([0, "reverse_charge"]);
  if (!isEInvoiceNumber(document.documentNumber)) found.push([0, "number_form"]);
  for (const { line, hsn, rateThousandths } of lines) {
    if (hsn === "") found.push([line, "hsn_missing"]);
    else if (!isUsualHsn(hsn)) found.push([line, "hsn_form"]);
    if (!isKnownRate(rateThousandths)) found.push([line, "gst_rate"]);
  }
  return found.map(([line, code]) => ({ ...key, line, code }));
}
