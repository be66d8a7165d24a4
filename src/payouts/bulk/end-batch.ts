// What ends a batch, or lets it begin: it is cancelled, approved or rejected; one payout of a later day is cancelled.
// What was requested goes its way as any transfer.
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
/** No day is later: what is left of a cancelled batch is due, whatever its day. */
const LAST_DAY = Temporal.PlainDate.from("9999-12-31");

/**
 * Cancels what has not been requested of a batch. Returns how many payouts that was.
 * @throws NodalError `batch_not_found`; `batch_state` where it waits for approval, or nothing of it waits any more
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
    // What is being requested goes on; no other line of a cancelled batch is paid.
    const lines = await listRequestedLines(connection, key);
    const after = { ...auditValues({ cancelledPayouts: cancelled }), ...(lines.length > 0 ? { lines } : {}) };
    await recordEvents(connection, key, [{ type: BATCH_CANCELLED, subjectId: batchId, after }]);
    return cancelled;
  });
}

/**
 * Cancels a payout of a later day by its reference, also one of a batch. Returns it as it stood.
 * @throws NodalError `transfer_not_found`; `batch_state` where its day has come, or its batch waits for approval
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
    // What is left of many, and whether it is finished, is looked at by the worker.
    const alone = { status: "cancelled", isApproved, finishedAt: now, dueAt: null } as const;
    await setBatchStatus(connection, key, batch.kind === "scheduled" ? alone : { ...batch, dueAt: now });
    await recordEvents(connection, key, [
      { type: SCHEDULED_CANCELLED, subjectId: line.transferId, after: { reference_id: referenceId } },
    ]);
    return line;
  });
}

/**
 * Lets a batch begin that waited for a second person: none of its payouts is asked about by itself. The caller has locked its
 * approval, which is open.
 * @throws NodalError `batch_state` for one that came back with a backup
 */
export async function releaseBatch(connection: Connection, now: Temporal.Instant, key: BatchKey): Promise<void> {
  if (!(await takeWaiting(connection, key))) {
    throw new NodalError("batch_state", "This batch has already ended without a decision: request it again.");
  }
  await setBatchStatus(connection, key, { status: "running", isApproved: true, finishedAt: null, dueAt: now });
}

/** Ends a batch that nobody approved: nothing of it is paid. */
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

/** What a second person decides about is left as it was asked for. */
function refuseWaiting({ status }: PayoutBatch): void {
  if (status !== "awaiting_approval") return;
  throw new NodalError("batch_state", "This batch is waiting for approval: reject the request to cancel it.");
}

/** Locks a batch and the merchant's book. Returns whether it waits for a second person. */
async function takeWaiting(connection: Connection, key: BatchKey): Promise<boolean> {
  const batch = await findBatch(connection, key, true);
  await lockBook(connection, key.bucket, key.merchantId);
  return batch?.status === "awaiting_approval";
}
