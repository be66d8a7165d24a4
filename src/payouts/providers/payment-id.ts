// The id of a payment at a provider. It names bucket, merchant and transfer, so that a webhook finds its way; and it is the same
// for each attempt, so that the provider pays it once: docs/rules/rails.md#providers
import { createHash, randomBytes } from "node:crypto";
import type { PaymentInstruction, PaymentReference } from "../rails/rail.ts";

const FORM = /^n([0-9a-z]{6})_([0-9a-z]{1,3})_([0-9a-z]{1,11})_([0-9a-z]{1,11})$/;
const TAG_LENGTH = 6;

/** What tells the ids of one connected account from those of other installations at the same account. */
export function newTag(): string {
  return randomBytes(8).readBigUInt64BE().toString(36).slice(-TAG_LENGTH).padStart(TAG_LENGTH, "0");
}

/** At most 34 letters, digits and underscores: what Cashfree and RazorpayX both take. */
export function paymentId(tag: string, { bucket, merchantId, transferId }: PaymentReference): string {
  return `n${tag}_${bucket.toString(36)}_${merchantId.toString(36)}_${transferId.toString(36)}`;
}

/** The payment that an id names; `null` where it is none of ours. */
export function readPaymentId(tag: string, id: unknown): PaymentReference | null {
  const match = typeof id === "string" ? FORM.exec(id) : null;
  if (match?.[1] !== tag) return null;
  const [bucket, merchantId, transferId] = match.slice(2).map(fromBase36);
  const reference = { bucket: Number(bucket), merchantId: merchantId!, transferId: transferId! };
  return paymentId(tag, reference) === id ? reference : null;
}

/** Whom a payment goes to, and which way. */
export type PaidTo = Pick<PaymentInstruction, "bucket" | "merchantId" | "mode" | "payee">;

/**
 * A name for a payee at the provider, by the account or handle that is paid there: equal ones of a merchant have the same, so
 * that each is made once, whatever the payee is called.
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
