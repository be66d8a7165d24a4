// Days of tests that take a while.
import { setTimeout as sleep } from "node:timers/promises";

/** Longer than the tests that ask take, on a busy machine too. */
const STAYS_MS = 40_000;

/** Today, and still so for a while: where midnight is near, it comes first. */
export async function settledToday(timeZone = "Asia/Kolkata"): Promise<Temporal.PlainDate> {
  const now = Temporal.Now.zonedDateTimeISO(timeZone);
  const leftMs = now.until(now.startOfDay().add({ days: 1 })).total("milliseconds");
  if (leftMs < STAYS_MS) await sleep(leftMs + 1);
  return Temporal.Now.plainDateISO(timeZone);
}
