// Use case: previews a payout. Nothing is written or promised. It uses the decision of the batch, so it can't differ from
// what a request would do.
import { BatchBook, readBalances } from "../../ledger/index.ts";
import type { MerchantKey } from "../../merchants/index.ts";
import type { Queryable } from "../../platform/database/pool.ts";
import type { NodalError } from "../../platform/errors.ts";
import { refusalOf } from "../make-payout.ts";
import { BatchDraft } from "./batch-draft.ts";
import { readPayers, readVerifiedPayees } from "./facts-store.ts";
import { readTerms } from "./write-payouts.ts";
import type { NewTransfer } from "../transfer-store.ts";

export type PayoutPreview = {
  readonly railMode: NewTransfer["railMode"];
  readonly availablePaise: bigint;
  /** The rest of the day's limit before this payout; `null` if the policy has none. */
  readonly leftTodayPaise: bigint | null;
  /** Whether a second person would have to approve it. */
  readonly needsApproval: boolean;
  /** Why it would be refused; `null` if it would be accepted. */
  readonly refusal: NodalError | null;
};

/** Judges a payout by the balance, the limits and the policy as they are now. */
export async function previewPayout(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  transfer: NewTransfer,
): Promise<PayoutPreview> {
  const now = Temporal.Now.instant();
  const key = { bucket, merchantId };
  const [facts] = await readPayers(db, [key]);
  const [terms] = await readTerms(db, now, [key], [facts!]);
  const { availablePaise } = await readBalances(db, bucket, merchantId);
  const { beneficiaryId } = transfer;
  const verified =
    beneficiaryId === null ? new Set<bigint>() : await readVerifiedPayees(db, [{ ...key, beneficiaryId }]);
  const book = new BatchBook(key, 0, { availablePaise, owedPaise: 0n, lastEntryNo: 0n, termsVersion: 0n });
  const leftTodayPaise = terms?.leftPaise ?? null;
  const draft = new BatchDraft(now, [{ ...facts!, book, terms: terms! }], verified);
  const outcome = draft.accept({ transfer, claim: false }, null);
  const isAccepted = outcome.outcome === "created" || outcome.outcome === "awaiting_approval";
  return {
    railMode: transfer.railMode,
    availablePaise,
    leftTodayPaise,
    needsApproval: outcome.outcome === "awaiting_approval",
    refusal: isAccepted ? null : refusalOf(outcome),
  };
}
