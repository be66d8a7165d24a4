// Credit notes: types, and the rules that need no database.
import type { MerchantKey } from "../../merchants/index.ts";
import { divideRounded } from "../../platform/money.ts";
import type { Invoice, InvoiceContent } from "../invoice.ts";
import { TAXES_OF_SUPPLY, type Row, type Tax } from "../totals.ts";

export type CreditNoteKey = MerchantKey & { readonly creditNoteId: bigint };

/** How the transfers stand that carry back what a credit note owes. */
export type RefundProgress = {
  readonly attempts: number;
  /** What has reached the customer. */
  readonly refundedPaise: bigint;
  readonly underWayPaise: bigint;
  /** The latest attempt; `null` before the first. */
  readonly lastTransferId: bigint | null;
};

export type CreditNote = CreditNoteKey & {
  readonly invoiceId: bigint;
  readonly seriesId: bigint;
  readonly financialYear: number;
  readonly creditNoteNumber: string;
  readonly noteDate: Temporal.PlainDate;
  readonly amountPaise: bigint;
  readonly taxablePaise: bigint;
  readonly taxPaise: bigint;
  /** Of the amount: what reduces what is due on the invoice. */
  readonly reducesDuePaise: bigint;
  /** Of the amount: what is owed back to the customer, paid out or not. */
  readonly refundPaise: bigint;
  readonly refundBeneficiaryId: bigint | null;
  readonly reason: string;
  /** The invoice's content with this note's share of its rows and taxes. */
  readonly content: InvoiceContent;
  readonly createdAt: Temporal.Instant;
  readonly refund: RefundProgress;
};

/** A transfer that has brought a refund to the customer. */
export type Refund = Pick<CreditNote, "creditNoteId" | "creditNoteNumber"> & {
  readonly amountPaise: bigint;
  readonly paidAt: Temporal.Instant;
};

/** The refund of a note on which nothing has been tried yet. */
export const NOT_REFUNDED: RefundProgress = { attempts: 0, refundedPaise: 0n, underWayPaise: 0n, lastTransferId: null };

/** What is owed back to the customer and not under way. A bank that pays a failed transfer late can't make it negative. */
export function owedOf({ refundPaise, refund }: Pick<CreditNote, "refundPaise" | "refund">): bigint {
  const owedPaise = refundPaise - refund.refundedPaise - refund.underWayPaise;
  return owedPaise > 0n ? owedPaise : 0n;
}

/** What of an invoice its credit notes have not credited yet. Previous dues belong to another invoice. */
export function creditableOf(
  invoice: Pick<Invoice, "subTotalPaise" | "taxTotalPaise">,
  earlier: readonly Pick<CreditNote, "amountPaise">[],
): bigint {
  return invoice.subTotalPaise + invoice.taxTotalPaise - sum(earlier.map((note) => note.amountPaise));
}

export type CreditParts = {
  readonly rows: readonly Row[];
  readonly taxes: readonly Tax[];
  readonly taxablePaise: bigint;
  readonly taxPaise: bigint;
};

/**
 * Shares an amount out over an invoice's rows and taxes in proportion, so that the parts add up to it exactly. Each tax
 * is rounded half away from zero on all that is credited so far, less what earlier notes have: the notes that credit an
 * invoice in full credit each of its taxes in full, to the paisa. What is left is the taxable value.
 */
export function shareCredit(
  invoice: Pick<Invoice, "subTotalPaise" | "taxTotalPaise" | "content">,
  earlier: readonly Pick<CreditNote, "amountPaise" | "content">[],
  amountPaise: bigint,
): CreditParts {
  const { content, subTotalPaise, taxTotalPaise } = invoice;
  const creditedPaise = sum(earlier.map((note) => note.amountPaise)) + amountPaise;
  let restPaise = amountPaise;
  const taxesPaise = content.taxes.map((tax, index) => {
    const earlierPaise = sum(earlier.map((note) => note.content.taxes[index]!.amountPaise));
    const wantedPaise = divideRounded(tax.amountPaise * creditedPaise, subTotalPaise + taxTotalPaise) - earlierPaise;
    const sharePaise = between(0n, wantedPaise, restPaise);
    restPaise -= sharePaise;
    return sharePaise;
  });
  const taxablePaise = restPaise;
  const rows = shareRows(content.rows, taxablePaise);
  const taxes = content.taxes.map((tax, index) => ({
    ...tax,
    applicableOnPaise: baseOf(tax, content, rows, taxablePaise, subTotalPaise),
    amountPaise: taxesPaise[index]!,
  }));
  return { rows, taxes, taxablePaise, taxPaise: amountPaise - taxablePaise };
}

/** The rows with their share of the taxable value; those that come to nothing are left out. */
function shareRows(rows: readonly Row[], taxablePaise: bigint): Row[] {
  const wholePaise = sum(rows.map((row) => row.amountPaise));
  if (wholePaise === 0n) return [];
  let beforePaise = 0n;
  const shared = rows.map((row) => {
    const throughPaise = beforePaise + row.amountPaise;
    const amountPaise =
      divideRounded(throughPaise * taxablePaise, wholePaise) - divideRounded(beforePaise * taxablePaise, wholePaise);
    beforePaise = throughPaise;
    return { ...row, amountPaise };
  });
  return shared.filter((row) => row.amountPaise > 0n);
}

/** What a tax of the note is on: the note's rows of its rate, or a share of what the merchant said itself. */
function baseOf(
  tax: Tax,
  content: InvoiceContent,
  rows: readonly Row[],
  taxablePaise: bigint,
  subTotalPaise: bigint,
): bigint {
  if (content.ownTaxes) {
    return subTotalPaise === 0n ? 0n : divideRounded(tax.applicableOnPaise * taxablePaise, subTotalPaise);
  }
  const taxesPerRate = BigInt(TAXES_OF_SUPPLY[content.supply].length);
  const ofItsRate = rows.filter((row) => row.gstThousandths / taxesPerRate === tax.percentThousandths);
  return sum(ofItsRate.map((row) => row.amountPaise));
}

function between(least: bigint, amount: bigint, most: bigint): bigint {
  if (amount < least) return least;
  return amount > most ? most : amount;
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}
