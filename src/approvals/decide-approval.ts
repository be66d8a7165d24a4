// Use cases: a second person approves or rejects a request, or its requester withdraws it. The consequences are in the same
// transaction as the decision. merchants/approvals/approval.ts says who may decide.
import { applyFranchiseAccount } from "../franchises/index.ts";
import { fundWithin, recordEvents } from "../ledger/index.ts";
import {
  applyBankAccount,
  applyPolicyChanges,
  approvalNotFound,
  findApprovals,
  findPersonBehind,
  lockApproval,
  refuseDecider,
  refuseWithdrawal,
  refuseWithoutReason,
  runIdempotently,
  writeDecision,
  type Approval,
  type ApprovalKey,
  type ApprovalKind,
  type Decision,
  type IdempotencyKey,
  type ReadContext,
} from "../merchants/index.ts";
import type { Connection, Pool, Queryable } from "../platform/database/pool.ts";
import { NodalError } from "../platform/errors.ts";
import { refuseDecided, refuseForged } from "./find-forged.ts";
import {
  applyResolution,
  askBeforeApproval,
  decideBeneficiary,
  refuseBatch,
  refuseSuspended,
  refuseTransfer,
  releaseBatch,
  releaseTransfer,
  type ProviderFinding,
  type WaitingTransfer,
} from "../payouts/index.ts";

/** The approver, and the provider's latest answer about a stuck transfer. */
type Approved = { readonly actor: string; readonly word: ProviderFinding | null };

