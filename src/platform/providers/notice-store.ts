// SQL of providers' webhooks, for all products that use providers.
import { takeOnNodes } from "../database/citus/index.ts";
import type { Queryable } from "../database/pool.ts";
import type { AccountKey } from "./webhook.ts";

/** The product that uses the accounts. Each processes its own notices. */
export type Product = "payouts";

/** A webhook to process, and its subject. */
export type DueNotice = AccountKey & {
  readonly eventId: string;
  readonly subjectId: bigint;
  /** The status that it claims, in the product's words; `null` for none. */
  readonly claims: string | null;
  /** How often it was claimed, including this time. */
  readonly tries: number;
};

/** Saves a webhook, unless its event is already saved. */
export async function insertNotice(
  db: Queryable,
  product: Product,
  { bucket, merchantId, accountId }: AccountKey,
  { eventId, subjectId, claims }: Pick<DueNotice, "eventId" | "claims"> & { readonly subjectId: bigint | null },
): Promise<void> {
  await db.query({
    name: "insert-provider-notice",
    text: `insert into provider_notice (bucket, merchant_id, account_id, event_id, subject_id, claims, received_at, due_at, product)
      values ($1, $2, $3, $4, $5, $6, now(), case when $5::bigint is not null then now() end, $7)
      on conflict do nothing`,
    values: [bucket, merchantId, accountId, eventId, subjectId, claims, product],
  });
}

/**
 * Claims due webhooks, oldest first, a few of each merchant, without excluded merchants. Each is due again after a
 * growing delay unless it is settled, since the process may die.
 */
export async function takeDueNotices(
  db: Queryable,
  product: Product,
  limit: number,
  ofOneMerchant: number,
  exceptMerchantIds: readonly bigint[],
): Promise<DueNotice[]> {
  const due = { table: "provider_notice", condition: `product = '${product}' and due_at <= now()`, limit };
  return takeOnNodes(db, due, async (part, share) => {
    const { rows } = await part.query<{
      bucket: number;
      merchant_id: bigint;
      account_id: bigint;
      event_id: string;
      subject_id: bigint;
      claims: string | null;
      tries: number;
    }>({
      name: "take-due-provider-notices",
      text: `with due as (
        select
          bucket, merchant_id, account_id, event_id,
          now() + least(power(2, least(tries, 10)) * 5, 3600) * interval '1 s' as next_due_at
        from (
          select *, row_number() over (partition by merchant_id order by due_at) as place from (
            select * from provider_notice where product = $4 and due_at <= now() and merchant_id <> all ($3::bigint[])
            order by due_at limit 1000
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
      returning notice.bucket, notice.merchant_id, notice.account_id, notice.event_id, notice.subject_id,
        notice.claims, notice.tries`,
      values: [share, ofOneMerchant, exceptMerchantIds, product],
    });
    return rows.map((row) => ({
      bucket: row.bucket,
      merchantId: row.merchant_id,
      accountId: row.account_id,
      eventId: row.event_id,
      subjectId: row.subject_id,
      claims: row.claims,
      tries: row.tries,
    }));
  });
}

/** Marks a webhook as processed. Its row stays, to recognize duplicates. */
export async function settleNotice(
  db: Queryable,
  { bucket, merchantId, accountId, eventId }: AccountKey & Pick<DueNotice, "eventId">,
): Promise<void> {
  await db.query({
    name: "settle-provider-notice",
    text: `update provider_notice set due_at = null
      where bucket = $1 and merchant_id = $2 and account_id = $3 and event_id = $4`,
    values: [bucket, merchantId, accountId, eventId],
  });
}

/** Deletes processed webhooks that were received before a time: providers retry for a day. */
export async function forgetNotices(db: Queryable, receivedBefore: Temporal.Instant): Promise<void> {
  await db.query("delete from provider_notice where due_at is null and received_at < $1", [receivedBefore.toString()]);
}
