// A customer's statement of account: read from the books, and as PDF (templates/statement.typ).
import { readCustomerStatement, voucherOf, type StatementLine, type StatementOf } from "../books/index.ts";
import { findCustomers, gstinOf, type Customer } from "../customers/index.ts";
import { findFranchise, type Franchise } from "../franchises/index.ts";
import { readCustomerAccount } from "../invoices/index.ts";
import { todayOf, type Merchant } from "../merchants/index.ts";
import type { Pool } from "../platform/database/pool.ts";
import { fieldRefusal, NodalError } from "../platform/errors.ts";
import { formatIndianAmount, formatIndianDate, formatRupees } from "../platform/indian-format.ts";
import type { PdfRenderer } from "../platform/pdf/renderer.ts";
import { letterheadOf, STATEMENT_HEADS } from "./render-statement.ts";

const TEMPLATE = "statement.typ";
/** The most lines of a PDF. */
const MAX_LINES = 5000;

export type AccountPeriod = { readonly from: Temporal.PlainDate; readonly to: Temporal.PlainDate };

/**
 * A customer's dues at the beginning of the period, the period's lines, and the dues at its end. Negative if it has paid too much.
 */
export type AccountStatement = AccountPeriod & {
  readonly customer: Customer;
  /** Limits the statement to this franchise's invoices; `null` for all. */
  readonly franchise: Franchise | null;
  readonly openingPaise: bigint;
  readonly closingPaise: bigint;
  readonly lines: readonly (StatementLine & { readonly balancePaise: bigint })[];
};

/**
 * Reads a customer's statement of account, or the part of a franchise; `null` if the merchant has no such customer, or the franchise
 * has no invoice of it.
 */
export async function readAccountStatement(
  pool: Pool,
  merchant: Merchant,
  of: StatementOf,
  { from, to }: AccountPeriod,
): Promise<AccountStatement | null> {
  const customer = (await findCustomers(pool, merchant, [of.customerId])).get(of.customerId);
  if (!customer) return null;
  const { bucket, merchantId } = merchant;
  const { franchiseId } = of;
  let franchise: Franchise | null = null;
  if (franchiseId !== null) {
    const { invoices } = await readCustomerAccount(pool, { bucket, merchantId, ...of }, todayOf(merchant));
    if (invoices === 0n) return null;
    franchise = await findFranchise(pool, { bucket, merchantId, franchiseId });
  }
  const { openingPaise, lines } = await readCustomerStatement(pool, merchant, of, { from, to });
  let balancePaise = openingPaise;
  const balanced = lines.map((line) => {
    balancePaise += line.deltaPaise;
    return { ...line, balancePaise };
  });
  return { customer, franchise, from, to, openingPaise, closingPaise: balancePaise, lines: balanced };
}

/** The same. @throws NodalError `customer_not_found` */
export async function requireAccountStatement(
  pool: Pool,
  merchant: Merchant,
  of: StatementOf,
  period: AccountPeriod,
): Promise<AccountStatement> {
  const statement = await readAccountStatement(pool, merchant, of, period);
  if (statement) return statement;
  throw new NodalError("customer_not_found", "This customer does not exist: check its id in the list.");
}

/** The sums of a statement's lines, in paise: charges, and payments or credits. */
export function sumAccountStatement({ lines }: Pick<AccountStatement, "lines">): {
  readonly debitPaise: bigint;
  readonly creditPaise: bigint;
} {
  const deltas = lines.map(({ deltaPaise }) => deltaPaise);
  const debitPaise = deltas.reduce((sum, delta) => (delta > 0n ? sum + delta : sum), 0n);
  return { debitPaise, creditPaise: debitPaise - deltas.reduce((sum, delta) => sum + delta, 0n) };
}

/**
 * Renders a customer's statement of account in the merchant's turn. Rejects as `PdfRenderer.render` does.
 * @throws NodalError `validation_failed` for more lines than a PDF can have
 */
export async function renderAccountStatementPdf(
  renderer: PdfRenderer,
  merchant: Merchant,
  statement: AccountStatement,
): Promise<Uint8Array> {
  refuseIfTooLong(statement);
  return await renderer.render(merchant, TEMPLATE, viewOf(merchant, statement));
}

/** @throws NodalError `validation_failed` for more lines than a PDF can have */
export function refuseIfTooLong({ lines }: Pick<AccountStatement, "lines">): void {
  if (lines.length <= MAX_LINES) return;
  const problem = `begins a period with ${lines.length} lines, and a PDF has at most ${MAX_LINES}: choose a later day.`;
  throw fieldRefusal("validation_failed", "from_date", problem);
}

function viewOf(merchant: Merchant, statement: AccountStatement) {
  const { customer, franchise, from, to, openingPaise, closingPaise, lines } = statement;
  const { debitPaise, creditPaise } = sumAccountStatement(statement);
  const words = `${formatIndianDate(from)} to ${formatIndianDate(to)}`;
  const amount = (paise: bigint) => (paise > 0n ? formatIndianAmount(paise) : "");
  return {
    heading: "Statement of account",
    title: `Statement of account of ${customer.customerName}, ${words}`,
    footer: `Statement of account, ${words} · ${merchant.name}`,
    merchant: letterheadOf(merchant),
    party: letterheadOf({ ...customer, name: customer.customerName, gstin: gstinOf(customer.customFields) }),
    period: words,
    heads: STATEMENT_HEADS,
    totals: [
      { label: "Opening balance", value: formatRupees(openingPaise) },
      { label: "Charged", value: formatRupees(debitPaise) },
      { label: "Paid and credited", value: formatRupees(creditPaise) },
      { label: closingPaise < 0n ? "In your favour" : "Balance due", value: formatRupees(abs(closingPaise)) },
    ],
    opening: formatIndianAmount(openingPaise),
    closing: formatIndianAmount(closingPaise),
    debits: formatIndianAmount(debitPaise),
    credits: formatIndianAmount(creditPaise),
    lines: lines.map((line) => [
      formatIndianDate(line.day),
      [LABELS[voucherOf(line)] ?? voucherOf(line), line.number].filter(Boolean).join(" "),
      line.reference,
      amount(line.deltaPaise),
      amount(-line.deltaPaise),
      formatIndianAmount(line.balancePaise),
    ]),
    notes: [
      ...(franchise ? [`Invoices of ${franchise.name} only.`] : []),
      "A balance below zero is money that was paid and not used, or is to be given back.",
      ...(merchant.live ? [] : ["Sandbox: no real money."]),
      `As known on ${formatIndianDate(todayOf(merchant))}. Days are those of ${merchant.timeZone}.`,
    ],
  };
}

/** Plain names for accounting terms. */
const LABELS: Readonly<Record<string, string>> = {
  Sales: "Invoice",
  "Sales cancelled": "Invoice cancelled",
  Receipt: "Payment",
  "Receipt reversed": "Payment reversed",
  "Receipt refunded": "Advance refunded",
  "Credit Note": "Credit note",
  "Credit Note cancelled": "Credit note cancelled",
  Journal: "Adjustment",
};

const abs = (paise: bigint): bigint => (paise < 0n ? -paise : paise);
