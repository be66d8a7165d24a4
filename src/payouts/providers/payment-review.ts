// Re-checks of ended payments: an hour, a day and three working days after a payment ended, its provider is asked about it again.
// A success may be returned and a failure may be paid after all, and the webhook that says so may be lost.
// docs/rules/payouts.md#re-checks
import type { Pool } from "../../platform/database/pool.ts";
import { Worker } from "../../platform/jobs/worker.ts";
import type { Logger } from "../../platform/log.ts";
import { findKnownRails, UNKNOWN_RAIL } from "../known-rail-store.ts";
import type { PaymentReport } from "../rails/rail.ts";
import type { Rails } from "./rails.ts";
import { staleBefore } from "../rails/bank-days.ts";
import { transitionOf } from "../transfer.ts";
import { REVIEW_WAITS, WORKING_DAYS_LOOK } from "../waits.ts";
import { isAccountUnusable } from "./unusable-account.ts";
import {
  insertReviews,
  listReviewed,
  noteReviewed,
  takeDueReviews,
  type EndedTransfer,
  type Review,
  type ReviewedEntry,
} from "./payment-review-store.ts";

/** How many merchants are re-checked at once, so that one whose provider hangs leaves room for another. */
const AT_ONCE = 2;
const LOOK_MS = 15_000;
/** How often to look for merchants that are new here. */
const LOOK_FOR_NEW_MS = 60_000;
/** How many payments are asked about in one turn of a merchant, and how many entries are walked for them at most. */
const MAX_PAYMENTS = 200;
const MAX_ENTRIES = 2000;
/** The pause while nothing is old enough. */
const IDLE = { minutes: 5 };
/** How long an account that can't be asked holds up its merchant's re-checks. */
const MAX_PAYMENT_AGE = { hours: 14 * 24 };
/** The provider's clock and ours may differ. */
const CLOCK_SLACK = { minutes: 10 };

type Options = {
  readonly pool: Pool;
  readonly rails: Pick<Rails, "connector">;
  /** Books a provider's report on a payment. */
  readonly hear: (report: PaymentReport) => Promise<void>;
  readonly logger: Logger;
};

export class PaymentReview {
  readonly #options: Options;
  readonly #worker: Worker<Review>;
  #looksForNewAtMs = 0;

