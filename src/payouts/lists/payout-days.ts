// The totals of payouts on each of the last days. Past days are summed once and stored. payout-day-store.ts has the SQL.
import { findFirstEntry } from "../../ledger/index.ts";
import type { Merchant, ReadContext } from "../../merchants/index.ts";
import { keepDays, listKeptDays, sumPayoutDays, type PayoutDay } from "./payout-day-store.ts";

/** How long after its end a day may still get postings, from transactions that began before. */
const CLOSING_HOURS = 1;

/**
 * The payouts of the last `count` days, including today, in order. Days are in the merchant's time zone. Like postings, they use real
 * time even if a sandbox clock was moved.
 */
export async function readPayoutDays(
  { pool: db, merchant }: ReadContext<Merchant>,
  count: number,
): Promise<PayoutDay[]> {
  const { timeZone } = merchant;
  const now = Temporal.Now.zonedDateTimeISO(timeZone);
  const firstDay = now.toPlainDate().subtract({ days: count - 1 });
  const days = Array.from({ length: count }, (_, index) => firstDay.add({ days: index }));
  const kept = await listKeptDays(db, merchant, timeZone, firstDay);
  // Today is never over, even if the clock was ahead before.
  const missing = days.findIndex((day, index) => index === count - 1 || !kept[index]?.day.equals(day));

  const since = days[missing]!.toZonedDateTime({ timeZone }).toInstant();
  const summed = await sumPayoutDays(db, merchant, await findFirstEntry(db, merchant, since), timeZone);
  const byDay = new Map(summed.map((each) => [each.day.toString(), each]));
  const found = days.slice(missing).map((day) => byDay.get(day.toString()) ?? nothingOn(day));
  const today = now.subtract({ hours: CLOSING_HOURS }).toPlainDate();
  const over = found.filter(({ day }) => Temporal.PlainDate.compare(day, today) < 0);
  if (over.length > 0) await keepDays(db, merchant, timeZone, firstDay, over);
  return [...kept.slice(0, missing), ...found];
}

function nothingOn(day: Temporal.PlainDate): PayoutDay {
  return {
    day,
    acceptedCount: 0n,
    acceptedPaise: 0n,
    paidCount: 0n,
    paidPaise: 0n,
    returnedCount: 0n,
    returnedPaise: 0n,
    inPaise: 0n,
    outPaise: 0n,
  };
}
