// Use case: decides several approvals the same way. Each decision has its own transaction and outcome.
import { refuseWithoutReason, type Approval, type IdempotencyKey } from "../merchants/index.ts";
import { eachOutcome } from "../platform/database/each-outcome.ts";
import type { NodalError } from "../platform/errors.ts";
import { approve, reject, type DecisionContext } from "./decide-approval.ts";

/** Nobody reviews more than a page of a list before deciding. */
export const MAX_AT_ONCE = 100;

type DecideMany = {
  readonly decision: "approve" | "reject";
  readonly note: string;
  readonly approvals: readonly { readonly approvalId: bigint; readonly idempotency: IdempotencyKey }[];
};

/** The decided approval, or why it was not decided. */
export type DecisionOutcome = { readonly approvalId: bigint; readonly outcome: Approval | NodalError };

/**
 * Decides them one at a time, so that they take one connection. A refusal doesn't affect the others; repeating the request with the same
 * keys continues after an interruption.
 * @throws NodalError `validation_failed` for a rejection without a note; any error that is not a refusal, such as a database that is down
 */
export async function decideMany(
  context: Omit<DecisionContext, "idempotency">,
  { decision, note, approvals }: DecideMany,
) {
  if (decision === "reject") refuseWithoutReason(note);
  const decide = decision === "approve" ? approve : reject;
  const outcomes = await eachOutcome(approvals, ({ approvalId, idempotency }) =>
    decide({ ...context, idempotency }, { approvalId, note }),
  );
  return outcomes.map(({ item: { approvalId }, outcome }): DecisionOutcome => ({ approvalId, outcome }));
}
