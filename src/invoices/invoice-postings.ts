// What a change of an invoice moves in the merchant's book. Pure: nothing is posted yet, as the chart has none of these accounts.
import type { InvoiceHead } from "./invoice.ts";
import { gstOf, sum, type GstName, type Tax } from "./totals.ts";

/** The merchant's accounts that billing moves. */
export type BillingAccount =
  /** What customers owe. */
  | "customer_receivable"
  | "revenue"
  | "output_cgst"
  | "output_sgst"
  | "output_utgst"
  | "output_igst"
  /** A tax that the merchant sent under another name. */
  | "output_other"
  /** What rounds a total to a whole amount. */
  | "rounding"
  /** Dues from before the merchant billed here, which an invoice names as its previous dues. */
  | "opening_dues"
  /** Payments of customers, less refunds, until they are found at the bank. */
  | "customer_receipts"
  /** What credit notes give customers, until it is taken off an invoice or refunded. */
  | "customer_credits";

/** Above 0 the account is debited, below 0 it is credited. In paise. */
export type PostingLine = { readonly account: BillingAccount; readonly debitPaise: bigint };

/** An invoice as far as its postings depend on it. The taxes may be left out of an invoice whose content is not read. */
export type PostedInvoice = Pick<
  InvoiceHead,
  | "status"
  | "amountPaise"
  | "subTotalPaise"
  | "taxTotalPaise"
  | "previousDuesPaise"
  | "carriedPaise"
  | "paidPaise"
  | "creditedPaise"
> & { readonly content?: { readonly taxes: readonly Pick<Tax, "name" | "amountPaise">[] } };

type Balances = Map<BillingAccount, bigint>;

/**
 * What a change of an invoice moves; `before` is `null` for a new one. Empty if nothing moves. Dues that move to a later
 * invoice stay in the receivable, and payments passed on to earlier invoices are posted there. The lines belong to what
 * changed the invoice (a revision, a settlement, a note), not to the invoice, which may change many times.
 * @throws Error if the taxes changed and are not given
 */
export function postingsOf(before: PostedInvoice | null, after: PostedInvoice): PostingLine[] {
  const hasTaxes = after.content !== undefined && (before === null || before.content !== undefined);
  if (!hasTaxes && before?.taxTotalPaise !== after.taxTotalPaise)
    throw new Error("the taxes changed and are not given");
  const was: Balances = before === null ? new Map() : balancesOf(before, hasTaxes);
  return difference(was, balancesOf(after, hasTaxes));
}

/** What a new credit note moves: it takes revenue and taxes back, and the customer is owed the whole of it. */
export function postingsOfNote(note: {
  readonly taxablePaise: bigint;
  readonly amountPaise: bigint;
  readonly content: { readonly taxes: readonly Pick<Tax, "name" | "amountPaise">[]; readonly roundOffPaise?: bigint };
}): PostingLine[] {
  const balances: Balances = new Map([
    ["revenue", note.taxablePaise],
    ["customer_credits", -note.amountPaise],
  ]);
  for (const tax of note.content.taxes) add(balances, outputTaxOf(tax), tax.amountPaise);
  add(balances, "rounding", note.content.roundOffPaise ?? 0n);
  return difference(new Map(), balances);
}

/** What the refund of a credit note moves: what the customer was owed goes back as money. */
export function postingsOfRefund(amountPaise: bigint): PostingLine[] {
  return difference(
    new Map(),
    new Map([
      ["customer_credits", amountPaise],
      ["customer_receipts", -amountPaise],
    ]),
  );
}

/** The lines by account, without those that come to nothing. */
export function sumLines(lines: readonly PostingLine[]): PostingLine[] {
  const balances: Balances = new Map();
  for (const { account, debitPaise } of lines) add(balances, account, debitPaise);
  return difference(new Map(), balances);
}

/** What the accounts have of one invoice. */
function balancesOf(invoice: PostedInvoice, hasTaxes: boolean): Balances {
  const balances: Balances = new Map();
  // An invoice that credit notes settled is cancelled too, and stays in the book: its notes take it back.
  if (invoice.status === "Cancelled" && invoice.creditedPaise === 0n) return balances;
  const typedDuesPaise = invoice.previousDuesPaise - invoice.carriedPaise;
  const chargedPaise = invoice.amountPaise - invoice.carriedPaise;
  const paidPaise = invoice.paidPaise > invoice.carriedPaise ? invoice.paidPaise - invoice.carriedPaise : 0n;
  add(balances, "customer_receivable", chargedPaise - paidPaise - invoice.creditedPaise);
  add(balances, "customer_receipts", paidPaise);
  add(balances, "customer_credits", invoice.creditedPaise);
  add(balances, "revenue", -invoice.subTotalPaise);
  add(balances, "opening_dues", -typedDuesPaise);
  add(balances, "rounding", invoice.subTotalPaise + invoice.taxTotalPaise + typedDuesPaise - chargedPaise);
  const taxes = hasTaxes ? invoice.content!.taxes : [{ name: "", amountPaise: invoice.taxTotalPaise }];
  for (const tax of taxes) add(balances, outputTaxOf(tax), -tax.amountPaise);
  return balances;
}

function add(balances: Balances, account: BillingAccount, debitPaise: bigint): void {
  balances.set(account, (balances.get(account) ?? 0n) + debitPaise);
}

/** @throws Error if the lines don't add up to 0 */
function difference(before: Balances, after: Balances): PostingLine[] {
  const lines = [...new Set([...before.keys(), ...after.keys()])].flatMap((account): PostingLine[] => {
    const debitPaise = (after.get(account) ?? 0n) - (before.get(account) ?? 0n);
    return debitPaise === 0n ? [] : [{ account, debitPaise }];
  });
  if (sum(lines.map(({ debitPaise }) => debitPaise)) === 0n) return lines;
  throw new Error("a change of an invoice does not add up");
}

const OUTPUT_TAXES: Readonly<Record<GstName, BillingAccount>> = {
  CGST: "output_cgst",
  SGST: "output_sgst",
  UTGST: "output_utgst",
  IGST: "output_igst",
};

function outputTaxOf(tax: Pick<Tax, "name">): BillingAccount {
  const gst = gstOf(tax);
  return gst === null ? "output_other" : OUTPUT_TAXES[gst];
}
