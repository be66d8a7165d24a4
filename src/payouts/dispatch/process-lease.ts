// The process's lease, a heartbeat that keeps others from taking over its claims. Also tracks which of its claims are in use, and
// takes over from processes that lost their lease. claim-store.ts has the SQL of claims.
import type { IdSource } from "../../platform/database/ids.ts";
import type { Pool } from "../../platform/database/pool.ts";
import type { Logger } from "../../platform/log.ts";
import type { Claim, ClaimedTransfer, ListedClaim } from "../claim-store.ts";
import { putBackClaimsOf } from "./claim-transfers.ts";
import { findDeadProcesses, removeProcess, renewLease } from "./dispatch-store.ts";

export class ProcessClaims {
  readonly #processId: bigint;
  readonly #ids: IdSource;
  readonly #beingWritten = new Set<bigint>();
  /** The number of unsettled transfers under each claim, and the bucket of one of them. */
  readonly #countOf = new Map<bigint, { count: number; readonly bucket: number }>();
  readonly #claimOf = new Map<bigint, bigint>();
  /** Unsettled transfers that this process no longer works on. */
  readonly #dropped = new Map<bigint, ClaimedTransfer>();
  /** Claims whose transfers are all settled, so that their rows can be removed. */
  readonly #done = new Map<bigint, ListedClaim>();

  constructor(processId: bigint, ids: IdSource) {
    this.#processId = processId;
    this.#ids = ids;
  }

  /**
   * Runs `write`, which writes a new claim and adds the transfers under it. Each attempt needs a new claim, since an earlier one may have
   * been committed. If `write` fails, the claim is forgotten; if it was committed anyway, it is a stray.
   */
  async use<T>(write: (claim: Claim) => Promise<T>): Promise<T> {
    const claimId = await this.#ids.next();
    this.#beingWritten.add(claimId);
    try {
      return await write({ processId: this.#processId, claimId });
    } finally {
      this.#beingWritten.delete(claimId);
    }
  }

  /** Adds a transfer to a claim that is being written. */
  add(claimId: bigint, { bucket, transferId }: Pick<ClaimedTransfer, "bucket" | "transferId">): void {
    const earlier = this.#claimOf.get(transferId);
    if (earlier !== undefined) this.settle({ transferId, claimId: earlier });
    this.#claimOf.set(transferId, claimId);
    const known = this.#countOf.get(claimId) ?? { count: 0, bucket };
    known.count += 1;
    this.#countOf.set(claimId, known);
  }

  /**
   * Records that a transfer has left a claim: the database has its end or its place in the queue. It may be under a new claim by then,
   * whose row must stay.
   */
  settle({ transferId, claimId }: Pick<ClaimedTransfer, "transferId" | "claimId">): void {
    if (this.#claimOf.get(transferId) !== claimId) return;
    this.#claimOf.delete(transferId);
    this.#dropped.delete(transferId);
    const known = this.#countOf.get(claimId)!;
    known.count -= 1;
    if (known.count > 0) return;
    this.#countOf.delete(claimId);
    this.#done.set(claimId, { bucket: known.bucket, claimId });
  }

  /**
   * Records that nobody works on a transfer although the database has it under this process's claim. It is put back, unless it has been
   * claimed again.
   */
  drop(claimed: ClaimedTransfer): void {
    const { transferId, claimId } = claimed;
    if (this.#claimOf.get(transferId) === claimId) this.#dropped.set(transferId, claimed);
  }

  /** The transfers to put back. */
  listDropped(): ClaimedTransfer[] {
    return [...this.#dropped.values()];
  }

  /** Whether the process knows a claim; an unknown claim in its name is a stray. */
  knows(claimId: bigint): boolean {
    return this.#beingWritten.has(claimId) || this.#countOf.has(claimId) || this.#done.has(claimId);
  }

  /** Claims whose rows can be removed. */
  listDone(): ListedClaim[] {
    return [...this.#done.values()];
  }

  /** Forgets claims whose rows were removed. */
  forget(claims: readonly ListedClaim[]): void {
    for (const { claimId } of claims) this.#done.delete(claimId);
  }
}

const LEASE_MS = 10_000;
const RENEW_MS = 2500;
/** Shorter than in the database, and counted from before the request, so that delays err on the safe side. */
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

  /** Counts expired leases: claims of an earlier term no longer belong to this process. */
  get term(): number {
    return this.#term;
  }

  /** Takes the lease. `alone` says that no other process can be running, so that all their claims are freed at once. */
  async begin(alone: boolean): Promise<void> {
    await this.#renew();
    await this.#takeOver(alone);
    this.#timer = setInterval(() => this.#keep(), RENEW_MS);
  }

  /** Gives the lease up and puts all claimed transfers back. */
  async end(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    await Promise.all([this.#renewal, this.#takeover]);
    this.#heldUntilMs = 0;
    // Others find the remaining claims, such as those on a Citus node that is down, because they have no lease.
    await putBackClaimsOf(this.#pool, this.processId).catch((error: unknown) =>
      this.#logger.warn({ err: error }, "could not return all claimed transfers to the queue"),
    );
    await removeProcess(this.#pool, this.processId, true);
  }

  /** Renews the lease, and concurrently takes over from dead processes, which may take longer than a lease. */
  #keep(): void {
    this.#renewal ??= this.#renew()
      .catch((error: unknown) => this.#logger.warn({ err: error }, "could not renew the dispatcher's lease"))
      .finally(() => {
        this.#renewal = null;
      });
    this.#takeover ??= this.#takeOver(false).finally(() => {
      this.#takeover = null;
    });
  }

  async #renew(): Promise<void> {
    const startedMs = performance.now();
    const kept = await renewLease(this.#pool, this.processId, LEASE_MS);
    // Others may have taken over the claims of the expired lease: start a new term without them.
    if (!kept) this.#term += 1;
    this.#heldUntilMs = startedMs + TRUSTED_MS;
  }

  /** Failures, such as a Citus node that is down, are retried. */
  async #takeOver(all: boolean): Promise<void> {
    const warn = (err: unknown): void =>
      this.#logger.warn({ err }, "could not take over from a dead dispatcher; will retry");
    try {
      for (const processId of await findDeadProcesses(this.#pool, this.processId, all))
        await this.#free(processId, all).catch(warn);
    } catch (error) {
      warn(error);
    }
  }

  async #free(processId: bigint, always: boolean): Promise<void> {
    const freed = await putBackClaimsOf(this.#pool, processId);
    // A process that was only paused may have a new lease by now.
    await removeProcess(this.#pool, processId, always);
    this.#logger.info({ process_id: String(processId), transfers: freed }, "took over from a dead dispatcher");
  }
}
