// Three use cases: a second person approves what waits, or rejects it; who has asked for it withdraws it. What follows
// is one transaction with the decision. Who may decide is in merchants/approvals/approval.ts.
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

/** Who approves, and what the provider said right before of a stuck transfer. */
type Approved = { readonly actor: string; readonly word: ProviderFinding | null };

type Consequences = {
  /** What waits becomes true. */
  readonly apply: (
    connection: Connection,
    now: Temporal.Instant,
    approval: Approval,
    approved: Approved,
  ) => Promise<void>;
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

function batchOf({ bucket, merchantId, subjectId }: Approval) {
  return { bucket, merchantId, batchId: subjectId };
}

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
  /** Why, for the merchant and the audit log; "" where nothing is said. */
  readonly note: string;
};

/** With a key, the same decision sent again is answered as the first time, and not as one that comes too late. */
export type DecisionContext = ReadContext & {
  readonly idempotency?: IdempotencyKey | null;
  /** Sees the installation's accounts at providers, which a merchant's own database does not; left out where `pool` does. */
  readonly accounts?: Queryable;
};

/**
 * Approves what waits, in the name of whoever acts in the pool's transactions. Returns the approval as it is then.
 * @throws NodalError `approval_not_found`, `approval_decided`, `approval_not_allowed` or `same_person`; `access_denied`
 * for a suspended merchant, `no_payout_provider` for a payout that its rail may not carry any more,
 * `beneficiary_not_approved` for one to a beneficiary that was deactivated since; of a stuck transfer what
 * `askBeforeApproval` and `applyResolution` say
 */
export function approve(context: DecisionContext, input: DecideApproval): Promise<Approval> {
  return decide(context, input, "approved");
}

/**
 * Rejects what waits: a transfer's money is back, a payee can't be paid, an account or policy stays as it was.
 * @throws NodalError `validation_failed` without a note; `approval_not_found`, `approval_decided`, `approval_not_allowed` or `same_person`
 */
export async function reject(context: DecisionContext, input: DecideApproval): Promise<Approval> {
  refuseWithoutReason(input.note);
  return decide(context, input, "rejected");
}

/**
 * Takes back what one has asked for oneself. What follows is the same as when somebody rejects it.
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
    // Only now: what was decided with this key before is answered, whatever the provider says since.
    if (asked instanceof NodalError) throw asked;
    await conclude(connection, Temporal.Now.instant(), approval, decision, note, { actor, word: asked });
    return {};
  });
  const [decided] = await findApprovals(pool, { bucket, merchantId }, [approvalId]);
  return decided!;
}

/**
 * Asks the provider of a stuck transfer whose resolution is to be approved, before anything is locked. `null` for all other
 * approvals, and what is decided.
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
 * Writes a decision, with all that follows from it. The caller holds the approval, which is open, by the journal too: `refuseDecided`.
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
