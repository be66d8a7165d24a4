// Two use cases: a second person approves what waits, or rejects it. What follows is one transaction with the decision.
// What belongs here: what each kind of approval means. Who may decide is in merchants/approvals/approval.ts.
import { applyFranchiseAccount } from "../../franchises/index.ts";
import { recordEvents } from "../../ledger/index.ts";
import {
  applyBankAccount,
  applyPolicyChanges,
  approvalNotFound,
  lockApproval,
  refuseDecider,
  writeDecision,
  type Approval,
  type ApprovalKey,
  type ApprovalKind,
  type Decision,
} from "../../merchants/index.ts";
import { inTransaction, type Connection, type Pool } from "../../platform/database/pool.ts";
import { decideBeneficiary } from "../beneficiary-store.ts";
import { refuseSuspended } from "../make-payout.ts";
import { saveFranchiseAccount } from "../save-franchise-account.ts";
import { refuseTransfer, releaseTransfer, type WaitingTransfer } from "./waiting-transfer-store.ts";

type Consequences = {
  /** What waits becomes true. */
  readonly apply: (connection: Connection, now: Temporal.Instant, approval: Approval) => Promise<void>;
  /** It does not. `why` is told to the merchant. */
  readonly refuse: (connection: Connection, now: Temporal.Instant, approval: Approval, why: string) => Promise<void>;
};

function ofTransfer(kind: WaitingTransfer["kind"]): Consequences {
  const waiting = ({ bucket, merchantId, subjectId, expiresAt }: Approval): WaitingTransfer => {
    return { bucket, merchantId, transferId: subjectId, kind, isRestored: expiresAt === null };
  };
  return {
    apply: (connection, now, approval) => releaseTransfer(connection, now, waiting(approval)),
    refuse: (connection, now, approval, why) => refuseTransfer(connection, now, waiting(approval), why),
  };
}

const OF_PAYEE: Consequences = {
  apply: (connection, _now, approval) => decidePayee(connection, approval, "approved"),
  refuse: (connection, _now, approval) => decidePayee(connection, approval, "rejected"),
};

/** What was asked for is written in the approval only. */
const forget: Consequences["refuse"] = () => Promise.resolve();

const CONSEQUENCES: Readonly<Record<ApprovalKind, Consequences>> = {
  transfer: ofTransfer("transfer"),
  withdrawal: ofTransfer("withdrawal"),
  commission: ofTransfer("commission"),
  beneficiary: OF_PAYEE,
  franchise_account: OF_PAYEE,
  franchise_account_change: {
    apply: (connection, _now, { bucket, merchantId, subjectId: franchiseId, bankAccount }) =>
      applyFranchiseAccount(connection, { bucket, merchantId, franchiseId }, bankAccount!, saveFranchiseAccount),
    refuse: forget,
  },
  bank_account: {
    apply: (connection, _now, { merchantId, bankAccount }) => applyBankAccount(connection, merchantId, bankAccount!),
    refuse: forget,
  },
  policy: {
    apply: (connection, _now, approval) => applyPolicyChanges(connection, approval, approval.policyChanges!),
    refuse: forget,
  },
};

async function decidePayee(
  connection: Connection,
  { bucket, merchantId, subjectId }: Approval,
  decision: "approved" | "rejected",
): Promise<void> {
  await decideBeneficiary(connection, { bucket, merchantId, beneficiaryId: subjectId }, decision);
  await recordEvents(connection, { bucket, merchantId }, [{ type: `beneficiary.${decision}`, subjectId }]);
}

/**
 * Approves what waits, in the name of whoever acts in the pool's transactions. Answers the approval as it is then.
 * @throws NodalError `approval_not_found`, `approval_decided`, `approval_not_allowed` or `same_person`; `access_denied`
 * for a suspended merchant, `no_payout_provider` for a payout that its rail may not carry any more
 */
export function approve(pool: Pool, key: ApprovalKey, note: string): Promise<Approval> {
  return decide(pool, key, "approved", note);
}

/**
 * Rejects what waits: a transfer's money is back, a payee can't be paid, an account or policy stays as it was.
 * @throws NodalError `approval_not_found`, `approval_decided`, `approval_not_allowed` or `same_person`
 */
export function reject(pool: Pool, key: ApprovalKey, note: string): Promise<Approval> {
  return decide(pool, key, "rejected", note);
}

function decide(pool: Pool, key: ApprovalKey, decision: Decision, note: string): Promise<Approval> {
  return inTransaction(pool, async (connection) => {
    const found = await lockApproval(connection, key);
    if (!found) throw approvalNotFound();
    const { approval, actor, merchantNow } = found;
    refuseDecider(approval, actor, merchantNow);
    // Rejecting stays possible: it moves nothing.
    if (decision === "approved") refuseSuspended(found);
    const now = Temporal.Now.instant();
    await conclude(connection, now, approval, decision, note);
    return { ...approval, decision, decidedBy: actor, decidedAt: now, note };
  });
}

/** Writes a decision, with all that follows from it. The caller holds the approval, which is open. */
export async function conclude(
  connection: Connection,
  now: Temporal.Instant,
  approval: Approval,
  decision: Decision,
  note: string,
): Promise<void> {
  const { kind, subjectId, approvalId } = approval;
  await writeDecision(connection, approval, { decision, decidedAt: now, note });
  const { apply, refuse } = CONSEQUENCES[kind];
  if (decision === "approved") await apply(connection, now, approval);
  else await refuse(connection, now, approval, whyRefused(decision, note));
  const after = { kind, subject_id: String(subjectId), ...(note === "" ? {} : { note }) };
  await recordEvents(connection, approval, [{ type: `approval.${decision}`, subjectId: approvalId, after }]);
}

function whyRefused(decision: "rejected" | "expired", note: string): string {
  if (decision === "expired") return "Nobody approved it in time.";
  return note === "" ? "It was not approved." : `It was not approved: ${note}`;
}
