// The process's lease: the sign of life that keeps others from taking its claims over; which of its claims are in use, and
// taking over from processes that lost their lease. What stands of claims in the database is in claim-store.ts.
import type { IdSource } from "../../platform/database/ids.ts";
import type { Pool } from "../../platform/database/pool.ts";
import type { Logger } from "../../platform/log.ts";
import type { Claim, ClaimedTransfer, ListedClaim } from "../claim-store.ts";
import { putBackClaimsOf } from "./claim-transfers.ts";
import { findDeadProcesses, removeProcess, renewLease } from "./dispatch-store.ts";

export class ProcessClaims {
  readonly #processId: bigint;
  readonly #ids: IdSource;
  /** Claims that are being written at the moment. */
  readonly #beingWritten = new Set<bigint>();
  /** How many transfers have not been settled under each claim, and of which bucket one of them is. */
  readonly #countOf = new Map<bigint, { count: number; readonly bucket: number }>();
  readonly #claimOf = new Map<bigint, bigint>();
  /** Transfers that this process does not work on any more, and has not settled. */
  readonly #dropped = new Map<bigint, ClaimedTransfer>();
  /** Claims whose transfers have all left this process's hand, so that their rows may go. */
  readonly #done = new Map<bigint, ListedClaim>();

  constructor(processId: bigint, ids: IdSource) {
    this.#processId = processId;
    this.#ids = ids;
  }

  /**
   * Runs `write`, which writes a new claim and adds what it took in hand under it. Each attempt to write needs a claim of its
   * own, since of an earlier one it may not be known whether it was committed: where it failed, the claim is forgotten, and is
   * a stray if it is there all the same.
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

  /** Notes a transfer that was taken in hand under a claim, while it is being written. */
  add(claimId: bigint, { bucket, transferId }: Pick<ClaimedTransfer, "bucket" | "transferId">): void {
    const earlier = this.#claimOf.get(transferId);
    if (earlier !== undefined) this.settle({ transferId, claimId: earlier });
    this.#claimOf.set(transferId, claimId);
    const known = this.#countOf.get(claimId) ?? { count: 0, bucket };
    known.count += 1;
    this.#countOf.set(claimId, known);
  }

  /**
   * Notes that a transfer is not in hand under a claim any more: its end, or its place in the queue, is in the database. It
   * may have come in hand again by then: under another claim it still is, whose row must not go.
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
   * Notes that nobody works on a transfer any more, and that the database has it in this process's hand under a claim: it is
   * put back, unless it has come in hand again.
   */
  drop(claimed: ClaimedTransfer): void {
    const { transferId, claimId } = claimed;
    if (this.#claimOf.get(transferId) === claimId) this.#dropped.set(transferId, claimed);
  }

  /** What is to be put back. */
  listDropped(): ClaimedTransfer[] {
    return [...this.#dropped.values()];
  }

  /** Whether the process knows of a claim; one in its name of which it does not know is a stray. */
  knows(claimId: bigint): boolean {
    return this.#beingWritten.has(claimId) || this.#countOf.has(claimId) || this.#done.has(claimId);
  }

  /** Claims whose rows may go. */
  listDone(): ListedClaim[] {
    return [...this.#done.values()];
  }

  /** Forgets claims whose rows are gone. */
  forget(claims: readonly ListedClaim[]): void {
    for (const { claimId } of claims) this.#done.delete(claimId);
  }
}

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
    await this.#takeOver(alone);
    this.#timer = setInterval(() => this.#keep(), RENEW_MS);
  }

  /** Gives the lease up and puts back all that this process has in hand. */
  async end(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    await Promise.all([this.#renewal, this.#takeover]);
    this.#heldUntilMs = 0;
    // What stays, such as on a node of Citus that is away, others find by its having no lease.
    await putBackClaimsOf(this.#pool, this.processId).catch((error: unknown) =>
      this.#logger.warn({ err: error }, "could not return all claimed transfers to the queue"),
    );
    await removeProcess(this.#pool, this.processId, true);
  }

  /** Renews the lease, and beside that takes over from the dead: where they had much in hand, that outlasts a lease. */
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
    // Others may have taken over what this process claimed under a lease that ran out: it lets go of it, and starts afresh.
    if (!kept) this.#term += 1;
    this.#heldUntilMs = startedMs + TRUSTED_MS;
  }

  /** What can't be taken over now, such as from a node of Citus that is away, is tried again. */
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
    // One that was only paused may be back by now, with a new lease.
    await removeProcess(this.#pool, processId, always);
    this.#logger.info({ process_id: String(processId), transfers: freed }, "took over from a dead dispatcher");
  }
}
