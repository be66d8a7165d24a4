// Time: what the wire calls a timestamp, and the time zones it is written in.
// What belongs here: conversions between instants and text. Durations are milliseconds, named *_ms or *Ms.

/** `YYYY-MM-DD HH:MM:SS` of an instant in a time zone. Source: merchant-api.md 2.1, decisions.md "Timestamps out". */
export function formatTimestamp(instant: Temporal.Instant, timeZone: string): string {
  const local = instant.toZonedDateTimeISO(timeZone).toPlainDateTime();
  return local.toString({ smallestUnit: "second" }).replace("T", " ");
}

/** The instant as exact as the database keeps it, so that a hash over it is of what is kept. */
export function toMicrosecond(instant: Temporal.Instant): Temporal.Instant {
  return instant.round({ smallestUnit: "microsecond", roundingMode: "trunc" });
}

/** Whether the name is a time zone that this runtime knows, such as `Asia/Kolkata`. */
export function isTimeZone(name: string): boolean {
  try {
    Temporal.Now.instant().toZonedDateTimeISO(name);
    return true;
  } catch {
    return false;
  }
}
