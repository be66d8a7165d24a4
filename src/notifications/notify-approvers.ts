// Queues mail to approvers about requests that need a second approver. The words are made when it is sent, from what
// waits then. docs/rules/access.md#mail-about-approvals
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
/** What is decided, or withdrawn, sooner than this needs no mail; and several requests in a row are one mail. */
const WAIT_MS = 30_000;
/** Nobody gets a second mail sooner than this: it tells of all that has come meanwhile. */
const PAUSE_MS = 10 * 60_000;
/** A mail that waits for another attempt is tried by then where more has come. */
const LONGEST_WAIT_MS = 60 * 60_000;
/** So much of one merchant is looked at in a run, so that others have their turn. */
const PAGE = 5000;

/** The schedule. */
export function approverMailSchedule(ids: IdSource): Schedule {
  const run: Schedule["run"] = async (pool, signal) => {
    await notifyApprovers(pool, ids, signal);
  };
  return { name: "approval mail", everyMs: LOOK_MS, run };
}

/**
 * Queues a mail for each person of each merchant who may decide what has waited for half a minute and was not told of
 * before; not for who has asked for all of it himself. What a suspended merchant has waits until it is active again. A
 * merchant whose rows something else has locked is left to the next run. Returns how many were queued; stops between
 * merchants at the signal.
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

/** In one transaction, so that nothing counts as told of which no mail is owed, and nothing is told twice. */
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

/** The oldest of these that somebody else has asked for; `null` where the person has asked for all of them. */
function firstFor(loginId: bigint, untold: readonly UnnotifiedApproval[]): UnnotifiedApproval | null {
  const self = actorOf("user", String(loginId));
  return untold.find(({ requestedBy }) => requestedBy !== self) ?? null;
}