  constructor(options: Options) {
    this.#options = options;
    this.#worker = new Worker({
      name: "payment re-checks",
      logger: options.logger,
      atOnce: AT_ONCE,
      lookMs: LOOK_MS,
      find: (room) => this.#find(Temporal.Now.instant(), room),
      run: (review) => this.#review(Temporal.Now.instant(), review),
    });
  }

  start(): void {
    this.#worker.start();
  }

  stop(): Promise<void> {
    return this.#worker.stop();
  }

  /** Runs all re-checks that are due at a time, one merchant after the other. */
  async runDue(now: Temporal.Instant): Promise<void> {
    for (let due = await this.#find(now, 1); due.length > 0; due = await this.#find(now, 1))
      for (const review of due) await this.#review(now, review);
  }

  async #find(now: Temporal.Instant, limit: number): Promise<Review[]> {
    const { pool, logger } = this.#options;
    if (performance.now() >= this.#looksForNewAtMs) {
      this.#looksForNewAtMs = performance.now() + LOOK_FOR_NEW_MS;
      await insertReviews(pool, now).catch((error: unknown) =>
        logger.warn({ err: error }, "payment re-checks: could not look for new merchants; will retry"),
      );
    }
    return takeDueReviews(pool, now, limit);
  }

  /**
   * One turn of a merchant. Asks each of its rails, even if another can't be asked; in that case the turn is repeated for all of them.
   */
  async #review(now: Temporal.Instant, review: Review): Promise<void> {
    const { pool, logger } = this.#options;
    const entries = await listReviewed(pool, review, MAX_ENTRIES);
    const { old, dueAt } = takeOld(now, review, entries);
    const ended = await this.#knownOf(
      review,
      old.flatMap((entry) => (entry.ended ? [entry.ended] : [])),
    );
    const failures: unknown[] = [];
    for (const [rail, payments] of Map.groupBy(ended, (each) => each.rail))
      await this.#ask(rail, payments, old.at(-1)!.postedAt).catch(async (error: unknown) => {
        const isLate = Temporal.Instant.compare(old[0]!.postedAt.add(MAX_PAYMENT_AGE), now) <= 0;
        if (!isLate || !(await isAccountUnusable(pool, now, { ...review, rail }, error))) failures.push(error);
        else logger.error({ err: error, rail }, "payment re-checks abandoned: their account can't be reached");
      });
    if (failures.length > 0) throw failures[0];
    await noteReviewed(pool, review, { entryNo: old.at(-1)?.entryNo ?? review.entryNo, dueAt });
  }

  /** Those with a known rail, each with its rail. */
  async #knownOf(review: Review, ended: readonly EndedTransfer[]): Promise<EndedTransfer[]> {
    if (ended.length === 0) return [];
    const ids = ended.map(({ transferId }) => transferId);
    const rails = await findKnownRails(this.#options.pool, review, ids);
    return ended.flatMap((payment) => {
      const rail = rails.get(payment.transferId)?.rail ?? null;
      if (rail !== null) return [{ ...payment, rail }];
      this.#options.logger.error({ transfer_id: String(payment.transferId) }, UNKNOWN_RAIL);
      return [];
    });
  }

  async #ask(rail: string, payments: readonly EndedTransfer[], last: Temporal.Instant): Promise<void> {
    const { rails, hear, logger } = this.#options;
    const connector = await rails.connector(rail, payments[0]!);
    const [first] = payments.map(({ addedAt }) => addedAt).toSorted((a, b) => Temporal.Instant.compare(a, b));
    const asked = { from: first!.subtract(CLOCK_SLACK), to: last.add(CLOCK_SLACK) };
    const reports = await connector.statuses(payments, asked, this.#worker.stopping);
    const found = new Map(reports.map((report) => [report.transferId, report]));
    for (const payment of payments) {
      const { state } = payment;
      const transfer_id = String(payment.transferId);
      const report = found.get(payment.transferId);
      if (report && isNews(report, payment)) await hear(report);
      else if (report && report.status !== state && state === "SUCCESS")
        logger.error({ transfer_id, status: report.status }, "a provider contradicts a payment booked as paid");
      // One that failed may never have been sent.
      if (!report && state === "SUCCESS") logger.error({ transfer_id }, "a provider no longer knows a payment it made");
    }
  }
}

/** Whether a report changes the books: another outcome, a fee, or a UTR other than the one entered by hand. */
function isNews({ status, fee, utr }: PaymentReport, payment: EndedTransfer): boolean {
  const transition = transitionOf(payment.state, status, payment.isResolved);
  if (transition === null) return false;
  if (transition.state !== payment.state) return true;
  const hasNewFee = fee !== undefined && !payment.hasFee && (fee.feePaise > 0n || fee.taxPaise > 0n);
  return hasNewFee || (payment.isResolved && utr !== null && utr !== payment.utr);
}

/** The entries that are old enough, at most those of one turn, and when the next turn is. */
function takeOld(
  now: Temporal.Instant,
  { wait }: Review,
  entries: readonly ReviewedEntry[],
): { readonly old: readonly ReviewedEntry[]; readonly dueAt: Temporal.Instant } {
  const old: ReviewedEntry[] = [];
  let payments = 0;
  for (const entry of entries) {
    const dueAt = reviewedAt(now, wait, entry.postedAt);
    if (dueAt) return { old, dueAt };
    old.push(entry);
    if (entry.ended && (payments += 1) >= MAX_PAYMENTS) return { old, dueAt: now };
  }
  return { old, dueAt: entries.length < MAX_ENTRIES ? now.add(IDLE) : now };
}

/** When an entry posted at a time may be old enough; `null` if it is now. */
function reviewedAt(now: Temporal.Instant, wait: Review["wait"], postedAt: Temporal.Instant): Temporal.Instant | null {
  if (wait === "working_days")
    return Temporal.Instant.compare(postedAt, staleBefore(now)) < 0 ? null : now.add(WORKING_DAYS_LOOK);
  const dueAt = postedAt.add(REVIEW_WAITS[wait]);
  return Temporal.Instant.compare(dueAt, now) <= 0 ? null : dueAt;
}
