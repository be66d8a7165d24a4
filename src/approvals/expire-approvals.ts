// The schedule that expires approvals that were not decided in time. The consequences are the same as for a rejection.
import { findExpired, lockApproval, type ApprovalKey, type MerchantKey } from "../merchants/index.ts";
import { isLockTimeout } from "../platform/database/failure.ts";
import { actWithin } from "../platform/database/tenant.ts";
import { inTransaction, type Pool } from "../platform/database/pool.ts";
import { actorOf } from "../platform/origin.ts";
import { NodalError } from "../platform/errors.ts";
import type { Schedule } from "../platform/jobs/scheduler.ts";
import { conclude } from "./decide-approval.ts";
import { refuseDecided } from "./find-forged.ts";

/** How often to check. A check is one look-up in an index of open approvals. */
const LOOK_MS = 10_000;
const PAGE = 100;

/** The schedule's name in the audit log, as the actor of expiries, also after a sandbox clock was moved. */
const NAME = "approvals";

export function approvalSchedule(): Schedule {
  return { name: NAME, everyMs: LOOK_MS, run: (pool, signal) => expireApprovals(pool, Temporal.Now.instant(), signal) };
}

/**
 * Refuses all approvals that have expired by `now` on their merchant's clock, for all merchants or one. Each has its own transaction; the
 * signal stops between two. Approvals of a merchant whose rows are locked are left to the next run. One that was changed with SQL does
 * not hold up others.
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
    // The requester may have moved the clock, and may not decide the own request, so the job is the actor.
    await actWithin(connection, { actor: actorOf("job", NAME), address: null, mayMoveMoney: true });
    const found = await lockApproval(connection, key);
    // Somebody may have decided meanwhile.
    if (found?.approval.decision !== null) return;
    await refuseDecided(connection, found.approval);
    await conclude(connection, now, found.approval, "expired", "");
  });
}
