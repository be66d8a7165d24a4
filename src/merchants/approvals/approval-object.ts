// Approvals in events, on the command line and in the dashboard. Times are in the merchant's time zone; account numbers are masked.
import type { Queryable } from "../../platform/database/pool.ts";
import { formatPaise } from "../../platform/money.ts";
import { mask } from "../../platform/secrets/index.ts";
import { formatTimestamp, type WriteInstant } from "../../platform/time.ts";
import type { Merchant } from "../merchant.ts";
import type { Approval } from "./approval.ts";
import { findApprovals } from "./approval-store.ts";
import { describePolicy, type DescribedPolicy } from "./payout-policy.ts";

type DescribedAccount = {
  readonly bank_account: string;
  readonly ifsc: string;
  readonly bank_holder: string;
  readonly bank_name: string;
  readonly account_type: string;
};

type DescribedFunding = { readonly deposit_amount: string; readonly deposit_reference: string };

type DescribedResolution = {
  readonly resolve_as: string;
  readonly utr: string;
  readonly reason: string;
  readonly evidence: string;
  readonly provider_not_asked: string;
};

/** The change once it is approved, if the approval itself holds it. */
export function describeChange(
  {
    bankAccount,
    policyChanges,
    resolution,
    funding,
  }: Pick<Approval, "bankAccount" | "policyChanges" | "resolution" | "funding">,
  show: (text: string) => string = mask,
): Partial<DescribedPolicy & DescribedAccount & DescribedResolution & DescribedFunding> {
  if (policyChanges) return describePolicy(policyChanges);
  if (funding) return { deposit_amount: formatPaise(funding.amountPaise), deposit_reference: funding.reference };
  if (resolution) {
    const { as, utr, reason, evidence, unasked } = resolution;
    return { resolve_as: as, utr: utr ?? "", reason, evidence, provider_not_asked: unasked ?? "" };
  }
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

/** An approval with its state: `open`, or the decision. `write` formats times. */
export function describeApproval(
  approval: Approval,
  { timeZone }: Pick<Merchant, "timeZone">,
  show = mask,
  write: WriteInstant = formatTimestamp,
) {
  return {
    approval_id: String(approval.approvalId),
    kind: approval.kind,
    subject_id: String(approval.subjectId),
    status: approval.decision ?? "open",
    requested_by: approval.requestedBy,
    requested_at: write(approval.requestedAt, timeZone),
    expires_at: write(approval.expiresAt, timeZone),
    decided_by: approval.decidedBy,
    decided_at: write(approval.decidedAt, timeZone),
    note: approval.note,
    ...describeChange(approval, show),
  };
}

/** Approvals as in events, by id. */
export async function readApprovalObjects(
  db: Queryable,
  merchant: Merchant,
  approvalIds: readonly bigint[],
): Promise<Map<bigint, object>> {
  const approvals = await findApprovals(db, merchant, approvalIds);
  return new Map(approvals.map((approval) => [approval.approvalId, describeApproval(approval, merchant)]));
}
