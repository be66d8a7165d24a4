// The check of all books, run in the background when an operator asks for it: one at a time, its last result kept.
// What belongs here: when it runs and how it stands. What is checked is `nodal verify`'s.
import type { Findings } from "../installation/index.ts";
import type { Logger } from "../platform/log.ts";

/** Computes everything again, or throws why it could not. */
type RunCheck = () => Promise<Findings>;

type Ended = { readonly startedAt: Temporal.Instant; readonly finishedAt: Temporal.Instant } & (
  | { readonly findings: Findings; readonly error: null }
  | { readonly findings: null; readonly error: string }
);

export class LedgerCheck {
  readonly #run: RunCheck;
  readonly #logger: Logger;
  #runningSince: Temporal.Instant | null = null;
  #last: Ended | null = null;
  #running: Promise<void> = Promise.resolve();

  constructor(run: RunCheck, logger: Logger) {
    this.#run = run;
    this.#logger = logger;
  }

  get runningSince(): Temporal.Instant | null {
    return this.#runningSince;
  }

  /** How the last one of this process ended; `null` before the first. */
  get last(): Ended | null {
    return this.#last;
  }

  /** Starts one, unless one is running. Answers whether it did. */
  start(): boolean {
    if (this.#runningSince !== null) return false;
    const startedAt = Temporal.Now.instant();
    this.#runningSince = startedAt;
    this.#running = this.#check(startedAt);
    return true;
  }

  /** Waits until none is running. */
  async stop(): Promise<void> {
    await this.#running;
  }

  async #check(startedAt: Temporal.Instant): Promise<void> {
    try {
      const findings = await this.#run();
      this.#last = { startedAt, finishedAt: Temporal.Now.instant(), findings, error: null };
    } catch (error) {
      this.#logger.error({ err: error }, "the check of the books could not be run");
      const why = "The check could not be run: the server's log says why.";
      this.#last = { startedAt, finishedAt: Temporal.Now.instant(), findings: null, error: why };
    } finally {
      this.#runningSince = null;
    }
  }
}
