// A locked period: nothing more is posted to it. docs/accounts.md#locked-periods
import type { Connection } from "../platform/database/pool.ts";
import { detailOf } from "../platform/database/failure.ts";
import { fieldsRefusal, NodalError, type FieldError } from "../platform/errors.ts";
import type { BookEntry } from "./book-store.ts";
import { failOnLockedDays, type BookSetting } from "./setting-store.ts";

/** The error of `refuse_locked_day`. */
const LOCKED_DAY = "ND001";

/** Whether a day is locked for postings. */
export function isLocked(lockedUntil: Temporal.PlainDate | null, day: Temporal.PlainDate): boolean {
  return lockedUntil !== null && Temporal.PlainDate.compare(day, lockedUntil) <= 0;
}

/** A day, or the first open one if it is locked: for events without a date. */
export function openDay(
  { lockedUntil }: Pick<BookSetting, "lockedUntil">,
  day: Temporal.PlainDate,
): Temporal.PlainDate {
  return isLocked(lockedUntil, day) ? lockedUntil!.add({ days: 1 }) : day;
}

/** The error of a field whose day is locked. */
export function lockedDayError(field: string, lockedUntil: Temporal.PlainDate): FieldError {
  const problem = `must be after ${lockedUntil.toString()}: the books are locked until then. Use a later date, or unlock the period in the settings of the books.`;
  return { field, code: "period_locked", problem };
}

/**
 * Refuses postings to locked days. The caller has locked the merchants' books, so that no period can be locked meanwhile.
 * @throws NodalError `period_locked`, naming the field of the day
 */
export async function refuseLockedPeriods(connection: Connection, entries: readonly BookEntry[]): Promise<void> {
  if (entries.length === 0) return;
  try {
    await failOnLockedDays(connection, earliestOf(entries));
  } catch (error) {
    throw refusalOf(error, entries) ?? error;
  }
}

/** The earliest posting of each merchant. */
function earliestOf(entries: readonly BookEntry[]): BookEntry[] {
  const earliest = new Map<bigint, BookEntry>();
  for (const entry of entries) {
    const found = earliest.get(entry.merchantId);
    if (!found || Temporal.PlainDate.compare(entry.entryDate, found.entryDate) < 0)
      earliest.set(entry.merchantId, entry);
  }
  return [...earliest.values()];
}

function refusalOf(error: unknown, entries: readonly BookEntry[]): NodalError | null {
  const detail = detailOf(error, LOCKED_DAY);
  if (detail === null) return null;
  const [merchantId = "", day = "", until = ""] = detail.split(" ");
  const lockedUntil = Temporal.PlainDate.from(until);
  const found = entries.find((each) => String(each.merchantId) === merchantId && each.entryDate.toString() === day);
  if (found?.dateField) return fieldsRefusal("period_locked", [lockedDayError(found.dateField, lockedUntil)]);
  const message = `It is dated ${day}, and the books are locked until ${until}: record what is different with a later date, such as a credit note, or unlock the period in the settings of the books.`;
  return new NodalError("period_locked", message);
}
