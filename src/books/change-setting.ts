// One use case: a merchant changes what it chose for its books.
import { auditChange, recordEvents } from "../ledger/index.ts";
import { lockMerchant, type MerchantKey, type ReadContext } from "../merchants/index.ts";
import { inTransaction, type Connection } from "../platform/database/pool.ts";
import { findBookSetting, saveBookSetting, type BookSetting } from "./setting-store.ts";

/** Changes the settings of a merchant's books, and returns them. */
export async function changeBookSetting({ pool, merchant }: ReadContext, after: BookSetting): Promise<BookSetting> {
  return inTransaction(pool, async (connection) => {
    await lockMerchant(connection, merchant);
    await writeSetting(connection, merchant, await findBookSetting(connection, merchant), after);
    return after;
  });
}

/** Gives another merchant, which is new, what one chose. */
export async function copyBookSetting(connection: Connection, from: MerchantKey, to: MerchantKey): Promise<void> {
  await writeSetting(connection, to, await findBookSetting(connection, to), await findBookSetting(connection, from));
}

async function writeSetting(
  connection: Connection,
  merchant: MerchantKey,
  before: BookSetting,
  after: BookSetting,
): Promise<void> {
  if (before.writeOffLimitPaise === after.writeOffLimitPaise) return;
  await saveBookSetting(connection, merchant, after);
  const changed = { type: "book_setting.changed", subjectId: merchant.merchantId };
  await recordEvents(connection, merchant, [{ ...changed, ...auditChange(before, after) }]);
}
