// A franchise's statement of a period, with the numbers of its invoices, and as PDF (templates/statement.typ) and CSV.
import { isEarning, readFranchiseStatement, type FranchiseLine, type FranchiseStatement } from "../franchises/index.ts";
import { findInvoices, formatInvoiceId } from "../invoices/index.ts";
import { todayOf, type Merchant, type ReadContext } from "../merchants/index.ts";
import type { CsvCell } from "../platform/csv.ts";
import { formatIndianAmount, formatIndianDate, formatRupees } from "../platform/indian-format.ts";
import type { PdfRenderer } from "../platform/pdf/renderer.ts";
import { letterheadOf } from "./render-statement.ts";

const TEMPLATE = "statement.typ";

/** A line with the number of its invoice; empty for other lines. */
export type PrintedLine = FranchiseLine & { readonly invoiceNumber: string };
export type PrintedStatement = Omit<FranchiseStatement, "lines"> & { readonly lines: readonly PrintedLine[] };

/** Reads a franchise's statement with the numbers of its invoices. @throws NodalError as `readFranchiseStatement` does */
export async function readPrintedStatement(
  context: ReadContext<Merchant>,
  asked: Parameters<typeof readFranchiseStatement>[1],
): Promise<PrintedStatement> {
  const { lines, ...statement } = await readFranchiseStatement(context, asked);
  const ids = new Set(lines.flatMap(({ invoiceId }) => invoiceId ?? []));
  const invoices = await findInvoices(context.pool, context.merchant, [...ids]);
  const numbers = new Map(invoices.map(({ invoiceId, invoiceNumber }) => [invoiceId, invoiceNumber]));
  const numbered = lines.map((line) => ({ ...line, invoiceNumber: numbers.get(line.invoiceId ?? 0n) ?? "" }));
  return { ...statement, lines: numbered };
}

/** Renders it in the merchant's turn. Rejects as `PdfRenderer.render` does. */
export function renderFranchiseStatementPdf(
  renderer: PdfRenderer,
  merchant: Merchant,
  statement: PrintedStatement,
): Promise<Uint8Array> {
  return renderer.render(merchant, TEMPLATE, viewOf(merchant, statement));
}

/** The bank's or the payer's reference of a payment; empty for commission. */
export function referenceOf({ utr, payment }: Pick<FranchiseLine, "utr" | "payment">): string {
  return utr ?? payment?.bankRefNo ?? "";
}

/** Net amounts of a line, in paise: one of them is 0. A reversal is below 0. */
export function amountsOf({ kind, deltaPaise }: Pick<FranchiseLine, "kind" | "deltaPaise">): {
  readonly earnedPaise: bigint;
  readonly paidPaise: bigint;
} {
  return isEarning(kind) ? { earnedPaise: deltaPaise, paidPaise: 0n } : { earnedPaise: 0n, paidPaise: -deltaPaise };
}

/** The columns of its lines in a file. */
export const FRANCHISE_STATEMENT_COLUMNS: Readonly<Record<string, (line: PrintedLine) => CsvCell>> = {
  date: ({ day }) => day.toString(),
  kind: ({ kind }) => kind,
  invoice_id: ({ invoiceId }) => (invoiceId === null ? "" : formatInvoiceId(invoiceId)),
  invoice_number: ({ invoiceNumber }) => invoiceNumber,
  transfer_id: ({ transferId }) => (transferId === null ? "" : String(transferId)),
  mode: ({ payment }) => payment?.mode ?? "",
  reference: referenceOf,
  earned: (line) => amountsOf(line).earnedPaise,
  paid: (line) => amountsOf(line).paidPaise,
  balance: ({ balancePaise }) => balancePaise,
};

const NAMES: Readonly<Record<FranchiseLine["kind"], (line: PrintedLine) => string>> = {
  earned: ({ invoiceNumber }) => `Commission on ${invoiceNumber || "an invoice"}`,
  earning_reversed: ({ invoiceNumber }) => `Commission on ${invoiceNumber || "an invoice"} reversed`,
  paid: () => "Paid to the bank account",
  payment_returned: () => "Payment returned by the bank",
  paid_outside: ({ payment }) => `Paid by ${payment!.mode} on ${formatIndianDate(payment!.paidDate)}`,
  payment_reversed: ({ payment }) => `Payment by ${payment!.mode} reversed`,
};

function viewOf(merchant: Merchant, statement: PrintedStatement) {
  const { franchise, from, to, openingPaise, earnedPaise, paidPaise, closingPaise, lines } = statement;
  const period = `${formatIndianDate(from)} to ${formatIndianDate(to)}`;
  const amount = (paise: bigint) => (paise === 0n ? "" : formatIndianAmount(paise));
  return {
    heading: "Commission statement",
    title: `Commission statement of ${franchise.name}, ${period}`,
    footer: `Commission statement, ${period} · ${merchant.name}`,
    merchant: letterheadOf(merchant),
    party: letterheadOf({ ...franchise, gstin: franchise.gstNumber }),
    period,
    heads: ["Earned (₹)", "Paid (₹)"],
    totals: [
      { label: "Opening balance", value: formatRupees(openingPaise) },
      { label: "Earned", value: formatRupees(earnedPaise) },
      { label: "Paid", value: formatRupees(paidPaise) },
      { label: "Commission due", value: formatRupees(closingPaise) },
    ],
    opening: formatIndianAmount(openingPaise),
    closing: formatIndianAmount(closingPaise),
    debits: formatIndianAmount(earnedPaise),
    credits: formatIndianAmount(paidPaise),
    lines: lines.map((line) => {
      const reference = referenceOf(line);
      return [
        formatIndianDate(line.day),
        NAMES[line.kind](line),
        reference && (line.utr === null ? `Ref. ${reference}` : `UTR ${reference}`),
        amount(amountsOf(line).earnedPaise),
        amount(amountsOf(line).paidPaise),
        formatIndianAmount(line.balancePaise),
      ];
    }),
    notes: [
      "Commission is earned when an invoice is paid. Amounts below zero take back earlier ones.",
      ...(merchant.live ? [] : ["Sandbox: no real money."]),
      `As known on ${formatIndianDate(todayOf(merchant))}. Days are those of ${merchant.timeZone}.`,
    ],
  };
}
