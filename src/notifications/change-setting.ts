// Changes and copies a merchant's notification settings: when customers are reminded, and on which channels.
import { auditChange, recordEvents } from "../ledger/index.ts";
import type { MerchantKey, ReadContext } from "../merchants/index.ts";
import { inTransaction, type Connection } from "../platform/database/pool.ts";
import { CHANNELS } from "./notification.ts";
import { findSetting, saveSetting, type NotificationSetting } from "./setting-store.ts";

/** `null` leaves a member unchanged. Days and channels may be in any order. */
export type ChangeSetting = { readonly [Name in keyof NotificationSetting]: NotificationSetting[Name] | null };

/** Changes the given members. Returns the new setting: days and channels in order, each once. */
export async function changeSetting(
  { pool, merchant }: ReadContext,
  { reminderDays, channels }: ChangeSetting,
): Promise<NotificationSetting> {
  return inTransaction(pool, async (connection) => {
    const before = await findSetting(connection, merchant);
    const after = {
      // Adding 0 makes 0 of -0.
      reminderDays: reminderDays
        ? [...new Set(reminderDays.map((day) => day + 0))].toSorted((a, b) => a - b)
        : before.reminderDays,
      channels: channels ? CHANNELS.filter((name) => channels.includes(name)) : before.channels,
    };
    await writeSetting(connection, merchant, before, after);
    return after;
  });
}

/** Copies a merchant's setting to a new merchant. */
export async function copySetting(connection: Connection, from: MerchantKey, to: MerchantKey): Promise<void> {
  const [before, after] = [await findSetting(connection, to), await findSetting(connection, from)];
  if (Object.keys(auditChange(before, after).after ?? {}).length > 0) await writeSetting(connection, to, before, after);
}

async function writeSetting(
  connection: Connection,
  merchant: MerchantKey,
  before: NotificationSetting,
  after: NotificationSetting,
): Promise<void> {
  await saveSetting(connection, merchant, after);
  const changed = { type: "notification_setting.changed", subjectId: merchant.merchantId };
  await recordEvents(connection, merchant, [{ ...changed, ...auditChange(before, after) }]);
}
