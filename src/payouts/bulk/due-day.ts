// When a day begins, for payouts that wait for one: docs/rules/payouts.md#later-days.

/** The zone in which days begin first. */
const EARLIEST_ZONE = "Etc/GMT-14";

/**
 * When to look after what waits for a day, which begins in the merchant's time zone. Days of the earliest zone come first:
 * a merchant may change its zone meanwhile, and whoever looks then sees how long it still is.
 */
export function dayBegins(day: Temporal.PlainDate, timeZone: string, now = Temporal.Now.instant()): Temporal.Instant {
  const earliest = day.toZonedDateTime(EARLIEST_ZONE).toInstant();
  return Temporal.Instant.compare(earliest, now) > 0 ? earliest : day.toZonedDateTime(timeZone).toInstant();
}
