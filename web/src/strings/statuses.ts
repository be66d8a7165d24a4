// The words for every status that the server knows, and the tone of each. A status that is not listed is shown as it
// came, in the neutral tone.

export type Tone = "success" | "warning" | "danger" | "info" | "neutral";

export const statuses: Readonly<Record<string, { readonly word: string; readonly tone: Tone }>> = {
  SUCCESS: { word: "Paid", tone: "success" },
  PENDING: { word: "Pending", tone: "info" },
  PENDING_APPROVAL: { word: "Waiting for approval", tone: "warning" },
  FAILED: { word: "Failed", tone: "danger" },
  REVERSED: { word: "Reversed", tone: "warning" },
  FAILED_OR_REVERSED: { word: "Failed or reversed", tone: "danger" },
  REJECTED: { word: "Rejected", tone: "danger" },
  Unpaid: { word: "Unpaid", tone: "info" },
  "Partially paid": { word: "Partially paid", tone: "warning" },
  "Paid offline": { word: "Paid", tone: "success" },
  "Paid online": { word: "Paid online", tone: "success" },
  Cancelled: { word: "Cancelled", tone: "neutral" },
  "Carried forward": { word: "Carried forward", tone: "neutral" },
  Overdue: { word: "Overdue", tone: "danger" },
  open: { word: "Pending", tone: "warning" },
  approved: { word: "Approved", tone: "success" },
  rejected: { word: "Rejected", tone: "danger" },
  expired: { word: "Expired", tone: "neutral" },
  withdrawn: { word: "Withdrawn", tone: "neutral" },
  pending: { word: "Waiting for approval", tone: "warning" },
  unverified: { word: "Not verified", tone: "neutral" },
  verified: { word: "Verified", tone: "success" },
  name_differs: { word: "Name doesn't match", tone: "warning" },
  accepted: { word: "Name mismatch accepted", tone: "warning" },
  invalid: { word: "Account not found", tone: "danger" },
  deactivated: { word: "Deactivated", tone: "neutral" },
  Recorded: { word: "Recorded", tone: "success" },
  Reversed: { word: "Reversed", tone: "warning" },
  Queued: { word: "Queued", tone: "info" },
  Sending: { word: "Sending", tone: "info" },
  Sent: { word: "Sent", tone: "success" },
  Held: { word: "On hold", tone: "warning" },
  Failed: { word: "Failed", tone: "danger" },
  Suppressed: { word: "Not sent", tone: "neutral" },
  active: { word: "Active", tone: "success" },
  paused: { word: "Paused", tone: "warning" },
  disabled: { word: "Disabled", tone: "neutral" },
  revoked: { word: "Revoked", tone: "neutral" },
  Enabled: { word: "Enabled", tone: "success" },
  Disabled: { word: "Disabled", tone: "neutral" },
  Active: { word: "Active", tone: "success" },
  Paused: { word: "Paused", tone: "warning" },
  Completed: { word: "Completed", tone: "neutral" },
  Billed: { word: "Billed", tone: "success" },
  Skipped: { word: "Skipped", tone: "neutral" },
  Open: { word: "Open", tone: "info" },
  Accepted: { word: "Accepted", tone: "success" },
  Declined: { word: "Declined", tone: "danger" },
  Expired: { word: "Expired", tone: "neutral" },
  Waiting: { word: "Waiting", tone: "info" },
  suspended: { word: "Suspended", tone: "danger" },
};

/** Statuses to choose from, after one that means any of them. */
export function statusChoices(any: string, values: readonly string[]) {
  return [{ value: "", label: any }, ...values.map((value) => ({ value, label: statuses[value]?.word ?? value }))];
}
