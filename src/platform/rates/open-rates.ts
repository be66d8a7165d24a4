// Rate limits over the database that all processes share.
import type { Queryable } from "../database/pool.ts";
import { takeRates } from "./rate-store.ts";
import { RateWindow, type TakeRates } from "./rate-window.ts";

const MINUTE_MS = 60_000;

/**
 * Opens the windows: a minute, and the time in which failed sign-ins count. `closeRates` gives back counts that were
 * taken ahead.
 */
export function openRates(db: Queryable, signInWindowMs: number) {
  const take: TakeRates = (asks) => takeRates(db, asks);
  const [rates, signInRates] = [new RateWindow(take, MINUTE_MS), new RateWindow(take, signInWindowMs)];
  const closeRates = async (): Promise<void> => {
    await Promise.all([rates.close(), signInRates.close()]);
  };
  return { rates, signInRates, closeRates };
}
