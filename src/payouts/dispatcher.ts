// The dispatcher: takes accepted transfers to the bank and writes down what the bank says.
// What belongs here: which transfers this process works on, and when. A transfer's attempt is durable (state SUBMITTING
// and a claim) before the bank is called, always under the transfer's own id, so that the bank pays it at most once.
import { findFreeBooks } from "../ledger/index.ts";
import { hasWaitedInVain } from "../platform/database/failure.ts";
import type { Pool } from "../platform/database/pool.ts";
import { Batcher } from "../platform/batcher.ts";
import type { Logger } from "../platform/log.ts";
import { TurnQueue } from "../platform/turn-queue.ts";
import type { PayoutWriter } from "./batch/payout-writer.ts";
import { claimTransfers, holdClaims, mayLeave, type Claimed } from "./claim-transfers.ts";
import { findDue, listClaims, releaseClaims } from "./dispatch-store.ts";
import { HeldTransfers } from "./held-transfers.ts";
import type { ProcessLease } from "./process-lease.ts";
import type { PaymentInstruction, PaymentReport, Rail } from "./rails/rail.ts";
import type { Report, Standing } from "./transfer-store.ts";
import type { TransferIdentity } from "./transfer.ts";
import { WorkInHand } from "./work-in-hand.ts";

const POLL_MS = 250;
/** When to ask about an open transfer again: by the number of times that the bank was asked, then the last for good. */
const ASK_AGAIN_MS = [500, 1000, 2000, 5000, 10_000, 30_000, 60_000, 300_000];
const MAX_BATCH = 500;
/** How many transfers may wait in memory for each call under way; what is beyond waits in the database. */
const QUEUED_PER_CALL = 150;
/** How long a merchant whose books are held is left out of claims. */
const LEFT_OUT_MS = 1000;
/** How often to look for claims in this process's name that it does not work on. */
const STRAY_LOOK_MS = 2500;

export type DispatcherOptions = {
  readonly pool: Pool;
  /** Writes the bank's answers. */
  readonly writer: PayoutWriter;
  readonly rail: Rail;
  readonly lease: ProcessLease;
  readonly concurrency: number;
  readonly bankTimeoutMs: number;
  readonly logger: Logger;
};

/** The least time between two looks whether what waited in memory may still leave. */
const LOOK_SPACING_MS = 5;

/** A claimed transfer, and the term of the lease under which it was claimed. */
type Work = Claimed & { readonly term: number };
type Listener = (standing: Standing | null) => void;

/** The bank's first answer on a transfer; `within` gives `null` when none came in that time. */
export type ExpectedAnswer = {
  within(timeoutMs: number): Promise<Standing | null>;
  forget(): void;
};

