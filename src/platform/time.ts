// Time: the API's timestamps and their time zones. Durations are milliseconds, named *_ms or *Ms.

/** `YYYY-MM-DD HH:MM:SS` of an instant in a time zone: docs/rules/values-and-errors.md#dates-and-times. */
export function formatTimestamp(instant: Temporal.Instant, timeZone: string): string;
/** The same, or `null` for what has not happened. */
export function formatTimestamp(instant: Temporal.Instant | null, timeZone: string): string | null;
export function formatTimestamp(instant: Temporal.Instant | null, timeZone: string): string | null {
  if (instant === null) return null;
  const local = instant.toZonedDateTimeISO(timeZone).toPlainDateTime();
  return local.toString({ smallestUnit: "second" }).replace("T", " ");
}

/** Either `formatTimestamp` or `formatInstant`. */
export type WriteInstant = typeof formatTimestamp;

/** RFC 3339 with the time zone's offset, such as `2026-11-27T10:00:00+05:30`: docs/api.md#values */
export function formatInstant(instant: Temporal.Instant, timeZone: string): string;
/** The same, or `null` for what has not happened. */
export function formatInstant(instant: Temporal.Instant | null, timeZone: string): string | null;
export function formatInstant(instant: Temporal.Instant | null, timeZone: string): string | null {
  return instant === null ? null : instant.toString({ timeZone, smallestUnit: "second" });
}

/** Rounds an instant to the database's precision, so that a hash over it matches the stored value. */
export function toMicrosecond(instant: Temporal.Instant): Temporal.Instant {
  return instant.round({ smallestUnit: "microsecond", roundingMode: "trunc" });
}

/** Is the name a time zone of this runtime, such as `Asia/Kolkata`? */
export function isTimeZone(name: string): boolean {
  try {
    Temporal.Now.instant().toZonedDateTimeISO(name);
    return true;
  } catch {
    return false;
  }
}
