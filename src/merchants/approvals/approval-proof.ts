// Proof that the server wrote a request: a keyed hash, checked before any approval takes effect.
import { canonical } from "../../ledger/index.ts";
import { isSame } from "../../platform/bytes.ts";
import type { Secrets } from "../../platform/secrets/index.ts";
import { changeOf, type RequestedChange } from "./approval-change.ts";
import type { Approval, ApprovalKey } from "./approval.ts";

/** The proved part of an approval: all except its expiry and decision. */
export type ProvedRequest = ApprovalKey &
  RequestedChange &
  Pick<Approval, "kind" | "subjectId" | "requestedBy" | "requestedAt">;

/**
 * The proof of a request.
 * @param facts the values of the waiting payout, in the order of `factsOfRequest` in src/payouts/batch/approval-store.ts; empty for
 * other kinds
 */
export function proveRequest(secrets: Secrets, request: ProvedRequest, facts: readonly string[]): Buffer {
  const { bucket, merchantId, approvalId, kind, subjectId, requestedBy, requestedAt, bankAccount } = request;
  const said = [bucket, merchantId, approvalId, kind, subjectId, requestedBy, requestedAt].map(String);
  const asked = [canonical(changeOf(request)), bankAccount?.accountNumber ?? ""];
  return secrets.mac("approval.proof", [...said, ...asked, ...facts]);
}

/** Whether a request and its payout are as the server wrote them. */
export function isRequestProved(
  secrets: Secrets,
  request: ProvedRequest,
  facts: readonly string[],
  proof: Buffer | null,
): boolean {
  return proof !== null && isSame(proof, proveRequest(secrets, request, facts));
}
