// Use case: checks every invariant of the money on one snapshot of the database.
import {
  countLedger,
  LEDGER_CHECKS,
  runChecks,
  type Check,
  type VerifyScope,
  type Violation,
} from "../../ledger/index.ts";
import { inTransaction, type Pool, type Queryable } from "../../platform/database/pool.ts";
import type { QueueState } from "../../platform/jobs/worker.ts";
import { countDispatch } from "../dispatch/dispatch-store.ts";
import { staleBefore } from "../rails/bank-days.ts";
import { countTransfers, PAYOUT_CHECKS } from "./verify-store.ts";

const MAX_VIOLATIONS = 1000;

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
  const checks = [...PAYOUT_CHECKS, ...LEDGER_CHECKS, ...furtherChecks];
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

/** Counts the queue to the bank. Transfers that are open for too long count as failed: somebody must ask the bank. */
export function countTransferQueue(db: Queryable): Promise<QueueState> {
  return countDispatch(db, staleBefore(Temporal.Now.instant()));
}
