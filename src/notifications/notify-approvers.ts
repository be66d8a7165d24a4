// Queues mail to approvers about requests that need a second approver. The text is made when it is sent, from the requests that
// wait then. docs/rules/access.md#mail-about-approvals
import {
  findMerchantByKey,
  listMailed,
  listUnnotified,
  markNotified,
  type MerchantKey,
  type UnnotifiedApproval,
} from "../merchants/index.ts";
import { isLockTimeout } from "../platform/database/failure.ts";
import type { IdSource } from "../platform/database/ids.ts";
import { inTransaction, type Pool } from "../platform/database/pool.ts";
import type { Schedule } from "../platform/jobs/scheduler.ts";
import { actorOf } from "../platform/origin.ts";
import { hastenOwedMail, queueApprovalMails, readNextTimes, type OwedMail } from "./approval-mail-store.ts";

const LOOK_MS = 10_000;
/** Requests that are decided or withdrawn sooner need no mail, and several in a row share one. */
const WAIT_MS = 30_000;
/** The least time between two mails to a person; the second lists everything new. */
const PAUSE_MS = 10 * 60_000;
/** The longest that a mail waits for a retry if there are new requests. */
const LONGEST_WAIT_MS = 60 * 60_000;
/** The most approvals of one merchant in a run, so that others have their turn. */
const PAGE = 5000;

export function approverMailSchedule(ids: IdSource): Schedule {
  const run: Schedule["run"] = async (pool, signal) => {
    await notifyApprovers(pool, ids, signal);
  };
  return { name: "approval mail", everyMs: LOOK_MS, run };
}

/**
 * Queues a mail for each approver of requests that have waited for half a minute and were not notified before, except for a person who
 * requested all of them. A suspended merchant's requests wait until it is active again. A merchant whose rows are locked is left to the
 * next run. Returns how many were queued; the signal stops it between merchants.
 */
export async function notifyApprovers(
  pool: Pool,
  ids: IdSource,
  signal: AbortSignal = new AbortController().signal,
): Promise<number> {
  let queued = 0;
  for (const merchant of await listUnnotified(pool, WAIT_MS)) {
    if (signal.aborted) break;
    try {
      queued += await tellOf(pool, ids, merchant);
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
    }
  }
  return queued;
}

/** In one transaction, so that each request is notified exactly once. */
async function tellOf(pool: Pool, ids: IdSource, key: MerchantKey): Promise<number> {
  return inTransaction(pool, async (connection) => {
    const merchant = await findMerchantByKey(connection, key);
    if (merchant?.status !== "active") return 0;
    const untold = await markNotified(connection, key, WAIT_MS, PAGE);
    const people = (await listMailed(connection, key)).flatMap(({ loginId }) => {
      const first = firstFor(loginId, untold);
      return first === null ? [] : [{ loginId, subjectId: first.approvalId }];
    });
    const loginIds = people.map(({ loginId }) => loginId);
    if (loginIds.length === 0) return 0;
    const owedAlready = await hastenOwedMail(connection, key, loginIds, LONGEST_WAIT_MS);
    const others = people.filter(({ loginId }) => !owedAlready.has(loginId));
    if (others.length === 0) return 0;
    const times = await readNextTimes(connection, key, loginIds, PAUSE_MS);
    const mails: OwedMail[] = [];
    for (const each of others) {
      mails.push({ ...each, notificationId: await ids.next(), dueAt: times.get(each.loginId)! });
    }
    await queueApprovalMails(connection, key, mails);
    return mails.length;
  });
}

/** The oldest of these that somebody else has requested; `null` if the person requested all of them. */
function firstFor(loginId: bigint, untold: readonly UnnotifiedApproval[]): UnnotifiedApproval | null {
  const self = actorOf("user", String(loginId));
  return untold.find(({ requestedBy }) => requestedBy !== self) ?? null;
}
