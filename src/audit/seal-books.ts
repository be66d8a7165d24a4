// One use case: whatever is new in the log is sealed, for every merchant.
// What belongs here: the schedule, and how much is sealed at once.
import { readInstallationSecret } from "../merchants/index.ts";
import type { Pool } from "../platform/database/pool.ts";
import type { Schedule } from "../platform/jobs/scheduler.ts";
import { makeSeal, sealKey } from "./seal.ts";
import { findUnsealed, insertSeals } from "./seal-store.ts";

const LOOK_MS = 5000;
const PAGE_MERCHANTS = 200;
/** Of one merchant, in one seal. What a long pause has left, or an upgrade, is sealed one such part after the other. */
const SEAL_EVENTS = 1000;

/** The schedule that seals, a few seconds after something was written. */
export function sealSchedule(): Schedule {
  return { name: "audit seals", everyMs: LOOK_MS, run: (pool, signal) => sealBooks(pool, signal) };
}

/**
 * Seals all that is new, merchant by merchant in pages, until nothing is left or the signal comes. Safe beside other
 * processes that do the same, and at whatever point it is killed: a seal and the merchant's place in `sealed_book` are
 * one statement, and of two that make the same seal one comes too late.
 */
export async function sealBooks(pool: Pool, signal: AbortSignal = new AbortController().signal): Promise<void> {
  const key = sealKey(await readInstallationSecret(pool));
  while (!signal.aborted) {
    const unsealed = await findUnsealed(pool, PAGE_MERCHANTS, SEAL_EVENTS);
    if (unsealed.length === 0) return;
    await insertSeals(
      pool,
      unsealed.map((range) => ({ ...range, seal: makeSeal(key, range, range.before) })),
    );
  }
}
