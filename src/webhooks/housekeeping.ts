// Deletes old attempts, abandoned events, and secrets that no longer sign.
import type { Schedule } from "../platform/jobs/scheduler.ts";
import { forgetAttempts } from "./attempt-store.ts";
import { forgetFailedDeliveries } from "./delivery-store.ts";
import { forgetEndedSecrets } from "./secret-store.ts";

const EVERY_MS = 60 * 60 * 1000;
const PAGE_ROWS = 5000;

/** The schedule that deletes rows older than `keptDays` days. */
export function webhookSchedule(keptDays: number): Schedule {
  return {
    name: "webhook housekeeping",
    everyMs: EVERY_MS,
    run: async (pool, signal) => {
      const before = Temporal.Now.instant().subtract({ hours: keptDays * 24 });
      for (const forget of [forgetAttempts, forgetFailedDeliveries]) {
        while (!signal.aborted && (await forget(pool, before, PAGE_ROWS)) === PAGE_ROWS);
      }
      await forgetEndedSecrets(pool);
    },
  };
}
