// Use cases: cancel, approve or reject a batch, and cancel one scheduled payout. Requested payouts continue as transfers.
import { auditValues, lockBook, recordEvents } from "../../ledger/index.ts";
import type { ReadContext } from "../../merchants/index.ts";
import { inTransaction, type Connection } from "../../platform/database/pool.ts";
import { NodalError } from "../../platform/errors.ts";
import { findBatch, setBatchStatus } from "./batch-store.ts";
import { BATCH_CANCELLED, BATCH_REJECTED, SCHEDULED_CANCELLED } from "./ended-line-store.ts";
import {
  cancelWaitingLine,
  endWaitingLines,
  findLineByReference,
  listRequestedLines,
  readLinesLeft,
} from "./line-store.ts";
import { batchNotFound, type BatchKey, type LineOutcome, type PayoutBatch } from "./payout-batch.ts";

const CANCELLED = "It was cancelled before it was paid.";
/** No day is later: the rest of a cancelled batch is due regardless of its days. */
const LAST_DAY = Temporal.PlainDate.from("9999-12-31");

/**
 * Cancels the payouts of a batch that were not requested yet. Returns how many.
 * @throws NodalError `batch_not_found`; `batch_state` if it waits for approval or has no payouts left to cancel
 */
export function cancelBatch({ pool, merchant }: ReadContext, batchId: bigint): Promise<number> {
  const key = { bucket: merchant.bucket, merchantId: merchant.merchantId, batchId };
  return inTransaction(pool, async (connection) => {
    const batch = await findBatch(connection, key, true);
    if (!batch || batch.kind !== "bulk") throw batchNotFound();
    refuseWaiting(batch);
    const how = { state: "cancelled", code: null, reason: CANCELLED } as const;
    const cancelled = batch.status === "running" ? await endWaitingLines(connection, key, how) : 0;
    if (cancelled === 0) {
      throw new NodalError(
        "batch_state",
        "This batch has nothing left to cancel: all its payouts were requested or have ended.",
      );
    }
    const { isDue } = await readLinesLeft(connection, key, LAST_DAY);
    const now = Temporal.Now.instant();
    const { isApproved } = batch;
    await setBatchStatus(connection, key, {
      status: "cancelled",
      isApproved,
      finishedAt: now,
      dueAt: isDue ? now : null,
    });
    // Lines that are being requested continue; no other line of a cancelled batch is paid.
    const lines = await listRequestedLines(connection, key);
    const after = { ...auditValues({ cancelledPayouts: cancelled }), ...(lines.length > 0 ? { lines } : {}) };
    await recordEvents(connection, key, [{ type: BATCH_CANCELLED, subjectId: batchId, after }]);
    return cancelled;
  });
}

/**
 * Cancels a scheduled payout by its reference, in a batch or alone. Returns it as it was before.
 * @throws NodalError `transfer_not_found`; `batch_state` if its day has come, or its batch waits for approval
 */
export function cancelScheduled({ pool, merchant }: ReadContext, referenceId: string): Promise<LineOutcome> {
  const { bucket, merchantId } = merchant;
  return inTransaction(pool, async (connection) => {
    const line = await findLineByReference(connection, { bucket, merchantId }, referenceId);
    if (!line?.scheduledFor) {
      throw new NodalError(
        "transfer_not_found",
        "No payout with this reference_id is scheduled: check the reference_id.",
      );
    }
    const key = { bucket, merchantId, batchId: line.batchId };
    const batch = (await findBatch(connection, key, true))!;
    refuseWaiting(batch);
    if (!(await cancelWaitingLine(connection, { ...key, lineNo: line.lineNo }, CANCELLED))) {
      throw new NodalError("batch_state", "This payout is no longer scheduled: check its status.");
    }
    const now = Temporal.Now.instant();
    const { isApproved } = batch;
    // For a bulk batch, the worker finds out whether it is finished.
    const alone = { status: "cancelled", isApproved, finishedAt: now, dueAt: null } as const;
    await setBatchStatus(connection, key, batch.kind === "scheduled" ? alone : { ...batch, dueAt: now });
    await recordEvents(connection, key, [
      { type: SCHEDULED_CANCELLED, subjectId: line.transferId, after: { reference_id: referenceId } },
    ]);
    return line;
  });
}

/**
 * Starts an approved batch: its payouts need no further approvals. The caller has locked its open approval.
 * @throws NodalError `batch_state` for one from a restored backup
 */
export async function releaseBatch(connection: Connection, now: Temporal.Instant, key: BatchKey): Promise<void> {
  if (!(await takeWaiting(connection, key))) {
    throw new NodalError("batch_state", "This batch has already ended without a decision: request it again.");
  }
  await setBatchStatus(connection, key, { status: "running", isApproved: true, finishedAt: null, dueAt: now });
}

/** Ends a batch that was not approved: nothing of it is paid. */
export async function refuseBatch(
  connection: Connection,
  now: Temporal.Instant,
  key: BatchKey,
  reason: string,
): Promise<void> {
  if (!(await takeWaiting(connection, key))) return;
  await endWaitingLines(connection, key, { state: "refused", code: "not_approved", reason });
  await setBatchStatus(connection, key, { status: "rejected", isApproved: false, finishedAt: now, dueAt: null });
  await recordEvents(connection, key, [{ type: BATCH_REJECTED, subjectId: key.batchId, after: { reason } }]);
}

/** A batch that waits for approval can't be changed. */
function refuseWaiting({ status }: PayoutBatch): void {
  if (status !== "awaiting_approval") return;
  throw new NodalError("batch_state", "This batch is waiting for approval: reject the request to cancel it.");
}

/** Locks a batch and the merchant's book. Returns whether it waits for approval. */
async function takeWaiting(connection: Connection, key: BatchKey): Promise<boolean> {
  const batch = await findBatch(connection, key, true);
  await lockBook(connection, key.bucket, key.merchantId);
  return batch?.status === "awaiting_approval";
}
