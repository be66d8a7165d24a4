// The id of a payment at a provider. It contains bucket, merchant and transfer, so that a webhook can be assigned, and is the same
// for each attempt, so that the provider pays once: docs/rules/rails.md#providers
import { createHash, randomBytes } from "node:crypto";
import type { PaymentInstruction, PaymentReference } from "../rails/rail.ts";

const FORM = /^n([0-9a-z]{6})_([0-9a-z]{1,3})_([0-9a-z]{1,11})_([0-9a-z]{1,11})$/;
const TAG_LENGTH = 6;

/** Distinguishes the ids of one connected account from those of other installations with the same account. */
export function newTag(): string {
  return randomBytes(8).readBigUInt64BE().toString(36).slice(-TAG_LENGTH).padStart(TAG_LENGTH, "0");
}

/** At most 34 letters, digits and underscores, which both Cashfree and RazorpayX accept. */
export function paymentId(tag: string, { bucket, merchantId, transferId }: PaymentReference): string {
  return `n${tag}_${bucket.toString(36)}_${merchantId.toString(36)}_${transferId.toString(36)}`;
}

/** The payment with this id; `null` if it is not one of ours. */
export function readPaymentId(tag: string, id: unknown): PaymentReference | null {
  const match = typeof id === "string" ? FORM.exec(id) : null;
  if (match?.[1] !== tag) return null;
  const [bucket, merchantId, transferId] = match.slice(2).map(fromBase36);
  const reference = { bucket: Number(bucket), merchantId: merchantId!, transferId: transferId! };
  return paymentId(tag, reference) === id ? reference : null;
}

/** The payee and mode of a payment. */
export type PaidTo = Pick<PaymentInstruction, "bucket" | "merchantId" | "mode" | "payee">;

/**
 * The id of a payee at the provider, derived from the account or handle. A merchant's payees with the same account have the same id, so
 * that each is created once, even under different names.
 */
export function payeeId({ bucket, merchantId, mode, payee: { accountNumber, ifsc, upi } }: PaidTo): string {
  const paid = mode === "UPI" ? [upi?.toLowerCase()] : [accountNumber, ifsc];
  const hash = createHash("sha256").update(JSON.stringify(paid)).digest("hex");
  return `n_${bucket.toString(36)}_${merchantId.toString(36)}_${hash.slice(0, 20)}`;
}

function fromBase36(text: string): bigint {
  let value = 0n;
  for (const digit of text) value = value * 36n + BigInt(Number.parseInt(digit, 36));
  return value;
}
