// SQL of bank downtimes that providers report.
import type { Queryable } from "../../platform/database/pool.ts";
import type { RailMode } from "../rails/rail.ts";
import type { ProviderDowntime } from "./connector.ts";
import type { ProviderAccountKey } from "./provider-account.ts";

/** A downtime without a reported end expires after this time, since the webhook that ends it may be lost. */
export const STALE_AFTER_HOURS = 6;

/** Writes a reported downtime. An ended one stays ended, whatever the order of the webhooks. */
export async function writeDowntime(
  db: Queryable,
  { bucket, merchantId, accountId }: ProviderAccountKey,
  { downtimeId, modes, bank, begunAt, endedAt }: ProviderDowntime,
): Promise<void> {
  await db.query({
    name: "write-provider-downtime",
    text: `insert into provider_downtime (bucket, merchant_id, account_id, downtime_id, modes, bank, begun_at, ended_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8)
      on conflict (bucket, merchant_id, account_id, downtime_id)
      do update set ended_at = coalesce(provider_downtime.ended_at, excluded.ended_at)`,
    values: [bucket, merchantId, accountId, downtimeId, modes, bank, begunAt.toString(), endedAt?.toString() ?? null],
  });
  if (endedAt === null) return;
  // The documentation leaves open whether the two webhooks of a downtime have the same id.
  await db.query({
    name: "end-provider-downtimes",
    text: `update provider_downtime set ended_at = $6
      where bucket = $1 and merchant_id = $2 and account_id = $3 and bank = $4 and ended_at is null and begun_at <= $6
        and (cardinality($5::text[]) = 0 or (cardinality(modes) > 0 and modes <@ $5))`,
    values: [bucket, merchantId, accountId, bank, modes, endedAt.toString()],
  });
}

/** The downtimes of an account that may not be over. */
export async function listDowntimes(
  db: Queryable,
  { bucket, merchantId, accountId }: ProviderAccountKey,
): Promise<ProviderDowntime[]> {
  const { rows } = await db.query<{
    downtime_id: string;
    modes: RailMode[];
    bank: string;
    begun_at: Temporal.Instant;
    ended_at: Temporal.Instant | null;
  }>({
    name: "list-provider-downtimes",
    text: `select downtime_id, modes, bank, begun_at, ended_at from provider_downtime
      where bucket = $1 and merchant_id = $2 and account_id = $3
        and (ended_at > now() or (ended_at is null and begun_at > now() - $4 * interval '1 hour'))`,
    values: [bucket, merchantId, accountId, STALE_AFTER_HOURS],
  });
  return rows.map((row) => ({
    downtimeId: row.downtime_id,
    modes: row.modes,
    bank: row.bank,
    begunAt: row.begun_at,
    endedAt: row.ended_at,
  }));
}

/** Forgets downtimes that began before a time. */
export async function forgetDowntimes(db: Queryable, begunBefore: Temporal.Instant): Promise<void> {
  await db.query("delete from provider_downtime where begun_at < $1", [begunBefore.toString()]);
}
