// The words for every status that the server knows, and the tone of each.
// What belongs here: wire value to word and tone. A status that is not listed is shown as it came, in the neutral tone.

export type Tone = "success" | "warning" | "danger" | "info" | "neutral";

export const statuses: Readonly<Record<string, { readonly word: string; readonly tone: Tone }>> = {
  SUCCESS: { word: "Paid", tone: "success" },
  PENDING: { word: "Pending", tone: "info" },
  PENDING_APPROVAL: { word: "Waiting for approval", tone: "warning" },
  FAILED: { word: "Failed", tone: "danger" },
  REVERSED: { word: "Reversed", tone: "warning" },
  REJECTED: { word: "Rejected", tone: "danger" },
  Unpaid: { word: "Unpaid", tone: "info" },
  "Partially paid": { word: "Partially paid", tone: "warning" },
  "Paid offline": { word: "Paid offline", tone: "success" },
  "Paid online": { word: "Paid online", tone: "success" },
  Cancelled: { word: "Cancelled", tone: "neutral" },
  "Carried forward": { word: "Carried forward", tone: "neutral" },
  Overdue: { word: "Overdue", tone: "danger" },
  open: { word: "Waiting", tone: "warning" },
  approved: { word: "Approved", tone: "success" },
  rejected: { word: "Rejected", tone: "danger" },
  expired: { word: "Not decided in time", tone: "neutral" },
  pending: { word: "Waiting for approval", tone: "warning" },
  Recorded: { word: "Recorded", tone: "success" },
  Reversed: { word: "Reversed", tone: "warning" },
  Queued: { word: "Queued", tone: "info" },
  Sending: { word: "Being sent", tone: "info" },
  Sent: { word: "Sent", tone: "success" },
  Held: { word: "Held", tone: "warning" },
  Failed: { word: "Failed", tone: "danger" },
  Suppressed: { word: "Not sent", tone: "neutral" },
  active: { word: "Active", tone: "success" },
  paused: { word: "Paused", tone: "warning" },
  disabled: { word: "Disabled", tone: "neutral" },
  revoked: { word: "Revoked", tone: "neutral" },
  suspended: { word: "Suspended", tone: "danger" },
};
