// SQL of the messages that are owed to customers. Sending them is the notifications' business.
import type { MerchantKey } from "../merchants/index.ts";
import type { IdSource } from "../platform/database/ids.ts";
import type { Connection } from "../platform/database/pool.ts";

/** What a message is about: an invoice, or the settlement that a receipt is for. */
export type Owed = { readonly subjectId: bigint; readonly customerId: bigint };

/** Owes customers a message each. It is sent only if the caller's transaction commits. */
export async function queueNotifications(
  connection: Connection,
  ids: IdSource,
  { bucket, merchantId }: MerchantKey,
  kind: "invoice" | "receipt",
  owed: readonly Owed[],
): Promise<void> {
  if (owed.length === 0) return;
  const notificationIds: bigint[] = [];
  for (const _message of owed) notificationIds.push(await ids.next());
  await connection.query(
    `insert into notification (bucket, merchant_id, notification_id, kind, subject_id, customer_id, created_at)
     select $1, $2, notification_id, $3, subject_id, customer_id, $7
     from unnest($4::bigint[], $5::bigint[], $6::bigint[]) as owed (notification_id, subject_id, customer_id)`,
    [
      bucket,
      merchantId,
      kind,
      notificationIds,
      owed.map((message) => message.subjectId),
      owed.map((message) => message.customerId),
      Temporal.Now.instant().toString(),
    ],
  );
}
