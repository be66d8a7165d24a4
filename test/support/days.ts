// Days for tests that take a while.
import { setTimeout as sleep } from "node:timers/promises";

/** Longer than the tests that ask take, on a busy machine too. */
const STAYS_MS = 40_000;

/** Today, and for some time to come: near midnight, it waits until after it. */
export async function settledToday(timeZone = "Asia/Kolkata"): Promise<Temporal.PlainDate> {
  const now = Temporal.Now.zonedDateTimeISO(timeZone);
  const leftMs = now.until(now.startOfDay().add({ days: 1 })).total("milliseconds");
  if (leftMs < STAYS_MS) await sleep(leftMs + 1);
  return Temporal.Now.plainDateISO(timeZone);
}
