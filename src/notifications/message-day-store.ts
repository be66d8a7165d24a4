// SQL of the number of messages that a merchant has sent on a day: the table message_day.
import type { MerchantKey } from "../merchants/index.ts";
import { inTransaction, type Connection, type Pool, type Queryable } from "../platform/database/pool.ts";
import { addressKey } from "./notification.ts";

/** To customers, about logins, or about approvals. Each is counted separately, so that a flood of one doesn't stop the others. */
export type MessagePurpose = "customers" | "logins" | "approvals";

export type MessageCount = MerchantKey & {
  readonly day: Temporal.PlainDate;
  readonly purpose: MessagePurpose;
  readonly recipient: string;
};

/** The daily limits of a merchant's messages, in all and to one recipient. */
export type MessageLimits = { readonly all: number; readonly toOne: number };

/** The count of all of a merchant's messages has no recipient. */
const ALL = "";

/** Counts a message that is about to be handed over. Returns the limit that it would exceed; it does not count then. */
export async function takeMessage(
  pool: Pool,
  count: MessageCount,
  limits: MessageLimits,
): Promise<keyof MessageLimits | null> {
  return inTransaction(pool, async (connection) => {
    // Always in this order, so that there are no deadlocks.
    if (!(await takeOne(connection, count, ALL, limits.all))) return "all";
    if (await takeOne(connection, count, addressKey(count.recipient), limits.toOne)) return null;
    await giveBack(connection, count, [ALL]);
    return "toOne";
  });
}

async function takeOne(
  connection: Connection,
  { bucket, merchantId, day, purpose }: MessageCount,
  recipient: string,
  limit: number,
): Promise<boolean> {
  if (limit <= 0) return false;
  const { rowCount } = await connection.query({
    name: "take-message",
    text: `insert into message_day (bucket, merchant_id, day, purpose, recipient, messages)
      values ($1, $2, $3, $4, $5, 1)
      on conflict (bucket, merchant_id, day, purpose, recipient) do update
      set messages = message_day.messages + 1 where message_day.messages < $6`,
    values: [bucket, merchantId, day.toString(), purpose, recipient, limit],
  });
  return rowCount === 1;
}

/** Undoes `takeMessage` if the message was not handed over after all. */
export async function giveMessageBack(db: Queryable, count: MessageCount): Promise<void> {
  await giveBack(db, count, [ALL, addressKey(count.recipient)]);
}

async function giveBack(
  db: Queryable,
  { bucket, merchantId, day, purpose }: MessageCount,
  recipients: readonly string[],
): Promise<void> {
  await db.query({
    name: "give-message-back",
    text: `update message_day set messages = messages - 1
      where bucket = $1 and merchant_id = $2 and day = $3 and purpose = $4 and recipient = any ($5::text[]) and messages > 0`,
    values: [bucket, merchantId, day.toString(), purpose, recipients],
  });
}

/** Deletes the counts of days that are over in all time zones, for all merchants. */
export async function forgetMessageDays(db: Queryable): Promise<void> {
  await db.query("delete from message_day where day < current_date - 2");
}
