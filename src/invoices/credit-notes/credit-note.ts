// Credit notes: types, and the rules that need no database.
import type { MerchantKey } from "../../merchants/index.ts";
import { isFinancial } from "../document-kind.ts";
import type { Invoice, InvoiceContent } from "../invoice.ts";
import { sum, type Tax } from "../totals.ts";

export type CreditNoteKey = MerchantKey & { readonly creditNoteId: bigint };

/** The state of the transfers that refund a credit note. */
export type RefundProgress = {
  readonly attempts: number;
  /** What has reached the customer. */
  readonly refundedPaise: bigint;
  readonly underWayPaise: bigint;
  /** The latest attempt; `null` before the first. */
  readonly lastTransferId: bigint | null;
};

/** The credited part of one row, in paise. */
export type CreditLine = {
  /** The row's place on the invoice, from 1. */
  readonly line: number;
  readonly taxablePaise: bigint;
  /** For each of the invoice's taxes, in order; empty if the merchant's `tax_rows` can't be tied to rows. */
  readonly taxesPaise: readonly bigint[];
  /** The number of pieces, in thousandths, if the note credits them by number. */
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
  /** The part of the amount that reduces what is due on the invoice. */
  readonly reducesDuePaise: bigint;
  /** The part of the amount that is owed back to the customer, paid out or not. */
  readonly refundPaise: bigint;
  readonly refundBeneficiaryId: bigint | null;
  readonly reason: string;
  /** The invoice's content with this note's share of its rows, and of each of its taxes in their order. */
  readonly content: InvoiceContent;
  /** Whether rows were chosen; otherwise the amount is spread over all rows. */
  readonly byRows: boolean;
  /** The credited rows, in order. */
  readonly lines: readonly CreditLine[];
  readonly createdAt: Temporal.Instant;
  /** `null` unless it was cancelled. */
  readonly cancelledAt: Temporal.Instant | null;
  readonly refund: RefundProgress;
  /** Set if SQL has changed how much is refunded or to whom: then no refund is paid. */
  readonly isChanged?: true;
};

/** A transfer that has paid a refund to the customer. */
export type Refund = Pick<CreditNote, "creditNoteId" | "creditNoteNumber"> & {
  readonly amountPaise: bigint;
  readonly paidAt: Temporal.Instant;
};

/** The refund of a note without an attempt. */
export const NOT_REFUNDED: RefundProgress = { attempts: 0, refundedPaise: 0n, underWayPaise: 0n, lastTransferId: null };

/** The amount owed back to the customer and not in transit. A bank that pays a failed transfer late can't make it negative. */
export function owedOf({
  refundPaise,
  refund,
  cancelledAt,
}: Pick<CreditNote, "refundPaise" | "refund" | "cancelledAt">): bigint {
  if (cancelledAt !== null) return 0n;
  const owedPaise = refundPaise - refund.refundedPaise - refund.underWayPaise;
  return owedPaise > 0n ? owedPaise : 0n;
}

/** The part of an invoice that no credit note has credited yet. Previous dues belong to another invoice. */
export function creditableOf(
  invoice: Pick<Invoice, "amountPaise" | "previousDuesPaise">,
  earlier: readonly Pick<CreditNote, "amountPaise">[],
): bigint {
  return invoice.amountPaise - invoice.previousDuesPaise - sum(earlier.map((note) => note.amountPaise));
}

/** Whether a note credits rows with their GST; otherwise it is financial. */
export function creditsGst({ content }: Pick<CreditNote, "content">): boolean {
  return !isFinancial(content.kind);
}

/** The taxes of a note, without those that none of its rows has. */
export function chargedTaxes({ content }: Pick<CreditNote, "content">): Tax[] {
  return content.taxes.filter((tax) => tax.applicableOnPaise > 0n || tax.amountPaise > 0n);
}
