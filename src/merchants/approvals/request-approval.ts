// Requests an approval by a second person, inside others' transactions.
import { auditValues, recordEvents } from "../../ledger/index.ts";
import type { Connection } from "../../platform/database/pool.ts";
import { toMicrosecond } from "../../platform/time.ts";
import { describeChange } from "./approval-object.ts";
import { insertApproval, type NewApproval } from "./approval-store.ts";
import type { PayoutPolicy } from "./payout-policy.ts";

export type ApprovalRequest = Pick<NewApproval, "bucket" | "merchantId" | "approvalId" | "kind" | "subjectId"> &
  Partial<Pick<NewApproval, "bankAccount" | "policyChanges" | "resolution" | "funding">>;

/**
 * Requests a decision, in the name of the transaction's actor. Locks the merchant's book from then on: call it last, after taking
 * every other lock.
 */
export async function requestApproval(
  connection: Connection,
  policy: PayoutPolicy,
  request: ApprovalRequest,
): Promise<void> {
  // In the database's precision, so that the proof has the same time.
  const requestedAt = toMicrosecond(Temporal.Now.instant());
  const expiresAfterHours = policy.approvalExpiresHours;
  const approval = {
    bankAccount: null,
    policyChanges: null,
    resolution: null,
    funding: null,
    ...request,
    requestedAt,
    expiresAfterHours,
  };
  await insertApproval(connection, approval);
  const { approvalId, kind, subjectId } = request;
  const after = auditValues({ kind, subjectId, ...describeChange(approval) });
  await recordEvents(connection, request, [{ type: "approval.requested", subjectId: approvalId, after }]);
}
