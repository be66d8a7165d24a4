// Use case: mails a customer's statement of account, to the customer or another address.
import { refuseIfTooLong, requireAccountStatement, type AccountPeriod } from "../documents/index.ts";
import { recordEvents } from "../ledger/index.ts";
import { runIdempotently, type Answered, type Context, type Merchant } from "../merchants/index.ts";
import type { Pool } from "../platform/database/pool.ts";
import { NodalError } from "../platform/errors.ts";
import { insertStatementMail } from "./notification-store.ts";

/** Without `sendTo` it goes to the customer's own address. */
export type SendStatement = AccountPeriod & { readonly customerId: bigint; readonly sendTo: string | null };

/**
 * Queues one mail with a customer's statement of account and returns the message's id. It shows the books as they are when it is sent.
 * `reports` is the pool for reads of many rows.
 * @throws NodalError `customer_not_found`; `validation_failed` for a period with too many lines, or a customer without an address
 */
export async function sendStatement(
  { pool, ids, merchant, idempotency }: Context<Merchant>,
  reports: Pool,
  { customerId, sendTo: chosen, from, to }: SendStatement,
): Promise<Answered<{ readonly notificationId: string }>> {
  return runIdempotently(pool, merchant, idempotency, async (connection) => {
    const statement = await requireAccountStatement(reports, merchant, { customerId, franchiseId: null }, { from, to });
    refuseIfTooLong(statement);
    const sendTo = chosen ?? statement.customer.email;
    if (sendTo === "") {
      const message = "The customer has no e-mail address: add one, or say where to send it.";
      throw new NodalError("validation_failed", message);
    }
    const notificationId = await ids.next();
    const { bucket, merchantId } = merchant;
    const mail = { customerId, sendTo, from, to };
    await insertStatementMail(connection, { bucket, merchantId, notificationId }, mail);
    const after = { send_to: sendTo, from_date: from.toString(), to_date: to.toString() };
    await recordEvents(connection, merchant, [{ type: "customer.statement_queued", subjectId: customerId, after }]);
    return { notificationId: String(notificationId) };
  });
}
