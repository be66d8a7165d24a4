// Vouchers of advances as PDF: their texts and amounts, for templates/advice.typ. CGST Rules, rules 50 and 51.
import { taxesOfVoucher, type AdvanceVoucher, type VoucherPapers } from "../invoices/index.ts";
import type { Merchant } from "../merchants/index.ts";
import { amountInWords } from "../platform/amount-words.ts";
import { formatIndianDate, formatRupees } from "../platform/indian-format.ts";
import { readState } from "../platform/indian-states.ts";
import { formatThousandths } from "../platform/money.ts";
import type { PdfRenderer } from "../platform/pdf/renderer.ts";
import { letterheadOf } from "./render-statement.ts";
import type { Fact } from "./render-view.ts";

const TEMPLATE = "advice.typ";

/** Renders a voucher in the merchant's turn. Rejects as `PdfRenderer.render` does. */
export function renderVoucherPdf(
  renderer: PdfRenderer,
  merchant: Merchant,
  papers: VoucherPapers,
): Promise<Uint8Array> {
  return renderer.render(merchant, TEMPLATE, voucherView(merchant, papers));
}

const HEADINGS = { receipt_voucher: "Receipt voucher", refund_voucher: "Refund voucher" } as const;

function voucherView(merchant: Merchant, { voucher, original, receipt, refund }: VoucherPapers) {
  const heading = HEADINGS[voucher.kind];
  const { supplier, recipient, description } = voucher.content;
  const paid = refund ?? receipt;
  const isRefund = voucher.kind === "refund_voucher";
  const letter = letterheadOf(recipient);
  const facts: readonly Fact[] = [
    { label: `${heading} no.`, value: voucher.voucherNumber },
    { label: "Date", value: formatIndianDate(voucher.voucherDate) },
    ...(isRefund
      ? [
          { label: "Receipt voucher no.", value: original.voucherNumber },
          { label: "Receipt voucher dated", value: formatIndianDate(original.voucherDate) },
        ]
      : []),
    { label: isRefund ? "Refunded to" : "Received from", value: [letter.name, ...letter.lines].join(", ") },
    { label: "Description of services", value: description },
    { label: isRefund ? "Refund, tax included" : "Advance, tax included", value: formatRupees(voucher.amountPaise) },
    { label: "Rate of tax", value: `${formatThousandths(voucher.rateThousandths)} %` },
    ...taxFacts(voucher),
    { label: "Place of supply", value: placeOf(voucher) },
    { label: "Tax payable on reverse charge", value: "No" },
    { label: isRefund ? "Paid by" : "Received by", value: modeOf(paid) },
    { label: "Receipt no.", value: receipt.receiptNumber },
  ];
  return {
    heading,
    title: `${heading} ${voucher.voucherNumber}`,
    footer: `${heading} ${voucher.voucherNumber} · ${supplier.name}`,
    merchant: letterheadOf(supplier),
    amount: formatRupees(voucher.amountPaise),
    amountInWords: amountInWords(voucher.amountPaise),
    ...cancelledIf(receipt.reversedAt !== null),
    facts: facts.filter(({ value }) => value !== ""),
    signatory: `For ${supplier.name}`,
    notes: merchant.live ? [] : ["Sandbox: no real money has moved."],
  };
}

/** The status of a voucher: empty for a valid one. */
function cancelledIf(isCancelled: boolean) {
  if (!isCancelled) return { tone: "good", status: "", meaning: "" };
  return { tone: "bad", status: "Cancelled", meaning: "The receipt was reversed. This voucher is not valid." };
}

/** The value without tax, and each tax at its part of the rate. */
function taxFacts(voucher: AdvanceVoucher): Fact[] {
  const taxes = taxesOfVoucher(voucher);
  const taxPaise = taxes.reduce((sum, { amountPaise }) => sum + amountPaise, 0n);
  return [
    { label: "Taxable value", value: formatRupees(voucher.amountPaise - taxPaise) },
    ...taxes.map(({ name, percentThousandths, amountPaise }) => {
      return { label: `${name} ${formatThousandths(percentThousandths)} %`, value: formatRupees(amountPaise) };
    }),
  ];
}

function placeOf({ placeOfSupply }: AdvanceVoucher): string {
  const state = readState(placeOfSupply);
  return state ? `${state.name} (${state.code})` : "Not known: taxed as a supply between states";
}

function modeOf({
  mode,
  bankRefNo,
  chequeNo,
}: VoucherPapers["receipt"] | NonNullable<VoucherPapers["refund"]>): string {
  return [mode, bankRefNo, chequeNo].filter((part) => part !== "").join(" · ");
}
