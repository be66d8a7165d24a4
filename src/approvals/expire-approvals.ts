// The schedule that ends the wait of what nobody has decided in time. What follows is the same as when somebody rejects
// it.
import { findExpired, lockApproval, type ApprovalKey, type MerchantKey } from "../merchants/index.ts";
import { isLockTimeout } from "../platform/database/failure.ts";
import { actWithin } from "../platform/database/tenant.ts";
import { inTransaction, type Pool } from "../platform/database/pool.ts";
import { actorOf } from "../platform/origin.ts";
import { NodalError } from "../platform/errors.ts";
import type { Schedule } from "../platform/jobs/scheduler.ts";
import { conclude } from "./decide-approval.ts";
import { refuseDecided } from "./find-forged.ts";

/** How often to look. The look is one search in an index of what is open. */
const LOOK_MS = 10_000;
const PAGE = 100;

/** The schedule's name is in the audit log, as who let something expire, also where a moved clock did. */
const NAME = "approvals";

/** The schedule. */
export function approvalSchedule(): Schedule {
  return { name: NAME, everyMs: LOOK_MS, run: (pool, signal) => expireApprovals(pool, Temporal.Now.instant(), signal) };
}

/**
 * Refuses everything whose time is over by `now`, as the clock of its merchant shows it, of all merchants or of one, each
 * in a transaction of its own; stops between two at the signal. Those of a merchant whose rows something else holds are
 * left to the next run. One that SQL has changed keeps no other waiting.
 * @throws NodalError the first refusal, once all others have expired
 */
export async function expireApprovals(
  pool: Pool,
  now: Temporal.Instant,
  signal: AbortSignal | null,
  merchant: MerchantKey | null = null,
): Promise<void> {
  const held = new Set<bigint>();
  const refusals: NodalError[] = [];
  let page: ApprovalKey[];
  do {
    page = await findExpired(pool, now, PAGE, merchant);
    for (const key of page) {
      if (signal?.aborted) return;
      if (held.has(key.merchantId)) continue;
      await expire(pool, key, now).catch((error: unknown) => {
        if (isLockTimeout(error)) held.add(key.merchantId);
        else if (error instanceof NodalError) refusals.push(error);
        else throw error;
      });
    }
  } while (page.length === PAGE && held.size === 0 && refusals.length === 0);
  if (refusals[0]) throw refusals[0];
}

async function expire(pool: Pool, key: ApprovalKey, now: Temporal.Instant): Promise<void> {
  await inTransaction(pool, async (connection) => {
    // Whoever has asked for it may be the one who moves the clock, and nobody decides what he asked for.
    await actWithin(connection, { actor: actorOf("job", NAME), address: null, mayMoveMoney: true });
    const found = await lockApproval(connection, key);
    // Somebody may have decided meanwhile.
    if (found?.approval.decision !== null) return;
    await refuseDecided(connection, found.approval);
    await conclude(connection, now, found.approval, "expired", "");
  });
}
