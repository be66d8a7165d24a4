// Use case: change the settings of a merchant's books.
import { auditChange, lockBook, recordEvents } from "../ledger/index.ts";
import { lockMerchant, todayOf, type Merchant, type MerchantKey, type ReadContext } from "../merchants/index.ts";
import { inTransaction, type Connection } from "../platform/database/pool.ts";
import { fieldRefusal } from "../platform/errors.ts";
import { findBookSetting, saveBookSetting, type BookSetting } from "./setting-store.ts";

/**
 * Changes the given settings of a merchant's books, and returns all settings. Once it has returned, nothing is posted to a period
 * that it locked.
 * @throws NodalError `validation_failed` for a lock that includes the merchant's current day, or a later one
 */
export async function changeBookSetting(
  { pool, merchant }: ReadContext<Merchant>,
  changes: Partial<BookSetting>,
): Promise<BookSetting> {
  const today = todayOf(merchant);
  if (changes.lockedUntil && Temporal.PlainDate.compare(changes.lockedUntil, today) >= 0) {
    const problem = `must be before today, ${today.toString()}: what happens today is still posted.`;
    throw fieldRefusal("validation_failed", "locked_until", problem);
  }
  return inTransaction(pool, async (connection) => {
    await lockMerchant(connection, merchant);
    const before = await findBookSetting(connection, merchant);
    const after = { ...before, ...changes };
    await writeSetting(connection, merchant, before, after);
    return after;
  });
}

/** Copies the settings to a new merchant. Its books have no period yet that could be locked. */
export async function copyBookSetting(connection: Connection, from: MerchantKey, to: MerchantKey): Promise<void> {
  const copied = { ...(await findBookSetting(connection, from)), lockedUntil: null };
  await writeSetting(connection, to, await findBookSetting(connection, to), copied);
}

async function writeSetting(
  connection: Connection,
  merchant: MerchantKey,
  before: BookSetting,
  after: BookSetting,
): Promise<void> {
  const isSame =
    before.writeOffLimitPaise === after.writeOffLimitPaise && sameDay(before.lockedUntil, after.lockedUntil);
  if (isSame) return;
  // Each posting locks the book until it has committed: src/books/locked-period.ts
  await lockBook(connection, merchant.bucket, merchant.merchantId);
  await saveBookSetting(connection, merchant, after);
  const changed = { type: "book_setting.changed", subjectId: merchant.merchantId };
  await recordEvents(connection, merchant, [{ ...changed, ...auditChange(before, after) }]);
}

function sameDay(one: Temporal.PlainDate | null, other: Temporal.PlainDate | null): boolean {
  return one?.toString() === other?.toString();
}
