// Use cases of operators: retry a message, and revive an address.
import { recordEvents } from "../ledger/index.ts";
import type { ReadContext } from "../merchants/index.ts";
import { inTransaction } from "../platform/database/pool.ts";
import { NodalError } from "../platform/errors.ts";
import { deleteDeadAddress } from "./address-store.ts";
import { findNotification, requeueNotification } from "./notification-store.ts";
import { canRetry, type Notification } from "./notification.ts";

/**
 * Queues a held, failed or suppressed message again. Returns the queued message.
 * @throws NodalError `not_found`, or `validation_failed` for one that waits already or was sent
 */
export async function retryNotification(
  { pool, merchant: { bucket, merchantId } }: ReadContext,
  notificationId: bigint,
): Promise<Notification> {
  const key = { bucket, merchantId, notificationId };
  return inTransaction(pool, async (connection) => {
    const notification = await findNotification(connection, key, true);
    if (!notification) throw notificationNotFound();
    if (!canRetry(notification)) {
      throw new NodalError(
        "validation_failed",
        `This message is ${notification.state}: only Held, Failed or Suppressed messages can be sent again.`,
      );
    }
    await requeueNotification(connection, key);
    const retried = (await findNotification(connection, key))!;
    const change = { before: { state: notification.state }, after: { state: retried.state } };
    await recordEvents(connection, key, [{ type: "mail.retried", subjectId: notificationId, ...change }]);
    return retried;
  });
}

/**
 * Revives a dead address. Messages that were suppressed meanwhile stay so until they are retried.
 * @throws NodalError `not_found` if the merchant has no such dead address
 */
export async function reviveAddress({ pool, merchant }: ReadContext, address: string): Promise<void> {
  await inTransaction(pool, async (connection) => {
    if (!(await deleteDeadAddress(connection, merchant, address))) {
      throw new NodalError("not_found", `${address} is not among this merchant's dead addresses: nothing was changed.`);
    }
    const revived = { type: "mail_address.revived", subjectId: merchant.merchantId, before: { dead: address } };
    await recordEvents(connection, merchant, [revived]);
  });
}

/** The refusal for a message that the merchant does not have. */
export function notificationNotFound(): NodalError {
  return new NodalError("not_found", "This message does not exist: check its id in the list.");
}
