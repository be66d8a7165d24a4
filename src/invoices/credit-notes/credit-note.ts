// Credit notes: types, and the rules that need no database.
import type { MerchantKey } from "../../merchants/index.ts";
import { isFinancial } from "../document-kind.ts";
import type { Invoice, InvoiceContent } from "../invoice.ts";
import { sum, type Tax } from "../totals.ts";

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

/** What a credit note takes off one row of its invoice, in paise. */
export type CreditLine = {
  /** The row's place on the invoice, from 1. */
  readonly line: number;
  readonly taxablePaise: bigint;
  /** Of each of the invoice's taxes, in their order; empty where `tax_rows` of the merchant don't tell which rows they are on. */
  readonly taxesPaise: readonly bigint[];
  /** How many pieces, in thousandths, where the note credits them by number. */
  readonly quantityThousandths?: bigint;
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
  /** The invoice's content with this note's share of its rows, and of each of its taxes in their order. */
  readonly content: InvoiceContent;
  /** Whether rows were chosen; else the amount is spread over all rows. */
  readonly byRows: boolean;
  /** The rows that it credits, in their order. */
  readonly lines: readonly CreditLine[];
  readonly createdAt: Temporal.Instant;
  /** `null` while it stands. */
  readonly cancelledAt: Temporal.Instant | null;
  readonly refund: RefundProgress;
  /** Set where SQL has changed how much is refunded or to whom: then nothing is. */
  readonly isChanged?: true;
};

/** A transfer that has brought a refund to the customer. */
export type Refund = Pick<CreditNote, "creditNoteId" | "creditNoteNumber"> & {
  readonly amountPaise: bigint;
  readonly paidAt: Temporal.Instant;
};

/** The refund of a note on which nothing has been tried yet. */
export const NOT_REFUNDED: RefundProgress = { attempts: 0, refundedPaise: 0n, underWayPaise: 0n, lastTransferId: null };

/** What is owed back to the customer and not under way. A bank that pays a failed transfer late can't make it negative. */
export function owedOf({
  refundPaise,
  refund,
  cancelledAt,
}: Pick<CreditNote, "refundPaise" | "refund" | "cancelledAt">): bigint {
  if (cancelledAt !== null) return 0n;
  const owedPaise = refundPaise - refund.refundedPaise - refund.underWayPaise;
  return owedPaise > 0n ? owedPaise : 0n;
}

/** What of an invoice its credit notes have not credited yet. Previous dues belong to another invoice. */
export function creditableOf(
  invoice: Pick<Invoice, "amountPaise" | "previousDuesPaise">,
  earlier: readonly Pick<CreditNote, "amountPaise">[],
): bigint {
  return invoice.amountPaise - invoice.previousDuesPaise - sum(earlier.map((note) => note.amountPaise));
}

/** Whether a note credits rows with their GST; else it is financial. */
export function creditsGst({ content }: Pick<CreditNote, "content">): boolean {
  return !isFinancial(content.kind);
}

/** The taxes of a note, without those that none of its rows has. */
export function chargedTaxes({ content }: Pick<CreditNote, "content">): Tax[] {
  return content.taxes.filter((tax) => tax.applicableOnPaise > 0n || tax.amountPaise > 0n);
}
