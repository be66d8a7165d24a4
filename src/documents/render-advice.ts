// The advice of a payout as PDF: its texts and amounts, for templates/advice.typ.
import type { Merchant } from "../merchants/index.ts";
import { listedStatus, reasonOf, type Transfer } from "../payouts/index.ts";
import { amountInWords } from "../platform/amount-words.ts";
import { NodalError } from "../platform/errors.ts";
import { formatIndianDate, formatRupees } from "../platform/indian-format.ts";
import type { PdfRenderer } from "../platform/pdf/renderer.ts";
import { mask } from "../platform/secrets/index.ts";
import { letterheadOf } from "./render-statement.ts";
import type { Fact } from "./render-view.ts";

const TEMPLATE = "advice.typ";

/**
 * Renders the advice of a payout that was paid, or is on its way, in the merchant's turn. Rejects as `PdfRenderer.render` does.
 * @throws NodalError `transfer_not_paid` for one that failed, was returned or is not approved: its payee gets no money
 */
export async function renderPayoutAdvice(
  renderer: PdfRenderer,
  merchant: Merchant,
  transfer: Transfer,
): Promise<Uint8Array> {
  const wording = STATUS_WORDINGS[listedStatus(transfer.state)];
  if (!wording) {
    const why = reasonOf(transfer);
    throw new NodalError(
      "transfer_not_paid",
      `This payout has no advice, as its payee was not paid${why ? `: ${why}` : "."}`,
    );
  }
  return await renderer.render(merchant, TEMPLATE, adviceView(merchant, transfer, wording));
}

type StatusWording = { readonly tone: "good" | "open"; readonly status: string; readonly meaning: string };

const STATUS_WORDINGS: Readonly<Partial<Record<ReturnType<typeof listedStatus>, StatusWording>>> = {
  PENDING: {
    tone: "open",
    status: "In progress",
    meaning: "The bank has not confirmed this payout. It may still be paid or fail.",
  },
  SUCCESS: { tone: "good", status: "Paid", meaning: "The bank has paid this amount." },
};

function adviceView(merchant: Merchant, transfer: Transfer, wording: StatusWording) {
  const { payee, mode } = transfer;
  const isUpi = mode === "upi";
  return {
    ...wording,
    heading: "Payment advice",
    signatory: "",
    title: `Payment advice ${transfer.transferId}`,
    footer: `Payment advice ${transfer.transferId} · ${merchant.name}`,
    merchant: letterheadOf(merchant),
    amount: formatRupees(transfer.amountPaise),
    amountInWords: amountInWords(transfer.amountPaise),
    facts: [
      { label: "Paid by", value: merchant.name },
      { label: "Payee", value: payee.name },
      isUpi
        ? { label: "UPI ID", value: mask(payee.upi ?? "") }
        : { label: "Account number", value: mask(payee.accountNumber ?? "") },
      { label: "IFSC", value: isUpi ? "" : (payee.ifsc ?? "") },
      { label: "Mode", value: transfer.railMode },
      { label: "UTR", value: transfer.utr ?? "" },
      { label: "Reference", value: transfer.referenceId ?? "" },
      { label: "Narrative", value: transfer.narrative },
      { label: "Payout number", value: String(transfer.transferId) },
      { label: "Requested on", value: momentOf(transfer.addedAt, merchant) },
      { label: "Completed on", value: transfer.processedAt === null ? "" : momentOf(transfer.processedAt, merchant) },
    ].filter(({ value }: Fact) => value !== ""),
    notes: [
      ...(merchant.live ? [] : ["Sandbox: no real money has moved."]),
      `As known on ${momentOf(Temporal.Now.instant(), merchant)}. This advice needs no signature.`,
    ],
  };
}

/** `1 Nov 2026, 14:05`, in the merchant's time zone. */
function momentOf(instant: Temporal.Instant, { timeZone }: Merchant): string {
  const local = instant.toZonedDateTimeISO(timeZone);
  return `${formatIndianDate(local.toPlainDate())}, ${local.toPlainTime().toString({ smallestUnit: "minute" })}`;
}
