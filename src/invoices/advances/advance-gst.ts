// The GST in advances for services: how much an amount contains, and how it is reversed once an invoice uses it or it is refunded.
// Pure arithmetic on paise. docs/rules/receipts.md#gst-of-advances
import { auditValues, type NewEvent } from "../../ledger/index.ts";
import type { MerchantKey } from "../../merchants/index.ts";
import { taxWithinAmount } from "../../platform/gst.ts";
import { HEAD_OF_TAX, TAXES_OF_SUPPLY, type HeadAmounts, type Supply } from "../gst-row.ts";
import type { PostingLine } from "../invoice-postings.ts";
import type { PartySnapshot } from "../invoice.ts";
import { advanceOf, type Receipt } from "../receipt.ts";

/** Tax by head, in paise. An advance has no cess. */
export type AdvanceHeads = Omit<HeadAmounts, "cessPaise">;

/** The rules for the tax in an advance, and the details on its voucher. */
export type AdvanceTerms = {
  readonly rateThousandths: bigint;
  readonly supply: Supply;
  /** Two digits; empty if unknown: then the supply is taxed as inter-state. CGST Rules, rule 50. */
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

/** A voucher of an advance, or of its refund. Amounts contain the tax. */
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

/** Why tax on advances became due, or was reversed. */
export type AdvanceCause = "received" | "used" | "released" | "refunded" | "reversed";

/** The part of an advance that became taxable (positive), or no longer is (negative). */
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

/** The taxed part of a receipt's advance: the amount of its voucher, less what invoices have used and what was refunded. */
export function taxedRest(voucher: Pick<AdvanceVoucher, "amountPaise">, receipt: Receipt): bigint {
  const rest = advanceOf(receipt);
  return rest < voucher.amountPaise ? rest : voucher.amountPaise;
}

/** The change of the taxed advance and its tax between two states of a receipt: both add up to the rest, to the paisa. */
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

/** The postings of tax on advances in the merchant's books. docs/accounts.md#events */
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
