// One use case: somebody decides several approvals alike. Each is a decision of its own, with its own transaction and outcome.
import { refuseWithoutReason, type Approval, type IdempotencyKey } from "../merchants/index.ts";
import { eachOutcome } from "../platform/database/each-outcome.ts";
import type { NodalError } from "../platform/errors.ts";
import { approve, reject, type DecisionContext } from "./decide-approval.ts";

/** More than a page of a list is not looked at before it is decided. */
export const MAX_AT_ONCE = 100;

type DecideMany = {
  readonly decision: "approve" | "reject";
  readonly note: string;
  readonly approvals: readonly { readonly approvalId: bigint; readonly idempotency: IdempotencyKey }[];
};

/** The approval as it is after the decision, or why it was not decided. */
export type DecisionOutcome = { readonly approvalId: bigint; readonly outcome: Approval | NodalError };

/**
 * Decides one after the other, so that they take one connection at a time. One that is refused leaves the others as they are;
 * what is sent again with the same keys goes on where it was cut off.
 * @throws NodalError `validation_failed` where they are rejected without a note; what is no refusal of one of them, such as a database that is away
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
