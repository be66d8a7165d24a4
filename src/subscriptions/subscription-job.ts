// The schedule that bills subscriptions: every merchant with something due, a batch each in turn.
// What belongs here: fairness between merchants, and leaving time for requests. Billing itself is in bill-due.ts.
import { setTimeout as sleep } from "node:timers/promises";
import type { MerchantKey } from "../merchants/index.ts";
import { hasWaitedInVain } from "../platform/database/failure.ts";
import type { Schedule } from "../platform/jobs/scheduler.ts";
import { billDueBatch, type BillingParts } from "./bill-due.ts";
import { findDueMerchants } from "./due-store.ts";

const LOOK_MS = 5000;
/** Of so many merchants at once: one is reckoned while the database writes the other. */
const MERCHANTS_AT_ONCE = 2;
/** After a batch the biller rests for this share of the time that it took, so that requests find the server free. */
const REST_SHARE = 0.5;

/** The schedule that bills what is due of every merchant. */
export function subscriptionSchedule(parts: Omit<BillingParts, "pool">): Schedule {
  return { name: "subscriptions", everyMs: LOOK_MS, run: (pool, signal) => billAllDue({ ...parts, pool }, signal) };
}

/**
 * Bills what is due of every active merchant, a batch each in turn, so that none waits for all of another's. Ends when
 * nothing is left but what failed in this run, or soon after the signal. A merchant whose rows something else holds has no
 * further turn in this run.
 */
async function billAllDue(parts: BillingParts, signal: AbortSignal): Promise<void> {
  const failed: Failures = new Map();
  for (;;) {
    const due = await findDueMerchants(parts.pool, Temporal.Now.instant());
    let handled = 0;
    const takeTurns = async (): Promise<void> => {
      for (let merchant = due.shift(); merchant && !signal.aborted; merchant = due.shift()) {
        handled += await takeTurn(parts, merchant, failed);
      }
    };
    const ended = await Promise.allSettled(Array.from({ length: MERCHANTS_AT_ONCE }, takeTurns));
    for (const each of ended) if (each.status === "rejected") throw each.reason;
    if (handled === 0 || signal.aborted) return;
  }
}

/** What failed of each merchant in a run; `held` where its turns are over. */
type Failures = Map<string, readonly bigint[] | "held">;

/** A merchant's turn. Answers how many subscriptions it dealt with, and notes what failed. */
async function takeTurn(parts: BillingParts, merchant: MerchantKey, failedOf: Failures): Promise<number> {
  const key = `${merchant.bucket} ${merchant.merchantId}`;
  const failed = failedOf.get(key) ?? [];
  if (failed === "held") return 0;
  const startedAtMs = performance.now();
  const outcome = await billDueBatch(parts, merchant, failed).catch((error: unknown) => {
    if (!hasWaitedInVain(error)) throw error;
    parts.logger.warn(
      { err: error, merchant_id: String(merchant.merchantId) },
      "a merchant's rows are held: billed later",
    );
    return "held" as const;
  });
  if (outcome === "held") failedOf.set(key, outcome);
  if (outcome === null || outcome === "held") return 0;
  failedOf.set(key, [...failed, ...outcome.failed]);
  await sleep((performance.now() - startedAtMs) * REST_SHARE);
  return outcome.billed + outcome.failed.length;
}
