// Approvals as others see them: in events, on the command line, in the dashboard.
// What belongs here: the shape. Times are in the merchant's time zone; account numbers are masked.
import type { Queryable } from "../../platform/database/pool.ts";
import { mask } from "../../platform/secrets/index.ts";
import { formatTimestamp } from "../../platform/time.ts";
import type { Merchant } from "../merchant.ts";
import type { Approval } from "./approval.ts";
import { findApprovals } from "./approval-store.ts";
import { describePolicy } from "./payout-policy.ts";

/** What becomes true once it is approved, where the approval itself says so. */
export function describeChange(
  { bankAccount, policyChanges }: Pick<Approval, "bankAccount" | "policyChanges">,
  show: (text: string) => string = mask,
): Record<string, string | number | boolean | null> {
  if (policyChanges) return describePolicy(policyChanges);
  if (!bankAccount) return {};
  const { accountNumber, ifsc, holder, bankName, accountType } = bankAccount;
  return {
    bank_account: show(accountNumber),
    ifsc,
    bank_holder: holder,
    ...(bankName === undefined ? {} : { bank_name: bankName }),
    ...(accountType === undefined ? {} : { account_type: accountType }),
  };
}

/** An approval with its state: `open`, or how it was decided. */
export function describeApproval(approval: Approval, { timeZone }: Pick<Merchant, "timeZone">, show = mask) {
  const time = (instant: Temporal.Instant | null): string | null => instant && formatTimestamp(instant, timeZone);
  return {
    approval_id: String(approval.approvalId),
    kind: approval.kind,
    subject_id: String(approval.subjectId),
    status: approval.decision ?? "open",
    requested_by: approval.requestedBy,
    requested_at: time(approval.requestedAt),
    expires_at: time(approval.expiresAt),
    decided_by: approval.decidedBy,
    decided_at: time(approval.decidedAt),
    note: approval.note,
    ...describeChange(approval, show),
  };
}

/** Approvals as events show them, by id. */
export async function readApprovalObjects(
  db: Queryable,
  merchant: Merchant,
  approvalIds: readonly bigint[],
): Promise<Map<bigint, object>> {
  const approvals = await findApprovals(db, merchant, approvalIds);
  return new Map(approvals.map((approval) => [approval.approvalId, describeApproval(approval, merchant)]));
}