export class Dispatcher {
  readonly #options: DispatcherOptions;
  /** Looks again whether money may leave; apart from it, since it waits for books, what may not is held back. */
  readonly #looks: Batcher<TransferIdentity, boolean>;
  readonly #holds: Batcher<TransferIdentity, null>;
  readonly #held: HeldTransfers;
  readonly #calls = new Set<AbortController>();
  readonly #listeners = new Map<bigint, Set<Listener>>();
  /** Transfers that this process has claimed and has not reported on. */
  readonly #working: WorkInHand;
  /** Those of them that wait for a call, merchants by turns. */
  readonly #queue = new TurnQueue<Work>();
  /** Merchants whose books were held when their transfers were to be claimed, and until when they are left out. */
  readonly #leftOut = new Map<bigint, number>();
  #polling: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #stopping = false;
  /** Whether more may be due in the database than there was room for. */
  #backlog = false;
  /** Claims in this process's name that it was not working on at the last look. */
  #suspects: ReadonlySet<bigint> = new Set();
  #lookForStraysAtMs = 0;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#working = new WorkInHand(options.concurrency * (1 + QUEUED_PER_CALL));
    const { pool, rail, lease } = options;
    this.#looks = new Batcher({
      run: (claims) => mayLeave(pool, claims, rail.name),
      maxBatch: MAX_BATCH,
      lanes: 1,
      spacingMs: LOOK_SPACING_MS,
    });
    this.#holds = new Batcher({
      run: async (claims) => {
        await holdClaims(pool, lease.processId, claims);
        return claims.map(() => null);
      },
      maxBatch: MAX_BATCH,
      lanes: 1,
    });
    this.#held = new HeldTransfers(options.pool);
  }

  /**
   * The transfers of these that this process can take on at once; the rest stays in the database until there is room. One
   * merchant has at most half of the room.
   */
  findRoom<T extends TransferIdentity>(transfers: readonly T[]): ReadonlySet<T> {
    if (this.#stopping || !this.#options.lease.isHeld) return new Set();
    return this.#working.findRoom(transfers);
  }

  /** Starts to take up what is due in the database, and to listen to the bank. The lease must be held. */
  start(): void {
    this.#options.rail.start((report) => this.#hear(report));
    this.#timer = setInterval(() => this.poll(), POLL_MS);
    this.poll();
  }

  /** Whether the dispatcher is alive and may claim, for the readiness check. */
  get isRunning(): boolean {
    return this.#timer !== null && !this.#stopping && this.#options.lease.isHeld;
  }

  /** Takes on a transfer that was just accepted, claimed by this process in the given term of its lease. */
  takeOn(instruction: PaymentInstruction, term: number): void {
    this.#enqueue({ instruction, state: "RESERVED", attempts: 0, term });
  }

  /** Says that transfers were left in the database for want of room, to be taken up when there is some. */
  noteBacklog(): void {
    this.#backlog = true;
  }

  /** How many transfers this process has claimed and not reported on. */
  get working(): number {
    return this.#working.size;
  }

  /** Whether this process is taking the transfer to the bank at the moment. */
  isWorkingOn(transferId: bigint): boolean {
    return this.#working.has(transferId);
  }

  /** Begins to listen for the bank's first answer on a transfer. The caller must `forget` in the end. */
  expect(transferId: bigint): ExpectedAnswer {
    let hear: (standing: Standing | null) => void = () => {};
    const heard = new Promise<Standing | null>((resolve) => {
      hear = resolve;
    });
    const listeners = this.#listeners.get(transferId) ?? new Set();
    this.#listeners.set(transferId, listeners.add(hear));
    let timer: NodeJS.Timeout | undefined;
    return {
      within: (timeoutMs) => {
        timer = setTimeout(() => hear(null), timeoutMs);
        return heard;
      },
      forget: () => {
        clearTimeout(timer);
        listeners.delete(hear);
        if (listeners.size === 0 && this.#listeners.get(transferId) === listeners) this.#listeners.delete(transferId);
      },
    };
  }

  /**
   * Stops: takes nothing on, waits for the calls under way for at most `drainMs`, breaks off the rest and frees all
   * claims, so that the next start asks the bank about them.
   */
  async stop(drainMs: number): Promise<void> {
    this.#stopping = true;
    if (this.#timer) clearInterval(this.#timer);
    this.#queue.clear();
    await this.#polling;
    const deadline = performance.now() + drainMs;
    while (this.#calls.size > 0 && performance.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 10));
    for (const call of this.#calls) call.abort(new Error("The service is stopping."));
    await this.#options.rail.stop();
    await this.#options.writer.drain();
    for (const transferId of this.#listeners.keys()) this.#tell(transferId, null);
    await this.#options.lease.end();
  }

  /** Looks for due transfers, unless a look is under way. */
  poll(): void {
    if (this.#polling || this.#stopping) return;
    this.#polling = this.#freeStrays()
      .then(() => this.#held.freeSome())
      .then(() => this.#claimDue())
      .catch((error: unknown) => this.#options.logger.warn({ err: error }, "could not look for due transfers"))
      .finally(() => {
        this.#polling = null;
      });
  }

  /**
   * Frees what stands in this process's name and is not worked on: a claim that was committed while the connection broke,
   * so that nobody here heard of it, or one that could not be given back. No lease runs out over it while this process
   * lives. A claim is a stray at the second look, since one that is being made is worked on only once its answer is here.
   */
  async #freeStrays(): Promise<void> {
    if (performance.now() < this.#lookForStraysAtMs) return;
    const { pool, lease, logger } = this.#options;
    const idle = (await listClaims(pool, lease.processId)).filter((transferId) => !this.#working.has(transferId));
    const strays = idle.filter((transferId) => this.#suspects.has(transferId));
    this.#suspects = new Set(idle);
    this.#lookForStraysAtMs = performance.now() + STRAY_LOOK_MS;
    if (strays.length === 0) return;
    await releaseClaims(pool, Temporal.Now.instant(), lease.processId, strays);
    logger.warn({ transfers: strays.length }, "freed claims that nobody worked on");
  }

  async #claimDue(): Promise<void> {
    const { pool, lease } = this.#options;
    this.#backlog = false;
    while (this.#working.room > 0 && lease.isHeld && !this.#stopping) {
      const wanted = Math.min(this.#working.room, MAX_BATCH);
      const full = this.#working.merchantsWithoutRoom();
      const due = await findDue(pool, Temporal.Now.instant(), wanted, [...full, ...this.#findLeftOut()]);
      const { term } = lease;
      if (due.length === 0 || !lease.isHeld) {
        // Theirs is looked for again when there is room.
        this.#backlog = full.length > 0;
        return;
      }
      for (const work of await this.#claim([...this.findRoom(due)])) this.#enqueue({ ...work, term });
      if (due.length < wanted) return;
    }
    this.#backlog = true;
  }

  /** Claims these; of a merchant whose books something else holds nothing, for a while. */
  async #claim(due: readonly TransferIdentity[]): Promise<Claimed[]> {
    const { pool, lease } = this.#options;
    const claim = (some: readonly TransferIdentity[]): Promise<Claimed[]> =>
      claimTransfers(pool, Temporal.Now.instant(), lease.processId, some);
    try {
      return await claim(due);
    } catch (error) {
      if (!hasWaitedInVain(error)) throw error;
    }
    const free = await findFreeBooks(pool, due);
    const untilMs = performance.now() + LEFT_OUT_MS;
    for (const { merchantId } of due) if (!free.has(String(merchantId))) this.#leftOut.set(merchantId, untilMs);
    const others = due.filter(({ merchantId }) => free.has(String(merchantId)));
    return others.length === 0 ? [] : claim(others);
  }

  #findLeftOut(): bigint[] {
    const nowMs = performance.now();
    for (const [merchantId, untilMs] of this.#leftOut) if (untilMs <= nowMs) this.#leftOut.delete(merchantId);
    return [...this.#leftOut.keys()];
  }

  #enqueue(work: Work): void {
    this.#working.add(work.instruction);
    this.#queue.push(String(work.instruction.merchantId), work);
    this.#fill(work);
  }

  /** `justClaimed` may leave by the word of the statement that claimed it; what has waited since is looked at again. */
  #fill(justClaimed: Work | null = null): void {
    const { lease, concurrency } = this.#options;
    while (this.#queue.length > 0 && this.#calls.size < concurrency && !this.#stopping) {
      const work = this.#queue.shift()!;
      // Without the lease others may have claimed it; this process must not call the bank for it.
      if (lease.isHeld && work.term === lease.term) void this.#call(work, work === justClaimed);
      else this.#working.remove(work.instruction);
    }
    if (this.#backlog && this.#queue.length < concurrency) this.poll();
  }

  async #call(work: Work, isJustClaimed: boolean): Promise<void> {
    const { instruction } = work;
    const { transferId } = instruction;
    const call = new AbortController();
    const timer = setTimeout(
      () => call.abort(new Error("The bank did not answer in time.")),
      this.#options.bankTimeoutMs,
    );
    this.#calls.add(call);
    let report: Omit<Report, "dueAt"> | null;
    try {
      report = await this.#ask(work, isJustClaimed, call.signal);
    } catch (error) {
      this.#options.logger.warn({ err: error, transfer_id: String(transferId) }, "the bank's answer is not known");
      const { bucket, merchantId } = instruction;
      report = { bucket, merchantId, transferId, status: "UNKNOWN", utr: null, reason: null, acknowledged: false };
    } finally {
      clearTimeout(timer);
      this.#calls.delete(call);
    }
    const waitMs = ASK_AGAIN_MS[Math.min(work.attempts, ASK_AGAIN_MS.length - 1)]!;
    try {
      if (report) await this.#write({ ...report, dueAt: Temporal.Now.instant().add({ milliseconds: waitMs }) });
    } catch (error) {
      await this.#giveBack(work, error);
    }
    this.#working.remove(instruction);
    this.#fill();
  }

  /**
   * Asks about a transfer that may have been sent before; sends it only if the bank has never heard of it and its money
   * may still leave. Answers `null` for one that was never sent and is held back.
   */
  async #ask(
    { instruction, state }: Work,
    isJustClaimed: boolean,
    signal: AbortSignal,
  ): Promise<Omit<Report, "dueAt"> | null> {
    const { rail, logger } = this.#options;
    const isNew = state === "RESERVED";
    if (!isNew) {
      const known = await rail.status(instruction, signal);
      if (known) return known;
      if (state === "PENDING") {
        logger.error({ transfer_id: String(instruction.transferId) }, "the bank no longer knows a pending transfer");
        throw new Error("The bank no longer knows this transfer.");
      }
    }
    if ((isNew && isJustClaimed) || (await this.#looks.add(instruction))) return rail.submit(instruction, signal);
    if (isNew) return this.#holds.add(instruction);
    throw new Error("The bank has never heard of it, and its merchant's money may not leave for now.");
  }

  /** The bank's answer could not be written: this transfer is asked about again later, by whoever is alive. */
  async #giveBack({ instruction }: Work, error: unknown): Promise<void> {
    const { logger, pool, lease } = this.#options;
    const transferId = String(instruction.transferId);
    logger.error({ err: error, transfer_id: transferId }, "could not write the bank's answer");
    await releaseClaims(pool, Temporal.Now.instant(), lease.processId, [instruction.transferId]).catch(
      (cause: unknown) => logger.error({ err: cause, transfer_id: transferId }, "could not give a transfer back yet"),
    );
  }

  /** A change that the bank reports by itself. Rejects when it could not be written, so that it is delivered again. */
  async #hear(report: PaymentReport): Promise<void> {
    const { transferId } = report;
    const dueAt = report.status === "PENDING" ? Temporal.Now.instant().add({ milliseconds: ASK_AGAIN_MS[0]! }) : null;
    const standing = await this.#write({ ...report, dueAt });
    if (!standing)
      this.#options.logger.error({ transfer_id: String(transferId) }, "the bank reports an unknown transfer");
  }

  /** Writes a report, and tells whoever waits for the bank's first answer. */
  async #write(report: Report): Promise<Standing | null> {
    const standing = await this.#options.writer.report(report);
    if (report.status !== "UNKNOWN" && standing) this.#tell(report.transferId, standing);
    return standing;
  }

  #tell(transferId: bigint, standing: Standing | null): void {
    for (const hear of this.#listeners.get(transferId) ?? []) hear(standing);
  }
}
