// The columns of files that Zoho Books imports: docs/zoho-books.md
import type { CsvCell } from "../platform/csv.ts";
import { formatThousandths } from "../platform/money.ts";

/** A row of a document. `rateThousandths` is the charged rate, in thousandths of a percent. */
export type ZohoLine = {
  readonly description: string;
  readonly hsn: string;
  /** As in the tax register: taxable, nil, exempt or non_gst. */
  readonly treatment: string;
  readonly rateThousandths: bigint;
  readonly taxablePaise: bigint;
};

/** An invoice, a debit note, an opening balance or a credit note. Amounts are above 0. */
export type ZohoDocument = {
  readonly number: string;
  readonly date: Temporal.PlainDate;
  readonly dueDate: Temporal.PlainDate;
  readonly customerCode: string;
  readonly customerName: string;
  /** The invoice of a note. */
  readonly original: { readonly number: string; readonly date: Temporal.PlainDate } | null;
  readonly reason: string;
  readonly isOpening: boolean;
  readonly gstin: string;
  /** Two digits; empty where it is not known. */
  readonly placeOfSupply: string;
  readonly isInterState: boolean;
  readonly isSez: boolean;
  readonly isComposition: boolean;
  /** Whether cess or other taxes are charged: the rates of the lines don't include them. */
  readonly hasCess: boolean;
  readonly revenuePaise: bigint;
  /** The amount posted to the customer: with taxes and round-off, without previous dues. */
  readonly totalPaise: bigint;
  /** Empty where the tax register has none. */
  readonly lines: readonly ZohoLine[];
};

export type ZohoUse = { readonly invoiceNumber: string; readonly paise: bigint };

/** A payment: incoming money, and the tax that the customer deducted. */
export type ZohoPayment = {
  readonly number: string;
  readonly date: Temporal.PlainDate;
  readonly customerCode: string;
  readonly customerName: string;
  readonly mode: string;
  readonly reference: string;
  readonly moneyPaise: bigint;
  readonly tdsPaise: bigint;
  /** The parts of both that invoices use. */
  readonly uses: readonly ZohoUse[];
};

type Columns<Row> = Readonly<Record<string, (row: Row) => CsvCell>>;

/** Zoho's letters of the states, by the digits of a GSTIN. */
const STATE_LETTERS: Readonly<Record<string, string>> = Object.fromEntries(
  (
    "01JK 02HP 03PB 04CH 05UK 06HR 07DL 08RJ 09UP 10BR 11SK 12AR 13NL 14MN 15MZ 16TR 17ML 18AS 19WB 20JH 21OD 22CG 23MP 24GJ " +
    "26DN 27MH 29KA 30GA 31LD 32KL 33TN 34PY 35AN 36TS 37AD 38LA 97OT"
  )
    .split(" ")
    .map((entry) => [entry.slice(0, 2), entry.slice(2)]),
);
/** The code of other countries. */
const ABROAD = "96";

/** The state of a customer or a supply in Zoho's letters; empty where it is not known. */
export function zohoState(code: string): string {
  return STATE_LETTERS[code] ?? "";
}

/** A customer's name in Zoho. Names are unique there, so the code distinguishes customers with the same name. */
export function zohoCustomer({
  customerCode,
  customerName,
}: Pick<ZohoDocument, "customerCode" | "customerName">): string {
  return `${customerName} (${customerCode})`;
}

/** How Zoho treats a customer for GST. */
export function zohoTreatment({
  gstin,
  placeOfSupply,
  isSez,
  isComposition,
}: Pick<ZohoDocument, "gstin" | "placeOfSupply" | "isSez" | "isComposition">): string {
  if (isSez) return "business_sez";
  if (isComposition) return "business_registered_composition";
  if (gstin !== "") return "business_registered_regular";
  return placeOfSupply === ABROAD ? "overseas" : "consumer";
}

type DocumentRow = { readonly document: ZohoDocument; readonly line: ZohoLine; readonly adjustmentPaise: bigint };

/** The tax of a line as Zoho works it out: to the paisa, half up. */
function taxOf({ taxablePaise, rateThousandths }: Pick<ZohoLine, "taxablePaise" | "rateThousandths">): bigint {
  return (taxablePaise * rateThousandths + 50_000n) / 100_000n;
}

/** One row for each line. The adjustment is the difference between the document's total and its lines with their taxes. */
function* rowsOf(document: ZohoDocument): Generator<DocumentRow> {
  const lines = linesOf(document);
  const statedPaise = lines.reduce((sum, line) => sum + line.taxablePaise + taxOf(line), 0n);
  const adjustmentPaise = document.totalPaise - statedPaise;
  for (const line of lines) yield { document, line, adjustmentPaise };
}

/** The register's lines if they add up to the posted amount; else one line for all of it. */
function linesOf({ lines, revenuePaise, totalPaise, isOpening, reason }: ZohoDocument): readonly ZohoLine[] {
  const sumPaise = lines.reduce((sum, { taxablePaise }) => sum + taxablePaise, 0n);
  if (lines.length > 0 && sumPaise === revenuePaise) return lines;
  const description = isOpening ? "Opening balance" : reason || "Sales";
  const taxablePaise = isOpening ? totalPaise : revenuePaise;
  return [{ description, hsn: "", treatment: "", rateThousandths: 0n, taxablePaise }];
}

/** Rows of documents. */
export async function* zohoRows(documents: AsyncIterable<ZohoDocument>): AsyncGenerator<DocumentRow> {
  for await (const document of documents) yield* rowsOf(document);
}

