// The GST in advances for services: how much an amount contains, and what is due again once an invoice uses it or it is given
// back. Pure arithmetic on paise. docs/rules/receipts.md#gst-of-advances
import { auditValues, type NewEvent } from "../../ledger/index.ts";
import type { MerchantKey } from "../../merchants/index.ts";
import { taxWithinAmount } from "../../platform/gst.ts";
import { HEAD_OF_TAX, TAXES_OF_SUPPLY, type HeadAmounts, type Supply } from "../gst-row.ts";
import type { PostingLine } from "../invoice-postings.ts";
import type { PartySnapshot } from "../invoice.ts";
import { advanceOf, type Receipt } from "../receipt.ts";

/** Tax by head, in paise. An advance has no cess. */
export type AdvanceHeads = Omit<HeadAmounts, "cessPaise">;

/** How the tax in an advance is worked out, and what its voucher says. */
export type AdvanceTerms = {
  readonly rateThousandths: bigint;
  readonly supply: Supply;
  /** Two digits; empty where it is not known: then the supply is taxed as one between states. CGST Rules, rule 50. */
  readonly placeOfSupply: string;
  readonly content: {
    readonly supplier: PartySnapshot;
    readonly recipient: PartySnapshot;
    /** Of the services. */
    readonly description: string;
  };
};

export const VOUCHER_KINDS = ["receipt_voucher", "refund_voucher"] as const;
export type VoucherKind = (typeof VOUCHER_KINDS)[number];

/** A voucher of an advance, or of what was given back of it. Amounts contain the tax. */
export type AdvanceVoucher = MerchantKey &
  AdvanceTerms &
  AdvanceHeads & {
    /** The id of the receipt, or of the refund. */
    readonly voucherId: bigint;
    readonly kind: VoucherKind;
    readonly receiptId: bigint;
    readonly seriesId: bigint;
    readonly financialYear: number;
    readonly voucherNumber: string;
    readonly voucherDate: Temporal.PlainDate;
    readonly amountPaise: bigint;
    readonly createdAt: Temporal.Instant;
  };

/** Why tax on advances became due, or was taken back. */
export type AdvanceCause = "received" | "used" | "released" | "refunded" | "reversed";

/** What of an advance became taxable (above 0), or is no longer (below 0). */
export type AdvanceTaxEntry = MerchantKey &
  AdvanceHeads & {
    readonly entryId: bigint;
    readonly receiptId: bigint;
    readonly entryDate: Temporal.PlainDate;
    readonly cause: AdvanceCause;
    readonly amountPaise: bigint;
    readonly createdAt: Temporal.Instant;
  };

const NO_TAX: AdvanceHeads = { igstPaise: 0n, cgstPaise: 0n, sgstPaise: 0n };

/** The tax in an amount that contains it: amount × rate / (100 + rate), each head rounded half up to the paisa. */
export function taxWithin(
  amountPaise: bigint,
  { rateThousandths, supply }: Pick<AdvanceTerms, "rateThousandths" | "supply">,
): AdvanceHeads {
  const names = TAXES_OF_SUPPLY[supply];
  if (names.length === 0) return NO_TAX;
  const each = taxWithinAmount(amountPaise, rateThousandths, BigInt(names.length));
  return { ...NO_TAX, ...Object.fromEntries(names.map((name) => [HEAD_OF_TAX[name], each])) };
}

export function sumOfTax({ igstPaise, cgstPaise, sgstPaise }: AdvanceHeads): bigint {
  return igstPaise + cgstPaise + sgstPaise;
}

/** What of a receipt's advance is taxed: what its voucher is about, less what invoices have used and what was given back. */
export function taxedRest(voucher: Pick<AdvanceVoucher, "amountPaise">, receipt: Receipt): bigint {
  const rest = advanceOf(receipt);
  return rest < voucher.amountPaise ? rest : voucher.amountPaise;
}

/** By how much the taxed advance and its tax change between two states of a receipt: both add up to what is left, to the paisa. */
export function changeOfTax(
  voucher: AdvanceVoucher,
  before: Receipt,
  after: Receipt,
): AdvanceHeads & { readonly amountPaise: bigint } {
  const [was, is] = [taxedRest(voucher, before), taxedRest(voucher, after)];
  const [old, now] = [taxWithin(was, voucher), taxWithin(is, voucher)];
  return {
    amountPaise: is - was,
    igstPaise: now.igstPaise - old.igstPaise,
    cgstPaise: now.cgstPaise - old.cgstPaise,
    sgstPaise: now.sgstPaise - old.sgstPaise,
  };
}

/** What tax on advances moves in the merchant's books. docs/accounts.md#events */
export function postingsOfAdvanceTax(tax: AdvanceHeads, supply: Supply): PostingLine[] {
  const state = supply === "intra_union_territory" ? "output_utgst" : "output_sgst";
  return [
    { account: "advance_tax", debitPaise: sumOfTax(tax) },
    { account: "output_igst", debitPaise: -tax.igstPaise },
    { account: "output_cgst", debitPaise: -tax.cgstPaise },
    { account: state, debitPaise: -tax.sgstPaise },
  ];
}

export function voucherIssued(voucher: AdvanceVoucher): NewEvent {
  const { kind, receiptId, voucherNumber, voucherDate, amountPaise, rateThousandths, placeOfSupply } = voucher;
  const { igstPaise, cgstPaise, sgstPaise, content } = voucher;
  const said = { kind, receiptId, voucherNumber, voucherDate, amountPaise, rateThousandths, placeOfSupply };
  const after = auditValues({ ...said, igstPaise, cgstPaise, sgstPaise, description: content.description });
  return { type: "advance_voucher.issued", subjectId: voucher.voucherId, after };
}
