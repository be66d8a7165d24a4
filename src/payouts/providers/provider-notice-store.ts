// SQL of webhooks that providers have sent.
import { takeOnNodes } from "../../platform/database/citus/index.ts";
import type { Queryable } from "../../platform/database/pool.ts";
import type { PaymentStatus } from "../rails/rail.ts";
import type { TransferIdentity } from "../transfer.ts";
import type { ProviderAccountKey } from "./provider-account.ts";

/** A webhook that is to be worked off, and the transfer that it is about. */
export type DueNotice = TransferIdentity & {
  readonly accountId: bigint;
  readonly eventId: string;
  readonly claims: PaymentStatus | null;
  /** How often it was taken, this time included. */
  readonly tries: number;
};

/** Keeps a webhook. One whose event is there already is the same one again. */
export async function insertNotice(
  db: Queryable,
  { bucket, merchantId, accountId }: ProviderAccountKey,
  eventId: string,
  transferId: bigint | null,
  claims: PaymentStatus | null,
): Promise<void> {
  await db.query({
    name: "insert-provider-notice",
    text: `insert into provider_notice (bucket, merchant_id, account_id, event_id, transfer_id, claims, received_at, due_at)
      values ($1, $2, $3, $4, $5, $6, now(), case when $5::bigint is not null then now() end)
      on conflict do nothing`,
    values: [bucket, merchantId, accountId, eventId, transferId, claims],
  });
}

/**
 * Takes webhooks that are due, the longest waiting first, a few of each merchant, none of some. Each is due again after a while that grows,
 * unless it is settled: whoever takes it may die.
 */
export async function takeDueNotices(
  db: Queryable,
  limit: number,
  ofOneMerchant: number,
  exceptMerchantIds: readonly bigint[],
): Promise<DueNotice[]> {
  const due = { table: "provider_notice", condition: "due_at <= now()", limit };
  return takeOnNodes(db, due, async (part, share) => {
    const { rows } = await part.query<{
      bucket: number;
      merchant_id: bigint;
      account_id: bigint;
      event_id: string;
      transfer_id: bigint;
      claims: PaymentStatus | null;
      tries: number;
    }>({
      name: "take-due-provider-notices",
      text: `with due as (
        select
          bucket, merchant_id, account_id, event_id,
          now() + least(power(2, least(tries, 10)) * 5, 3600) * interval '1 s' as next_due_at
        from (
          select *, row_number() over (partition by merchant_id order by due_at) as place from (
            select * from provider_notice where due_at <= now() and merchant_id <> all ($3::bigint[]) order by due_at limit 1000
          ) as oldest
        ) as placed
        where place <= $2
        order by due_at
        limit $1
      )
      update provider_notice notice
      set tries = tries + 1, due_at = due.next_due_at
      from due
      where notice.bucket = due.bucket and notice.merchant_id = due.merchant_id and notice.account_id = due.account_id
        and notice.event_id = due.event_id and notice.due_at <= now()
      returning notice.bucket, notice.merchant_id, notice.account_id, notice.event_id, notice.transfer_id,
        notice.claims, notice.tries`,
      values: [share, ofOneMerchant, exceptMerchantIds],
    });
    return rows.map((row) => ({
      bucket: row.bucket,
      merchantId: row.merchant_id,
      accountId: row.account_id,
      eventId: row.event_id,
      transferId: row.transfer_id,
      claims: row.claims,
      tries: row.tries,
    }));
  });
}

/** The rail and the amount of a transfer; `null` where the merchant has no such transfer. */
export async function findTransferRail(
  db: Queryable,
  { bucket, merchantId, transferId }: TransferIdentity,
): Promise<{ readonly rail: string; readonly amountPaise: bigint } | null> {
  const { rows } = await db.query<{ rail: string; amount_paise: bigint }>({
    name: "find-transfer-rail",
    text: "select rail, amount_paise from transfer where bucket = $1 and merchant_id = $2 and transfer_id = $3",
    values: [bucket, merchantId, transferId],
  });
  return rows[0] ? { rail: rows[0].rail, amountPaise: rows[0].amount_paise } : null;
}

/** Notes that a webhook was worked off. Its row stays, so that the same event again is known. */
export async function settleNotice(
  db: Queryable,
  { bucket, merchantId, accountId, eventId }: Omit<DueNotice, "transferId">,
): Promise<void> {
  await db.query({
    name: "settle-provider-notice",
    text: `update provider_notice set due_at = null
      where bucket = $1 and merchant_id = $2 and account_id = $3 and event_id = $4`,
    values: [bucket, merchantId, accountId, eventId],
  });
}

/** Forgets webhooks that were worked off and received before a time: providers try for a day. */
export async function forgetNotices(db: Queryable, receivedBefore: Temporal.Instant): Promise<void> {
  await db.query("delete from provider_notice where due_at is null and received_at < $1", [receivedBefore.toString()]);
}
