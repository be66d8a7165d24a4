// SQL of automatic payouts of commission: for whom one is due, and when the next one is.
import type { MerchantKey } from "../merchants/index.ts";
import type { Connection, Queryable } from "../platform/database/pool.ts";
import type { Row } from "../platform/database/table.ts";
import { readSecretRows } from "../platform/secrets/index.ts";
import { FRANCHISES } from "./franchise-store.ts";
import type { Franchise } from "./franchise.ts";

/**
 * A franchise whose automatic payout is due, with the time zone of its merchant's days and what the clock shows there.
 */
export type DuePayout = {
  readonly franchise: Franchise;
  readonly timeZone: string;
  readonly merchantNow: Temporal.Instant;
};

/** An automatic payout whose time comes in a span, by its place among all of them. */
const payoutsDue = (span: string): string => `(
  select franchise.*, merchant.time_zone, merchant_now($1, time_zone, live, clock_date) as merchant_now
  from merchant
  join franchise using (bucket, merchant_id)
  where settlement_type = 'Auto' and online_settlement and deleted_at is null and merchant.status = 'active' and ${span}
    and ($2::timestamptz is null or (next_payout_at, bucket, merchant_id, franchise_id) > ($2, $3, $4, $5))
    and ($7::smallint is null or (bucket = $7 and merchant_id = $8))
  order by next_payout_at, bucket, merchant_id, franchise_id
  limit $6)`;

const FIND_DUE_PAYOUTS = `
  ${payoutsDue("next_payout_at <= $1")}
  union all
  ${payoutsDue(`merchant.clock_date is not null and not merchant.live and next_payout_at > $1
    and next_payout_at <= merchant_now($1, time_zone, live, clock_date)`)}
  order by next_payout_at, bucket, merchant_id, franchise_id
  limit $6`;

/**
 * Franchises whose automatic payout is due by the clock of their merchant, longest due first, those after the given
 * one: of all merchants, or of one. Nothing is locked.
 */
export async function findDuePayouts(
  db: Queryable,
  now: Temporal.Instant,
  after: Franchise | null,
  limit: number,
  merchant: MerchantKey | null = null,
): Promise<DuePayout[]> {
  const { rows } = await db.query<Row & { time_zone: string; merchant_now: Temporal.Instant }>(FIND_DUE_PAYOUTS, [
    now.toString(),
    after?.nextPayoutAt.toString() ?? null,
    after?.bucket ?? null,
    after?.merchantId ?? null,
    after?.franchiseId ?? null,
    limit,
    merchant?.bucket ?? null,
    merchant?.merchantId ?? null,
  ]);
  return readSecretRows(db, rows, (row, secrets) => ({
    franchise: FRANCHISES.read(row, secrets),
    timeZone: row.time_zone,
    merchantNow: row.merchant_now,
  }));
}

/** Lets no automatic payout of a merchant's be later than the given time, where the merchant's clock went back. */
export async function bringPayoutsForward(
  connection: Connection,
  { bucket, merchantId }: MerchantKey,
  latest: Temporal.Instant,
): Promise<void> {
  await connection.query(
    "update franchise set next_payout_at = $3 where bucket = $1 and merchant_id = $2 and next_payout_at > $3",
    [bucket, merchantId, latest.toString()],
  );
}

/** Takes a due payout for this transaction by saying when the next one is due. Returns false where another took it. */
export async function takeDuePayout(
  connection: Connection,
  { bucket, merchantId, franchiseId, nextPayoutAt }: Franchise,
  next: Temporal.Instant,
): Promise<boolean> {
  const { rowCount } = await connection.query(
    `update franchise set next_payout_at = $5
     where bucket = $1 and merchant_id = $2 and franchise_id = $3 and next_payout_at = $4 and deleted_at is null
       and settlement_type = 'Auto' and online_settlement`,
    [bucket, merchantId, franchiseId, nextPayoutAt.toString(), next.toString()],
  );
  return rowCount === 1;
}
