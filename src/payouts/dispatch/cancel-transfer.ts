// Use case: cancels a transfer that waits and was never sent.
import { lockBook } from "../../ledger/index.ts";
import type { ReadContext } from "../../merchants/index.ts";
import { inTransaction } from "../../platform/database/pool.ts";
import { NodalError } from "../../platform/errors.ts";
import { findTransfer } from "../transfer-store.ts";
import { isOpen, type Transfer } from "../transfer.ts";
import { endUnsent } from "./unsent-store.ts";

const REASON = "Cancelled before it was sent.";

/**
 * Cancels a transfer that was certainly never sent, and releases its amount. Repeating it changes nothing. The merchant's book is held
 * while the transfer leaves the queue, so nobody sends it meanwhile.
 * @throws NodalError `not_found`, `not_cancellable` if it may have been sent, has ended, or waits for approval
 */
export async function cancelTransfer(
  { pool, merchant: { bucket, merchantId } }: ReadContext,
  transferId: bigint,
): Promise<Transfer> {
  return inTransaction(pool, async (connection) => {
    await lockBook(connection, bucket, merchantId);
    const identity = { bucket, merchantId, transferId };
    const end = { state: "REJECTED", reason: REASON, origin: null } as const;
    const [ended] = await endUnsent(connection, Temporal.Now.instant(), { bucket, merchantId }, [transferId], end);
    const transfer = await findTransfer(connection, identity);
    if (!transfer) throw new NodalError("not_found", "This transfer does not exist.");
    const isCancelled = transfer.state === "REJECTED" && transfer.reason === REASON;
    if (ended !== undefined || isCancelled) return transfer;
    throw new NodalError("not_cancellable", whyNot(transfer));
  });
}

function whyNot({ state }: Transfer): string {
  if (state === "AWAITING_APPROVAL")
    return "This payout is waiting for approval: withdraw or reject the request instead.";
  if (isOpen(state)) return "This payout may have been sent already: it can't be cancelled.";
  return "This payout has already ended: it can't be cancelled.";
}
