// One use case: an operator changes when a merchant's customers are reminded, and on which channels they are written to.
import { auditChange, recordEvents } from "../ledger/index.ts";
import type { MerchantKey } from "../merchants/index.ts";
import { inTransaction, type Pool } from "../platform/database/pool.ts";
import { findSetting, saveSetting, type NotificationSetting } from "./setting-store.ts";

/** Changes what is given and nothing else. Answers the setting as it is then. */
export async function changeSetting(
  pool: Pool,
  merchant: MerchantKey,
  { reminderDays, channels }: { readonly [Name in keyof NotificationSetting]: NotificationSetting[Name] | null },
): Promise<NotificationSetting> {
  return inTransaction(pool, async (connection) => {
    const before = await findSetting(connection, merchant);
    const after = { reminderDays: reminderDays ?? before.reminderDays, channels: channels ?? before.channels };
    await saveSetting(connection, merchant, after);
    const changed = { type: "notification_setting.changed", subjectId: merchant.merchantId };
    await recordEvents(connection, merchant, [{ ...changed, ...auditChange(before, after) }]);
    return after;
  });
}
