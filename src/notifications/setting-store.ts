// SQL of merchants' notification settings: the channels to their customers, and when customers are reminded.
import { DEFAULT_CHANNELS } from "../invoices/index.ts";
import type { Merchant, MerchantKey } from "../merchants/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import type { ChannelName } from "./notification.ts";

/** How far a reminder may be from the due date in days, and how many of them a merchant may have. */
export const MAX_REMINDER_DAYS = 365;
export const MAX_REMINDERS = 12;

export type NotificationSetting = {
  readonly channels: readonly ChannelName[];
  /** Days after the due date, negative before it, in order. */
  readonly reminderDays: readonly number[];
};

/** A merchant that reminds its customers, with what decides its day. */
export type Reminding = MerchantKey & Pick<Merchant, "timeZone" | "live" | "clockDate"> & NotificationSetting;

type SettingRow = { channels: ChannelName[]; reminder_days: number[] };

/** A merchant's setting, or the default. */
export async function findSetting(db: Queryable, { bucket, merchantId }: MerchantKey): Promise<NotificationSetting> {
  const { rows } = await db.query<SettingRow>(
    "select channels, reminder_days from notification_setting where bucket = $1 and merchant_id = $2",
    [bucket, merchantId],
  );
  const [row] = rows;
  if (!row) return { channels: DEFAULT_CHANNELS as readonly ChannelName[], reminderDays: [] };
  return { channels: row.channels, reminderDays: row.reminder_days };
}

/** Writes a merchant's setting. Its reminders of today are checked again. */
export async function saveSetting(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  { channels, reminderDays }: NotificationSetting,
): Promise<void> {
  await db.query(
    `insert into notification_setting (bucket, merchant_id, channels, reminder_days) values ($1, $2, $3, $4)
     on conflict (bucket, merchant_id) do update
     set channels = excluded.channels, reminder_days = excluded.reminder_days, reminded_on = null`,
    [bucket, merchantId, channels, reminderDays],
  );
}

/** Today of the merchant's clock is the same as todayOf in src/merchants/merchant.ts. */
const IS_OWED_TODAY = `reminded_on is distinct from
  (merchant_now(now(), time_zone, live, clock_date) at time zone time_zone)::date`;

/**
 * The active merchants that remind their customers and have not had all reminders of their today queued; if one merchant is given, only that one,
 * even if its reminders were queued.
 */
export async function listReminding(db: Queryable, merchant: MerchantKey | null): Promise<Reminding[]> {
  const { rows } = await db.query<
    SettingRow & {
      bucket: number;
      merchant_id: bigint;
      time_zone: string;
      live: boolean;
      clock_date: Temporal.PlainDate | null;
    }
  >(
    `select bucket, merchant_id, channels, reminder_days, time_zone, live, clock_date
     from notification_setting
     -- One look-up each: PostgreSQL would otherwise read all merchants, few of which may have reminders.
     cross join lateral (
       select time_zone, live, clock_date, status from merchant
       where merchant.bucket = notification_setting.bucket and merchant.merchant_id = notification_setting.merchant_id
       limit 1
     ) as merchant
     where cardinality(reminder_days) > 0 and status = 'active'
       ${merchant === null ? `and ${IS_OWED_TODAY}` : "and bucket = $1 and merchant_id = $2"}
     order by bucket, merchant_id`,
    merchant === null ? [] : [merchant.bucket, merchant.merchantId],
  );
  return rows.map((row) => ({
    bucket: row.bucket,
    merchantId: row.merchant_id,
    channels: row.channels,
    reminderDays: row.reminder_days,
    timeZone: row.time_zone,
    live: row.live,
    clockDate: row.clock_date,
  }));
}

/** Notes the day for which all of a merchant's reminders have been queued. */
export async function markReminded(
  db: Queryable,
  { bucket, merchantId }: MerchantKey,
  day: Temporal.PlainDate,
): Promise<void> {
  await db.query("update notification_setting set reminded_on = $3 where bucket = $1 and merchant_id = $2", [
    bucket,
    merchantId,
    day.toString(),
  ]);
}
