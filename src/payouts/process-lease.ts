// The process's lease: the sign of life that keeps others from taking its claims over.
// What belongs here: keeping the lease, and freeing the claims of processes that lost theirs.
import type { Pool } from "../platform/database/pool.ts";
import type { Logger } from "../platform/log.ts";
import { findDeadProcesses, releaseClaims, removeProcess, renewLease } from "./dispatch-store.ts";

const LEASE_MS = 10_000;
const RENEW_MS = 2500;
/** Trusted shorter here than in the database, so that clocks and pauses err on the safe side. */
const TRUSTED_MS = 8000;

export class ProcessLease {
  readonly processId: bigint;
  readonly #pool: Pool;
  readonly #logger: Logger;
  #heldUntilMs = 0;
  #term = 0;
  #timer: NodeJS.Timeout | null = null;
  #renewal: Promise<void> | null = null;

  constructor(pool: Pool, processId: bigint, logger: Logger) {
    this.#pool = pool;
    this.processId = processId;
    this.#logger = logger;
  }

  /** Whether this process may call the bank for what it has claimed. */
  get isHeld(): boolean {
    return performance.now() < this.#heldUntilMs;
  }

  /** Counts the leases that ran out: what was claimed in an earlier term is no longer this process's. */
  get term(): number {
    return this.#term;
  }

  /** Takes the lease. `alone` says that no other process can be alive, so that all their claims are free at once. */
  async begin(alone: boolean): Promise<void> {
    await this.#renew();
    await this.#freeDead(alone);
    this.#timer = setInterval(() => {
      this.#renewal ??= this.#renew()
        .then(() => this.#freeDead(false))
        .catch((error: unknown) => this.#logger.warn({ err: error }, "could not renew the dispatcher's lease"))
        .finally(() => {
          this.#renewal = null;
        });
    }, RENEW_MS);
  }

  /** Gives the lease up and frees all that this process holds. */
  async end(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    await this.#renewal;
    this.#heldUntilMs = 0;
    await releaseClaims(this.#pool, Temporal.Now.instant(), this.processId);
    await removeProcess(this.#pool, this.processId);
  }

  async #renew(): Promise<void> {
    const startedMs = performance.now();
    const now = Temporal.Now.instant();
    const kept = await renewLease(this.#pool, now, this.processId, now.add({ milliseconds: LEASE_MS }));
    // Whatever this process claimed under a lease that ran out is for anybody to ask about; it starts afresh.
    if (!kept) {
      this.#term += 1;
      await releaseClaims(this.#pool, now, this.processId);
    }
    this.#heldUntilMs = startedMs + TRUSTED_MS;
  }

  async #freeDead(all: boolean): Promise<void> {
    const now = Temporal.Now.instant();
    for (const processId of await findDeadProcesses(this.#pool, now, this.processId, all)) {
      const freed = await releaseClaims(this.#pool, now, processId);
      await removeProcess(this.#pool, processId);
      this.#logger.info(
        { process_id: String(processId), transfers: freed },
        "took over from a dispatcher that is gone",
      );
    }
  }
}