type Consequences = {
  /** Applies the request. */
  readonly apply: (
    connection: Connection,
    now: Temporal.Instant,
    approval: Approval,
    approved: Approved,
  ) => Promise<void>;
  /** Ends the request without effect. `why` is shown to the merchant. */
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

function batchOf({ bucket, merchantId, subjectId }: Approval) {
  return { bucket, merchantId, batchId: subjectId };
}

/** Nothing to undo: the request exists only in the approval. */
const forget: Consequences["refuse"] = () => Promise.resolve();

const CONSEQUENCES: Readonly<Record<ApprovalKind, Consequences>> = {
  transfer: ofTransfer("transfer"),
  withdrawal: ofTransfer("withdrawal"),
  commission: ofTransfer("commission"),
  beneficiary: OF_PAYEE,
  franchise_account: OF_PAYEE,
  franchise_account_change: {
    apply: (connection, _now, { bucket, merchantId, subjectId: franchiseId, bankAccount }) =>
      applyFranchiseAccount({ connection, merchant: { bucket, merchantId } }, { franchiseId, account: bankAccount! }),
    refuse: forget,
  },
  bank_account: {
    apply: (connection, _now, { merchantId, bankAccount }) => applyBankAccount(connection, merchantId, bankAccount!),
    refuse: forget,
  },
  payout_batch: {
    apply: (connection, now, approval) => releaseBatch(connection, now, batchOf(approval)),
    refuse: (connection, now, approval, why) => refuseBatch(connection, now, batchOf(approval), why),
  },
  transfer_resolution: {
    apply: (connection, now, { bucket, merchantId, subjectId, requestedBy, resolution }, { actor, word }) => {
      const decision = { people: [requestedBy, actor], word: word! } as const;
      return applyResolution(connection, now, { bucket, merchantId, transferId: subjectId }, resolution!, decision);
    },
    refuse: forget,
  },
  funding: {
    apply: async (connection, _now, { bucket, merchantId, approvalId, funding }) => {
      await fundWithin(connection, { bucket, merchantId, fundingId: approvalId, ...funding! });
    },
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

export type DecideApproval = {
  readonly approvalId: bigint;
  /** The reason, for the merchant and the audit log; "" for none. */
  readonly note: string;
};

/** With a key, repeating a decision returns the first answer instead of `approval_decided`. */
export type DecisionContext = ReadContext & {
  readonly idempotency?: IdempotencyKey | null;
  /** Sees the installation's provider accounts, unlike a merchant's own connections; left out if `pool` sees them. */
  readonly accounts?: Queryable;
};

/**
 * Approves a request, in the name of the pool's actor. Returns the decided approval.
 * @throws NodalError `approval_not_found`, `approval_decided`, `approval_not_allowed` or `same_person`; `access_denied`
 * for a suspended merchant, `no_payout_provider` for a payout that may no longer use its rail,
 * `beneficiary_not_approved` for one to a beneficiary that was deactivated since; for a stuck transfer as
 * `askBeforeApproval` and `applyResolution` do
 */
export function approve(context: DecisionContext, input: DecideApproval): Promise<Approval> {
  return decide(context, input, "approved");
}

/**
 * Rejects a request: a transfer's amount is released, a payee can't be paid, an account or policy stays unchanged.
 * @throws NodalError `validation_failed` without a note; `approval_not_found`, `approval_decided`, `approval_not_allowed` or `same_person`
 */
export async function reject(context: DecisionContext, input: DecideApproval): Promise<Approval> {
  refuseWithoutReason(input.note);
  return decide(context, input, "rejected");
}

/**
 * Withdraws one's own request. The consequences are the same as for a rejection.
 * @throws NodalError `approval_not_found`, `approval_decided` or `approval_not_allowed`
 */
export function withdraw(context: DecisionContext, input: DecideApproval): Promise<Approval> {
  return decide(context, input, "withdrawn");
}

async function decide(
  { pool, merchant: { bucket, merchantId }, idempotency = null, accounts = pool }: DecisionContext,
  { approvalId, note }: DecideApproval,
  decision: Exclude<Decision, "expired">,
): Promise<Approval> {
  const asked =
    decision === "approved" ? await askIfStuck({ pool, accounts }, { bucket, merchantId, approvalId }) : null;
  await runIdempotently(pool, { bucket, merchantId }, idempotency, async (connection) => {
    const found = await lockApproval(connection, { bucket, merchantId, approvalId });
    if (!found) throw approvalNotFound();
    const { approval, actor, merchantNow } = found;
    const { requestedBy } = approval;
    const person = decision === "approved" ? await findPersonBehind(connection, approval, requestedBy) : requestedBy;
    if (decision === "withdrawn") refuseWithdrawal(approval, actor, merchantNow);
    else refuseDecider(approval, { actor, now: merchantNow, person });
    await refuseDecided(connection, approval);
    // A forged request may be rejected and withdrawn: it pays nothing.
    if (decision === "approved") {
      refuseSuspended(found);
      await refuseForged(connection, found);
    }
    // Only now: a repeated key gets its first answer, even if the provider now says something else.
    if (asked instanceof NodalError) throw asked;
    await conclude(connection, Temporal.Now.instant(), approval, decision, note, { actor, word: asked });
    return {};
  });
  const [decided] = await findApprovals(pool, { bucket, merchantId }, [approvalId]);
  return decided!;
}

/**
 * Asks the provider about a stuck transfer before its resolution is approved and anything is locked. `null` for all other or decided
 * approvals.
 */
async function askIfStuck(
  { pool, accounts }: { readonly pool: Pool; readonly accounts: Queryable },
  { approvalId, ...merchant }: ApprovalKey,
): Promise<ProviderFinding | NodalError | null> {
  const [approval] = await findApprovals(pool, merchant, [approvalId]);
  if (approval?.kind !== "transfer_resolution" || approval.decision !== null) return null;
  try {
    return await askBeforeApproval({ pool, accounts, merchant }, approval);
  } catch (error) {
    if (error instanceof NodalError) return error;
    throw error;
  }
}

/**
 * Writes a decision with its consequences. The caller has locked the approval, which is open in the journal too: `refuseDecided`.
 */
export async function conclude(
  connection: Connection,
  now: Temporal.Instant,
  approval: Approval,
  decision: Decision,
  note: string,
  approved: Approved | null = null,
): Promise<void> {
  const { kind, subjectId, approvalId } = approval;
  await writeDecision(connection, approval, { decision, decidedAt: now, note });
  const { apply, refuse } = CONSEQUENCES[kind];
  if (decision === "approved") await apply(connection, now, approval, approved!);
  else await refuse(connection, now, approval, whyRefused(decision, note));
  const after = { kind, subject_id: String(subjectId), ...(note === "" ? {} : { note }) };
  await recordEvents(connection, approval, [{ type: `approval.${decision}`, subjectId: approvalId, after }]);
}

function whyRefused(decision: Exclude<Decision, "approved">, note: string): string {
  if (decision === "expired") return "The approval expired.";
  const what = decision === "withdrawn" ? "The request was withdrawn" : "The request was rejected";
  return note === "" ? `${what}.` : `${what}: ${note}`;
}
