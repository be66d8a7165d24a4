// Transfers in every possible state, for tests that need books with everything in them. The test runs them.
import type { PaymentStatus } from "../../src/payouts/rails/rail.ts";

/** Of each of them. */
export const AMOUNT_PAISE = 10_050n;

export type Story = { readonly reports: readonly (PaymentStatus | "UNKNOWN")[]; readonly bank: PaymentStatus | null };

/** How each transfer reached its state, and its entry in the bank's book. */
export const STORIES: Record<string, Story> = {
  reserved: { reports: [], bank: null },
  submitting: { reports: [], bank: null },
  paidUnheard: { reports: ["UNKNOWN"], bank: "SUCCESS" },
  pending: { reports: ["PENDING"], bank: "PENDING" },
  success: { reports: ["SUCCESS"], bank: "SUCCESS" },
  failed: { reports: ["FAILED"], bank: "FAILED" },
  rejected: { reports: ["REJECTED"], bank: null },
  returned: { reports: ["SUCCESS", "REVERSED"], bank: "REVERSED" },
  neverLeft: { reports: ["PENDING", "REVERSED"], bank: "REVERSED" },
  late: { reports: ["FAILED", "SUCCESS"], bank: "SUCCESS" },
  lateReturned: { reports: ["FAILED", "SUCCESS", "REVERSED"], bank: "REVERSED" },
};