const EXEMPTIONS: Readonly<Record<string, string>> = { nil: "Nil rated", exempt: "Exempt", non_gst: "Non-GST supply" };
const ITEM_NAME_LENGTH = 100;

function taxName({ document, line }: DocumentRow): string {
  if (line.treatment !== "taxable") return "";
  return `${document.isInterState ? "IGST" : "GST"}${formatThousandths(line.rateThousandths)}`;
}

function taxType(row: DocumentRow): string {
  if (taxName(row) === "") return "";
  return row.document.isInterState ? "Item Amount" : "Tax Group";
}

/** The columns that rows of invoices and of credit notes share. */
const PARTY_COLUMNS: Columns<DocumentRow> = {
  "Customer Name": ({ document }) => zohoCustomer(document),
  "GST Treatment": ({ document }) => zohoTreatment(document),
  "GST Identification Number (GSTIN)": ({ document }) => document.gstin,
  "Place of Supply": ({ document }) => zohoState(document.placeOfSupply),
  "Currency Code": () => "INR",
  "Exchange Rate": () => "1",
};
const ITEM_COLUMNS: Columns<DocumentRow> = {
  Account: ({ document }) => (document.isOpening ? "Opening Balance Offset" : "Sales"),
  "Item Name": ({ line }) => [...line.description].slice(0, ITEM_NAME_LENGTH).join(""),
  "Item Desc": ({ line }) => line.description,
  "Item Type": ({ line }) => (line.hsn === "" || line.hsn.startsWith("99") ? "service" : "goods"),
  "HSN/SAC": ({ line }) => line.hsn,
  Quantity: () => "1",
  "Item Price": ({ line }) => line.taxablePaise,
  "Is Inclusive Tax": () => "false",
  "Item Tax": taxName,
  "Item Tax %": (row) => (taxName(row) === "" ? "" : formatThousandths(row.line.rateThousandths)),
  "Item Tax Type": taxType,
  "Item Tax Exemption Reason": ({ line }) => EXEMPTIONS[line.treatment] ?? "",
  Adjustment: ({ adjustmentPaise }) => adjustmentPaise,
  "Adjustment Description": ({ document, adjustmentPaise }) => {
    if (adjustmentPaise === 0n) return "";
    return document.hasCess ? "Cess, other taxes and round-off" : "Round-off";
  },
};

export const ZOHO_INVOICE_COLUMNS: Columns<DocumentRow> = {
  "Invoice Number": ({ document }) => document.number,
  "Invoice Date": ({ document }) => document.date.toString(),
  "Invoice Status": () => "Sent",
  "Due Date": ({ document }) => document.dueDate.toString(),
  ...PARTY_COLUMNS,
  ...ITEM_COLUMNS,
  "Reference Invoice#": ({ document }) => document.original?.number ?? "",
  "Reference Invoice Date": ({ document }) => document.original?.date.toString() ?? "",
};

export const ZOHO_CREDIT_NOTE_COLUMNS: Columns<DocumentRow> = {
  "Credit Note Number": ({ document }) => document.number,
  "Credit Note Date": ({ document }) => document.date.toString(),
  "Credit Note Status": () => "Open",
  "Associated Invoice Number": ({ document }) => document.original?.number ?? "",
  "Associated Invoice Date": ({ document }) => document.original?.date.toString() ?? "",
  Reason: ({ document }) => document.reason,
  ...PARTY_COLUMNS,
  ...ITEM_COLUMNS,
};

type PaymentRow = {
  readonly payment: ZohoPayment;
  readonly invoiceNumber: string;
  readonly appliedPaise: bigint;
  readonly withheldPaise: bigint;
};

/** One row for each invoice that uses a payment, and one for a payment that none uses. TDS goes to the first ones. */
export async function* zohoPaymentRows(payments: AsyncIterable<ZohoPayment>): AsyncGenerator<PaymentRow> {
  for await (const payment of payments) {
    let tdsPaise = payment.tdsPaise;
    for (const { invoiceNumber, paise } of payment.uses) {
      const withheldPaise = tdsPaise < paise ? tdsPaise : paise;
      tdsPaise -= withheldPaise;
      yield { payment, invoiceNumber, appliedPaise: paise - withheldPaise, withheldPaise };
    }
    if (payment.uses.length === 0) yield { payment, invoiceNumber: "", appliedPaise: 0n, withheldPaise: tdsPaise };
  }
}

/** The digits at the end of a number: Zoho has them in a column of their own. */
const SUFFIX = /[0-9]+$/;

export const ZOHO_PAYMENT_COLUMNS: Columns<PaymentRow> = {
  "Payment Number Prefix": ({ payment }) => payment.number.replace(SUFFIX, ""),
  "Payment Number Suffix": ({ payment }) => SUFFIX.exec(payment.number)?.[0] ?? "",
  "Customer Name": ({ payment }) => zohoCustomer(payment),
  "Payment Type": ({ invoiceNumber }) => (invoiceNumber === "" ? "Customer Advance" : "Invoice Payment"),
  Date: ({ payment }) => payment.date.toString(),
  Mode: ({ payment }) => payment.mode,
  "Exchange Rate": () => "1",
  Amount: ({ payment }) => payment.moneyPaise,
  "Deposit To": ({ payment }) => (payment.mode === "Cash" ? "Petty Cash" : "Undeposited Funds"),
  "Reference Number": ({ payment }) => payment.reference,
  "Invoice Number": ({ invoiceNumber }) => invoiceNumber,
  "Amount Applied to Invoice": ({ invoiceNumber, appliedPaise }) => (invoiceNumber === "" ? "" : appliedPaise),
  "Withholding Tax Amount": ({ withheldPaise }) => withheldPaise,
};
