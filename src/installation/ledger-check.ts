// The check of all books on an operator's request: it runs in the background, one at a time over all processes, and its result is
// stored for all of them. It runs `nodal verify`, whose row among the schedules it shares.
import { randomUUID } from "node:crypto";
import type { Pool } from "../platform/database/pool.ts";
import { findRun, finishRun, renewRun, takeRequestedRun } from "../platform/jobs/schedule-store.ts";
import type { Logger } from "../platform/log.ts";
import { failureOfFindings, type RecordedRun } from "./record-run.ts";
import type { Findings } from "./verify.ts";

const NAME: RecordedRun = "verify";
/** How long after its process's last heartbeat a check counts as running. */
const LEASE_MS = 30_000;
const RENEW_MS = 10_000;
const VIOLATIONS_KEPT = 200;

/** The stored result of a check: times as ISO 8601 in UTC, and the first 200 violations. */
export type EndedCheck = { readonly startedAt: string; readonly finishedAt: string } & (
  | { readonly findings: Findings; readonly error: null }
  | { readonly findings: null; readonly error: string }
);

/** The stored part of a check that has just ended. */
export function endedCheck(startedAt: Temporal.Instant, outcome: Findings | string): EndedCheck {
  const times = { startedAt: startedAt.toString(), finishedAt: Temporal.Now.instant().toString() };
  if (typeof outcome === "string") return { ...times, findings: null, error: outcome };
  const { summary, violations } = outcome;
  return { ...times, findings: { summary, violations: violations.slice(0, VIOLATIONS_KEPT) }, error: null };
}

type Options = {
  readonly pool: Pool;
  readonly logger: Logger;
  /** Runs all checks, or throws an error. */
  readonly run: () => Promise<Findings>;
};

/** Runs checks in this process, and knows about those of others. */
export class LedgerCheck {
  readonly #options: Options;
  readonly #holder = `${process.pid}-${randomUUID().slice(0, 8)}`;
  #running: Promise<void> = Promise.resolve();

  constructor(options: Options) {
    this.#options = options;
  }

  /** The start of a running check, in any process, and the last result; each `null` if there is none. */
  async state(): Promise<{ runningSince: Temporal.Instant | null; last: EndedCheck | null }> {
    const { runningSince, result } = await findRun(this.#options.pool, NAME);
    return { runningSince, last: result as EndedCheck | null };
  }

  /** Starts one, unless one is running in any process. Returns whether it did. */
  async start(): Promise<boolean> {
    if (!(await takeRequestedRun(this.#options.pool, NAME, this.#holder, LEASE_MS))) return false;
    this.#running = this.#check();
    return true;
  }

  /** Waits until this process runs none. */
  async stop(): Promise<void> {
    await this.#running;
  }

  async #check(): Promise<void> {
    const { pool, logger, run } = this.#options;
    const startedAt = Temporal.Now.instant();
    const warn = (err: unknown): void => logger.warn({ err }, "could not save the result of the ledger check");
    const renewal = setInterval(() => void renewRun(pool, NAME, this.#holder, LEASE_MS).catch(warn), RENEW_MS);
    const outcome = await run().catch((error: unknown) => {
      logger.error({ err: error }, "could not run the ledger check");
      return "The check could not run: see the server's log.";
    });
    clearInterval(renewal);
    const failure = typeof outcome === "string" ? outcome : failureOfFindings(outcome);
    await finishRun(pool, NAME, this.#holder, failure, endedCheck(startedAt, outcome)).catch(warn);
  }
}
