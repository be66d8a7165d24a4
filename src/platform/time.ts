// Time: what the wire calls a timestamp, and the time zones it is written in.
// What belongs here: conversions between instants and text. Durations are milliseconds, named *_ms or *Ms.

/** `YYYY-MM-DD HH:MM:SS` of an instant in a time zone. Source: merchant-api.md 2.1, decisions.md "Timestamps out". */
export function formatTimestamp(instant: Temporal.Instant, timeZone: string): string {
  const local = instant.toZonedDateTimeISO(timeZone).toPlainDateTime();
  return local.toString({ smallestUnit: "second" }).replace("T", " ");
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
