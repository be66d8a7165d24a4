// What day it is for a merchant.
// What belongs here: the one rule that every due date, list and schedule goes by.
import type { Merchant } from "./merchant.ts";

/** What decides a merchant's day. */
export type MerchantClock = Pick<Merchant, "timeZone" | "live" | "clockDate">;

/**
 * Today where the merchant is. A merchant in the sandbox may have moved its clock ahead: then it is that day, until the
 * real date has passed it.
 */
export function todayOf(merchant: MerchantClock, now = Temporal.Now.instant()): Temporal.PlainDate {
  const real = now.toZonedDateTimeISO(merchant.timeZone).toPlainDate();
  const { clockDate } = merchant;
  if (merchant.live || clockDate === null) return real;
  return Temporal.PlainDate.compare(clockDate, real) > 0 ? clockDate : real;
}

/**
 * The instant that the merchant's clock shows: the present one, on the day that it is there. The same as merchant_now in
 * the database.
 */
export function nowOf(merchant: MerchantClock, now = Temporal.Now.instant()): Temporal.Instant {
  const real = now.toZonedDateTimeISO(merchant.timeZone);
  return todayOf(merchant, now).toZonedDateTime({ timeZone: merchant.timeZone, plainTime: real }).toInstant();
}
