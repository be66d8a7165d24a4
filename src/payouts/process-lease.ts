// The process's lease: the sign of life that keeps others from taking its claims over.
// What belongs here: keeping the lease, and taking over from processes that lost theirs.
import type { IdSource } from "../platform/database/ids.ts";
import type { Pool } from "../platform/database/pool.ts";
import type { Logger } from "../platform/log.ts";
import { putBackClaimsOf } from "./claim-transfers.ts";
import { findDeadProcesses, removeProcess, renewLease } from "./dispatch-store.ts";
import { ProcessClaims } from "./process-claims.ts";

const LEASE_MS = 10_000;
const RENEW_MS = 2500;
/** Trusted shorter here than in the database, from before it is asked for: pauses err on the safe side. */
const TRUSTED_MS = 8000;

export class ProcessLease {
  readonly processId: bigint;
  readonly claims: ProcessClaims;
  readonly #pool: Pool;
  readonly #logger: Logger;
  #heldUntilMs = 0;
  #term = 0;
  #timer: NodeJS.Timeout | null = null;
  #renewal: Promise<void> | null = null;
  #takeover: Promise<void> | null = null;

  /** @param ids gives claims their ids */
  constructor(pool: Pool, ids: IdSource, processId: bigint, logger: Logger) {
    this.#pool = pool;
    this.claims = new ProcessClaims(processId, ids);
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
    this.#timer = setInterval(() => this.#keep(), RENEW_MS);
  }

  /** Gives the lease up and puts back all that this process has in hand. */
  async end(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    await Promise.all([this.#renewal, this.#takeover]);
    this.#heldUntilMs = 0;
    await putBackClaimsOf(this.#pool, this.processId);
    await removeProcess(this.#pool, this.processId, true);
  }

  /** Renews the lease, and beside that takes over from the dead: where they had much in hand, that outlasts a lease. */
  #keep(): void {
    this.#renewal ??= this.#renew()
      .catch((error: unknown) => this.#logger.warn({ err: error }, "could not renew the dispatcher's lease"))
      .finally(() => {
        this.#renewal = null;
      });
    this.#takeover ??= this.#freeDead(false)
      .catch((error: unknown) =>
        this.#logger.warn({ err: error }, "could not take over from a dispatcher that is gone"),
      )
      .finally(() => {
        this.#takeover = null;
      });
  }

  async #renew(): Promise<void> {
    const startedMs = performance.now();
    const kept = await renewLease(this.#pool, this.processId, LEASE_MS);
    // Others may have taken over what this process claimed under a lease that ran out: it lets go of it, and starts afresh.
    if (!kept) this.#term += 1;
    this.#heldUntilMs = startedMs + TRUSTED_MS;
  }

  async #freeDead(all: boolean): Promise<void> {
    for (const processId of await findDeadProcesses(this.#pool, this.processId, all)) {
      const freed = await putBackClaimsOf(this.#pool, processId);
      // One that was only paused may be back by now, with a new lease.
      await removeProcess(this.#pool, processId, all);
      this.#logger.info(
        { process_id: String(processId), transfers: freed },
        "took over from a dispatcher that is gone",
      );
    }
  }
}
