// One use case: everything that must be true of the money, checked on one snapshot of the database.
// What belongs here: which checks make up a verification, and when a transfer has been open for too long.
import { COMMISSION_CHECKS } from "../franchises/index.ts";
import {
  countLedger,
  LEDGER_CHECKS,
  runChecks,
  type Check,
  type VerifyScope,
  type Violation,
} from "../ledger/index.ts";
import { inTransaction, type Pool, type Queryable } from "../platform/database/pool.ts";
import type { QueueState } from "../platform/jobs/queue.ts";
import { countDispatch } from "./dispatch-store.ts";
import { countTransfers, PAYOUT_CHECKS } from "./verify-store.ts";

const MAX_VIOLATIONS = 1000;
/** Later than this many working days an operator should look. Source: rails.md, "The transfer's life". */
const PATIENCE_WORKING_DAYS = 3;
const BANKS_TIME_ZONE = "Asia/Kolkata";
const SATURDAY = 6;
const SUNDAY = 7;

export type Verification = {
  readonly merchants: number;
  readonly postings: number;
  readonly transfers: number;
  readonly pendingTransfers: number;
  readonly staleTransfers: number;
  /** How many violations there are; `violations` lists the first thousand. */
  readonly violationCount: number;
  readonly violations: readonly Violation[];
};

/**
 * Checks every invariant of the ledger, the transfers and the simulated bank's book, for one merchant or for all, and
 * those of domains that build on payouts. The pool must be the database owner's, who alone may read the bank's book.
 */
export function verify(pool: Pool, scope: VerifyScope, furtherChecks: readonly Check[] = []): Promise<Verification> {
  return inTransaction(
    pool,
    (connection) => verifySnapshot(connection, scope, furtherChecks),
    "begin isolation level repeatable read read only",
  );
}

/** The same inside the caller's transaction, which has to keep one snapshot if others write meanwhile. */
export async function verifySnapshot(
  db: Queryable,
  scope: VerifyScope,
  furtherChecks: readonly Check[] = [],
  now: Temporal.Instant = Temporal.Now.instant(),
): Promise<Verification> {
  const checks = [...PAYOUT_CHECKS, ...COMMISSION_CHECKS, ...LEDGER_CHECKS, ...furtherChecks];
  const findings = await runChecks(db, checks, scope, MAX_VIOLATIONS);
  const transfers = await countTransfers(db, scope, staleBefore(now));
  return {
    ...(await countLedger(db, scope)),
    transfers: transfers.transfers,
    pendingTransfers: transfers.pending,
    staleTransfers: transfers.stale,
    violationCount: findings.count,
    violations: findings.violations.slice(0, MAX_VIOLATIONS),
  };
}

/** How the queue to the bank stands. What has been open for too long counts as failed: somebody must ask the bank. */
export function countTransferQueue(db: Queryable): Promise<QueueState> {
  return countDispatch(db, staleBefore(Temporal.Now.instant()));
}

/**
 * The beginning of the earliest day that still has time: what was accepted before it has seen three whole working days
 * since its own. Banks work on all but Sundays and second and fourth Saturdays; holidays are not known here.
 */
export function staleBefore(now: Temporal.Instant): Temporal.Instant {
  let day = now.toZonedDateTimeISO(BANKS_TIME_ZONE).toPlainDate();
  for (let workingDays = 0; workingDays < PATIENCE_WORKING_DAYS;) {
    day = day.subtract({ days: 1 });
    if (isWorkingDay(day)) workingDays += 1;
  }
  return day.toZonedDateTime(BANKS_TIME_ZONE).toInstant();
}

function isWorkingDay(day: Temporal.PlainDate): boolean {
  if (day.dayOfWeek === SUNDAY) return false;
  const weekOfMonth = Math.ceil(day.day / 7);
  return day.dayOfWeek !== SATURDAY || (weekOfMonth !== 2 && weekOfMonth !== 4);
}
