// The postings of invoice changes in the merchant's books. docs/accounts.md#events
import type { BookAccount } from "../books/index.ts";
import type { InvoiceHead } from "./invoice.ts";
import { WRITE_OFF, type PaymentDetails } from "./settlement-store.ts";
import { gstOf, isCess, sum, type GstName, type Tax } from "./totals.ts";

/** A positive amount debits the account, a negative one credits it. In paise. */
export type PostingLine = { readonly account: BookAccount; readonly debitPaise: bigint };

/** The parts of an invoice that its postings depend on. The taxes may be missing if its content is not read. */
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

type Balances = Map<BookAccount, bigint>;

/**
 * The postings of a changed invoice; `before` is `null` for a new one. Empty if nothing is posted. Carried dues stay in the
 * receivable, and payments passed on to earlier invoices are posted there. The lines belong to the cause of the change (a revision,
 * a settlement, a note), not to the invoice, which may change many times.
 * @throws Error if the taxes changed and are missing
 */
export function postingsOf(before: PostedInvoice | null, after: PostedInvoice): PostingLine[] {
  const hasTaxes = after.content !== undefined && (before === null || before.content !== undefined);
  if (!hasTaxes && before?.taxTotalPaise !== after.taxTotalPaise)
    throw new Error("the taxes changed and are not given");
  const was: Balances = before === null ? new Map() : balancesOf(before, hasTaxes);
  return difference(was, balancesOf(after, hasTaxes));
}

/** The postings of a new credit note: it reverses revenue and taxes, and owes the customer the total. */
export function postingsOfNote(note: {
  readonly taxablePaise: bigint;
  readonly amountPaise: bigint;
  readonly content: { readonly taxes: readonly Pick<Tax, "name" | "amountPaise">[]; readonly roundOffPaise?: bigint };
}): PostingLine[] {
  const balances: Balances = new Map([
    ["revenue", note.taxablePaise],
    ["refunds_payable", -note.amountPaise],
  ]);
  for (const tax of note.content.taxes) add(balances, outputTaxOf(tax), tax.amountPaise);
  add(balances, "rounding", note.content.roundOffPaise ?? 0n);
  return difference(new Map(), balances);
}

/**
 * The postings of a payment: money from the customer that no invoice has used yet. A write-off is an expense instead. `sign` is -1
 * for a reversal.
 */
export function postingsOfMoney(
  { amountPaise, tdsPaise, mode }: Pick<PaymentDetails, "amountPaise" | "tdsPaise" | "mode">,
  sign: 1n | -1n = 1n,
): PostingLine[] {
  return [
    { account: accountOf(mode), debitPaise: sign * (amountPaise - tdsPaise) },
    { account: "tds_receivable", debitPaise: sign * tdsPaise },
    { account: "advances", debitPaise: -sign * amountPaise },
  ];
}

function accountOf(mode: string): BookAccount {
  if (mode === WRITE_OFF) return "written_off";
  return mode === "Cash" ? "cash" : "bank";
}

/** The account balances of one invoice. */
function balancesOf(invoice: PostedInvoice, hasTaxes: boolean): Balances {
  const balances: Balances = new Map();
  // A fully credited invoice is cancelled too, but stays in the book: its notes reverse it.
  if (invoice.status === "Cancelled" && invoice.creditedPaise === 0n) return balances;
  const typedDuesPaise = invoice.previousDuesPaise - invoice.carriedPaise;
  const chargedPaise = invoice.amountPaise - invoice.carriedPaise;
  const paidPaise = invoice.paidPaise > invoice.carriedPaise ? invoice.paidPaise - invoice.carriedPaise : 0n;
  add(balances, "receivable", chargedPaise - paidPaise - invoice.creditedPaise);
  add(balances, "advances", paidPaise);
  add(balances, "refunds_payable", invoice.creditedPaise);
  add(balances, "revenue", -invoice.subTotalPaise);
  add(balances, "opening_balances", -typedDuesPaise);
  add(balances, "rounding", invoice.subTotalPaise + invoice.taxTotalPaise + typedDuesPaise - chargedPaise);
  const taxes = hasTaxes ? invoice.content!.taxes : [{ name: "", amountPaise: invoice.taxTotalPaise }];
  for (const tax of taxes) add(balances, outputTaxOf(tax), -tax.amountPaise);
  return balances;
}

function add(balances: Balances, account: BookAccount, debitPaise: bigint): void {
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

const OUTPUT_TAXES: Readonly<Record<GstName, BookAccount>> = {
  CGST: "output_cgst",
  SGST: "output_sgst",
  UTGST: "output_utgst",
  IGST: "output_igst",
};

function outputTaxOf(tax: Pick<Tax, "name">): BookAccount {
  const gst = gstOf(tax);
  if (gst !== null) return OUTPUT_TAXES[gst];
  return isCess(tax) ? "output_cess" : "output_other";
}
