// Advice on a transfer's page: what its status means, and what to do.
import { reasonAdvice, refundAdvice, statusAdvice } from "../../strings/payouts.ts";

/** Sentences about a transfer: what its status means, and what the bank's reason does. A refund that failed is paid again from its credit note. */
export function adviceOn({
  status,
  reason,
  refund_of: refundOf,
}: {
  readonly status: string;
  readonly reason: string;
  readonly refund_of: object | null;
}): string[] {
  const ofRefund = (refundAdvice as Readonly<Record<string, string>>)[status];
  // The advice for reasons, such as adding a new beneficiary, doesn't apply to refunds.
  if (refundOf !== null && ofRefund !== undefined) return [ofRefund];
  const [code = ""] = reason.split(":");
  return [statusAdvice[status], reasonAdvice[code]].filter((sentence) => sentence !== undefined);
}
