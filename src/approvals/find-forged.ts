// Checks that the server wrote requests for approval: before a decision takes effect, and in `nodal verify`.
import { hasEvent, type Violation } from "../ledger/index.ts";
import {
  isRequestProved,
  listProvedApprovals,
  type Approval,
  type ApprovalKey,
  type HeldApproval,
  type MerchantKey,
  type ProvedApproval,
} from "../merchants/index.ts";
import { isOfPayout, readRequestFacts } from "../payouts/index.ts";
import { everyRow, type Connection, type Queryable } from "../platform/database/pool.ts";
import { NodalError } from "../platform/errors.ts";
import { secretsOf } from "../platform/secrets/index.ts";

const PAGE_APPROVALS = 1000;
const DECISIONS = ["approval.approved", "approval.rejected", "approval.withdrawn", "approval.expired"];

/**
 * Refuses to approve a request that was changed or inserted with SQL.
 * @throws NodalError `approval_not_allowed`
 */
export async function refuseForged(connection: Connection, { approval, proof }: HeldApproval): Promise<void> {
  const { subjectId, kind } = approval;
  const facts = isOfPayout(kind) ? (await readRequestFacts(connection, approval, [subjectId])).get(subjectId) : [];
  const isProved = facts && isRequestProved(await secretsOf(connection), approval, facts, proof);
  if (isProved) return;
  throw new NodalError(
    "approval_not_allowed",
    "The database was changed since this was requested: ask the operator to run `nodal verify`. Nothing was changed.",
  );
}

/**
 * Refuses to decide an approval that was decided before according to the journal, and was reopened with SQL.
 * @throws NodalError `approval_not_allowed`
 */
export async function refuseDecided(connection: Connection, approval: ApprovalKey): Promise<void> {
  if (!(await hasEvent(connection, approval, approval.approvalId, DECISIONS))) return;
  throw new NodalError(
    "approval_not_allowed",
    `Approval ${approval.approvalId} was already decided, and was opened again in the database: ask the operator to run \`nodal verify\`. Nothing was changed.`,
  );
}

/** Finds requests, open and decided, that were changed or inserted with SQL themselves or in their payout. */
export async function findForgedApprovals(db: Queryable, scope: MerchantKey | null): Promise<Violation[]> {
  const violations: Violation[] = [];
  const checked = everyRow<CheckedApproval>(PAGE_APPROVALS, (last, limit) => checkPage(db, scope, last, limit));
  for await (const { merchantId, approvalId, isProved } of checked) {
    if (isProved) continue;
    const [what, expected, found] = [`approval ${approvalId}`, "what the server wrote", "something else"];
    violations.push({ check: "approval_proof", merchantId, subjectId: approvalId, what, expected, found });
  }
  return violations;
}

type CheckedApproval = ApprovalKey & { readonly isProved: boolean };

async function checkPage(
  db: Queryable,
  scope: MerchantKey | null,
  after: ApprovalKey | null,
  limit: number,
): Promise<CheckedApproval[]> {
  const page = await listProvedApprovals(db, scope, after, limit);
  const facts = await readPageFacts(db, page);
  const secrets = await secretsOf(db);
  return page.map(({ bucket, merchantId, approvalId, approval, proof }) => {
    const said = approval && (isOfPayout(approval.kind) ? facts.get(approval.subjectId) : []);
    const isProved = Boolean(said && isRequestProved(secrets, approval, said, proof));
    return { bucket, merchantId, approvalId, isProved };
  });
}

/** Reads the facts of the payouts of a page of approvals, merchant by merchant. */
async function readPageFacts(db: Queryable, page: readonly ProvedApproval[]): Promise<Map<bigint, readonly string[]>> {
  const facts = new Map<bigint, readonly string[]>();
  const ofPayouts = page.flatMap(({ approval }) => (approval && isOfPayout(approval.kind) ? [approval] : []));
  for (const approvals of Map.groupBy(ofPayouts, ({ merchantId }: Approval) => merchantId).values()) {
    const ids = approvals.map(({ subjectId }) => subjectId);
    for (const [transferId, said] of await readRequestFacts(db, approvals[0]!, ids)) facts.set(transferId, said);
  }
  return facts;
}
