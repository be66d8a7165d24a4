// Timestamps of the wire in a time zone, and which names are time zones.
import { expect, test } from "vitest";
import { formatTimestamp, isTimeZone } from "./time.ts";

test.each([
  ["2026-03-31T18:30:00Z", "Asia/Kolkata", "2026-04-01 00:00:00"],
  ["2026-03-31T18:29:59.999999999Z", "Asia/Kolkata", "2026-03-31 23:59:59"],
  ["2026-12-31T23:05:09Z", "UTC", "2026-12-31 23:05:09"],
  // Where clocks are put back, the same hour comes twice.
  ["2026-11-01T05:30:00Z", "America/New_York", "2026-11-01 01:30:00"],
  ["2026-11-01T06:30:00Z", "America/New_York", "2026-11-01 01:30:00"],
])("%s in %s is %s", (instant, timeZone, text) => {
  expect(formatTimestamp(Temporal.Instant.from(instant), timeZone)).toBe(text);
});

test.each([
  ["Asia/Kolkata", true],
  ["UTC", true],
  ["Asia/Atlantis", false],
  ["", false],
  ["IST5", false],
])("whether %j is a time zone: %s", (name, expected) => expect(isTimeZone(name)).toBe(expected));
