// The dispatcher: sends accepted transfers to the bank and writes the bank's answers. Before each call the attempt is
// durable (state SUBMITTING and a claim). Every call uses the transfer's own id, so the bank pays it at most once.
import { findFreeBooks } from "../../ledger/index.ts";
import { findInEachPart, tryInEachPart, placeOf } from "../../platform/database/citus/index.ts";
import { isLockTimeout } from "../../platform/database/failure.ts";
import type { Pool } from "../../platform/database/pool.ts";
import { Batcher } from "../../platform/batcher.ts";
import type { Logger } from "../../platform/log.ts";
import { TurnQueue } from "../../platform/gate.ts";
import { flat, type Settled } from "../../platform/settled.ts";
import type { PayoutWriter } from "../batch/payout-writer.ts";
import {
  BankCalls,
  bankCallOf,
  claimedTransferOf,
  turnOf,
  unknown,
  type BankAnswer,
  type CallResult,
  type PutBack,
  type Work,
} from "./bank-calls.ts";
import { CallsInProgress, ClaimedTransfers, FirstAnswers, SearchBackoff } from "./dispatch-state.ts";
import { claimTransfers, holdClaims, mayLeave, type Claimed } from "./claim-transfers.ts";
import type { Unsent } from "../claim-store.ts";
import { findDue } from "./dispatch-store.ts";
import { HeldTransfers } from "./held-transfers.ts";
import { lookAfterOwnClaims } from "./own-claims.ts";
import type { ProcessLease } from "./process-lease.ts";
import type { PaymentInstruction, PaymentReport } from "../rails/rail.ts";
import type { Rails } from "../providers/rails.ts";
import type { Report, TransferStatus } from "../transfer-store.ts";
import type { TransferIdentity } from "../transfer.ts";
import { WaitRules } from "./wait-rules.ts";
import { ASK_AGAIN_MS } from "../waits.ts";

const POLL_MS = 250;
/** The wait before a transfer is tried again whose account is out of order. */
const UNASKED_AGAIN_MS = 5000;
const MAX_BATCH = 500;
/** How many transfers may wait in memory for each call in progress; the rest waits in the database. */
const QUEUED_PER_CALL = 150;
/** How long a merchant whose book is locked is left out of claims. */
const LEFT_OUT_MS = 1000;
/** How often to look for this process's unknown claims, and to remove its finished ones. */
const CLAIMS_LOOK_MS = 2500;
/** How often to retry putting back transfers that the process can't work on. */
const PUT_BACK_MS = 500;

export type DispatcherOptions = {
  readonly pool: Pool;
  /** Writes the bank's answers. */
  readonly writer: PayoutWriter;
  readonly rails: Rails;
  readonly lease: ProcessLease;
  readonly concurrency: number;
  readonly bankTimeoutMs: number;
  readonly logger: Logger;
};

/** The least time between two checks whether transfers that wait in memory may still leave. */
const LOOK_SPACING_MS = 5;

/** The claim of a transfer, and the lease term of that claim. */
type Under = Pick<Work, "claimId" | "term">;
type ClaimedUnder = Claimed & Pick<Under, "claimId">;

/** "later" if the books are locked. */
async function tryToHold(pool: Pool, claimed: readonly Unsent[]): Promise<(null | "later")[]> {
  const outcome = await holdClaims(pool, claimed).then(
    () => null,
    (error: unknown) => {
      if (isLockTimeout(error)) return "later" as const;
      throw error;
    },
  );
  return claimed.map(() => outcome);
}

export class Dispatcher {
  readonly #options: DispatcherOptions;
  /** Checks again whether transfers may leave. Putting them on hold is separate, since it waits for books. */
  readonly #looks: Batcher<TransferIdentity & { readonly rail: string }, boolean>;
  readonly #holds: Batcher<Unsent, null | "later">;
  readonly #held: HeldTransfers;
  readonly #bank: BankCalls;
  readonly #calls = new Set<AbortController>();
  readonly firstAnswers = new FirstAnswers();
  readonly #underWay: CallsInProgress;
  /** Transfers that this process has claimed and has not reported on. */
  readonly #working: ClaimedTransfers;
  /** Claimed transfers that wait for a call, in turns by merchant. */
  readonly #queue = new TurnQueue<Work>();
  /** Merchants whose books were locked at the last claim, and until when they are left out. */
  readonly #leftOut = new Map<bigint, number>();
  #polling: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #stopping = false;
  /** Whether the database may have more due transfers than there was room for. */
  #backlog = false;
  #lookAfterClaimsAtMs = 0;
  readonly #searchBackoff = new SearchBackoff();

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#underWay = new CallsInProgress(options.concurrency);
    this.#working = new ClaimedTransfers(options.concurrency * (1 + QUEUED_PER_CALL));
    const { pool } = options;
    const atOnce = { maxBatch: MAX_BATCH, lanes: 1, placeOf: placeOf(pool) };
    const look = (claims: readonly (TransferIdentity & { rail: string })[]) => findInEachPart(pool, claims, mayLeave);
    this.#looks = new Batcher({ ...atOnce, run: look, spacingMs: LOOK_SPACING_MS });
    const hold = (claimed: readonly Unsent[]) => {
      options.writer.forget(claimed);
      return findInEachPart(pool, claimed, tryToHold);
    };
    this.#holds = new Batcher({ ...atOnce, run: hold });
    const rules = new WaitRules(pool);
    this.#held = new HeldTransfers(pool, options.rails, rules);
    this.#bank = new BankCalls({
      pool,
      rails: options.rails,
      rules,
      isOurs: (work) => this.#isOurs(work),
      looks: this.#looks,
      holds: this.#holds,
      isStopping: () => this.#stopping,
      logger: options.logger,
    });
  }

  /**
   * Those transfers that this process has room to start at once; the rest stays in the database. One merchant has at most half of the
   * room.
   */
  findRoom<T extends TransferIdentity>(transfers: readonly T[]): ReadonlySet<T> {
    if (this.#stopping || !this.#options.lease.isHeld) return new Set();
    return this.#working.findRoom(transfers);
  }

  /** Starts to claim due transfers and to listen to the bank. The lease must be held. */
  start(): void {
    this.#options.rails.start((report) => this.hear(report));
    this.#options.rails.onWorking = () => this.#held.lookSoon();
    if (this.#options.rails.paces) this.#options.rails.paces.onRoom = () => this.#fill();
    this.#timer = setInterval(() => this.poll(), POLL_MS);
    this.poll();
  }

  /** Whether the dispatcher is alive and may claim, for the readiness check. */
  get isRunning(): boolean {
    return this.#timer !== null && !this.#stopping && this.#options.lease.isHeld;
  }

  /** Starts a transfer that this process has just accepted and claimed. */
  takeOn(instruction: PaymentInstruction, rail: string, under: Under): void {
    this.#enqueue({ instruction, rail, isRailKnown: true, state: "RESERVED", attempts: 0, ...under });
  }

  /** Notes that transfers were left in the database because there was no room, so that they are claimed later. */
  noteBacklog(): void {
    this.#backlog = true;
  }

  /** How many transfers this process has claimed and not reported on. */
  get working(): number {
    return this.#working.size;
  }

  /** Whether this process is working on the transfer. */
  isWorkingOn(transferId: bigint): boolean {
    return this.#working.has(transferId);
  }

  /**
   * Stops: starts nothing more, waits at most `drainMs` for calls in progress, aborts the rest and puts all claimed transfers back, so
   * that the next start asks the bank about them.
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
    await this.#options.rails.stop();
    await this.#options.writer.drain();
    this.firstAnswers.end();
    await this.#options.lease.end();
  }

  /** Looks for due transfers, unless a poll is in progress. */
  poll(): void {
    if (this.#polling || this.#stopping) return;
    this.#polling = this.#look();
  }

  /** If a step fails, the others still run, since only one of several nodes may be down. */
  async #look(): Promise<void> {
    const warn = (err: unknown): void => this.#options.logger.warn({ err }, "could not look for due transfers");
    for (const step of [() => this.#lookAfterClaims(), () => this.#held.freeSome(), () => this.#claimDue()])
      if (!this.#stopping) await step().catch(warn);
    this.#polling = null;
  }

  async #lookAfterClaims(): Promise<void> {
    if (performance.now() < this.#lookAfterClaimsAtMs) return;
    this.#lookAfterClaimsAtMs = performance.now() + CLAIMS_LOOK_MS;
    await lookAfterOwnClaims(this.#options);
  }

  /** Stops working on a transfer whose claim stays in the database. It is put back soon. */
  #drop(work: Work): void {
    this.#working.remove(work.instruction);
    this.#options.lease.claims.drop(claimedTransferOf(work));
    this.#lookAfterClaimsAtMs = Math.min(this.#lookAfterClaimsAtMs, performance.now() + PUT_BACK_MS);
  }

  async #claimDue(): Promise<void> {
    const { pool, lease } = this.#options;
    if (!this.#searchBackoff.areOver) return;
    this.#backlog = false;
    while (this.#working.room > 0 && lease.isHeld && !this.#stopping) {
      const wanted = Math.min(this.#working.room, MAX_BATCH);
      const full = this.#working.merchantsWithoutRoom();
      const startedAtMs = performance.now();
      const due = await findDue(pool, Temporal.Now.instant(), wanted, [...full, ...this.#findLeftOut()]);
      const { term } = lease;
      if (due.length === 0 || !lease.isHeld) {
        this.#backlog = full.length > 0;
        if (this.#backlog) this.#searchBackoff.add(startedAtMs);
        return;
      }
      const { done: claimed, failure } = await this.#claim([...this.findRoom(due)]);
      // The oldest first, so that transfers that waited for a provider continue in order.
      claimed.sort((one, other) => (one.instruction.transferId < other.instruction.transferId ? -1 : 1));
      for (const work of claimed) this.#enqueue({ ...work, term });
      // Otherwise the transfers that could not be claimed would be found again at once.
      if (failure !== null || due.length < wanted) return;
    }
    this.#backlog = true;
  }

  /** Claims these on their database nodes. The next poll retries those of a node that fails. */
  async #claim(due: readonly TransferIdentity[]): Promise<Settled<ClaimedUnder>> {
    const { pool, logger } = this.#options;
    const claimed = flat(await tryInEachPart(pool, due, (where, some) => this.#claimAt(where, some)));
    if (claimed.failure !== null) logger.warn({ err: claimed.failure }, "could not claim some due transfers");
    return claimed;
  }

  /** Claims these. A merchant whose book is locked is left out for a while. */
  async #claimAt(pool: Pool, due: readonly TransferIdentity[]): Promise<ClaimedUnder[]> {
    const { lease } = this.#options;
    const claim = (some: readonly TransferIdentity[]) =>
      lease.claims.use(async (under) => {
        const { claimId } = under;
        const claimed = await claimTransfers(pool, Temporal.Now.instant(), under, some);
        for (const { instruction } of claimed) lease.claims.add(claimId, instruction);
        return claimed.map((work) => ({ ...work, claimId }));
      });
    try {
      return await claim(due);
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
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
    this.#queue.push(turnOf(work), work);
    this.#fill(work);
  }

  /** `justClaimed` was checked by the statement that claimed it; transfers that have waited since are checked again. */
  #fill(justClaimed: Work | null = null): void {
    while (!this.#underWay.isFull && !this.#stopping) {
      const work = this.#queue.shift((next) => this.#underWay.hasRoom(bankCallOf(next)) && this.#isInPace(next));
      if (!work) break;
      if (this.#isOurs(work)) void this.#call(work, work === justClaimed);
      else this.#drop(work);
    }
    if (this.#backlog && this.#queue.length < this.#options.concurrency) this.poll();
  }

  /** Whether the rate limit allows its call soon. If not, it waits here, without taking a place among the calls. */
  #isInPace({ rail, state }: Work): boolean {
    return this.#options.rails.paces?.hasRoom(rail, state === "RESERVED" ? "payment" : "question") ?? true;
  }

  /** Whether the lease still covers it. If not, others may have claimed it, and this process must not call the bank. */
  #isOurs({ term }: Work): boolean {
    const { lease } = this.#options;
    return lease.isHeld && term === lease.term;
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
    const end = this.#underWay.begin(bankCallOf(work), () => this.#fill());
    let isAnswered = false;
    let result: CallResult;
    try {
      result = await this.#bank.run(work, isJustClaimed, call.signal);
      isAnswered = true;
    } catch (error) {
      this.#options.logger.warn({ err: error, transfer_id: String(transferId) }, "the outcome at the bank is unknown");
      result = unknown(instruction);
    } finally {
      clearTimeout(timer);
      this.#calls.delete(call);
      end(isAnswered);
    }
    if (result === "later") this.#tryLater(work);
    else if (result === "not ours") this.#drop(work);
    else await this.#finish(work, result);
    this.#fill();
  }

  /** Writes the result of a call, which ends the claim. */
  async #finish(work: Work, result: BankAnswer | PutBack | "unasked"): Promise<void> {
    const { instruction, attempts } = work;
    const isUnasked = result === "unasked";
    const waitMs = isUnasked ? UNASKED_AGAIN_MS : ASK_AGAIN_MS[Math.min(attempts, ASK_AGAIN_MS.length - 1)]!;
    try {
      const dueAt = Temporal.Now.instant().add({ milliseconds: waitMs });
      if (!isUnasked && "waitsFor" in result) this.#tellWaiting(instruction, result);
      else if (isUnasked) await this.#write({ ...unknown(instruction), dueAt, attempts });
      else await this.#write({ ...result, dueAt, attempts: attempts + 1 });
      this.#options.lease.claims.settle(claimedTransferOf(work));
      this.#working.remove(instruction);
    } catch (error) {
      const transfer_id = String(instruction.transferId);
      this.#options.logger.error({ err: error, transfer_id }, "could not save the bank's answer");
      this.#drop(work);
    }
  }

  /** Answers the request, which need not wait for a provider that accepts nothing. */
  #tellWaiting({ transferId }: TransferIdentity, { waitsFor }: PutBack): void {
    const status = { transferId, state: "RESERVED", utr: null, reason: waitsFor } as const;
    if (waitsFor !== null) this.firstAnswers.tell(transferId, status);
  }

  /** Lets an unsent transfer wait for its merchant's book without taking a place among the calls. */
  #tryLater(work: Work): void {
    setTimeout(() => {
      this.#queue.push(turnOf(work), work);
      this.#fill();
    }, PUT_BACK_MS).unref();
  }

  /** Handles a change that the bank reports unasked. Rejects if it can't be written, so that it is delivered again. */
  async hear(report: PaymentReport): Promise<void> {
    const { transferId } = report;
    const dueAt = report.status === "PENDING" ? Temporal.Now.instant().add({ milliseconds: ASK_AGAIN_MS[0]! }) : null;
    const status = await this.#write({ ...report, dueAt, attempts: 1 });
    if (!status)
      this.#options.logger.error({ transfer_id: String(transferId) }, "the bank reported on an unknown transfer");
  }

  /** Writes a report, and answers the request that waits for the bank's first answer. */
  async #write(report: Report): Promise<TransferStatus | null> {
    const status = await this.#options.writer.report(report);
    if (report.status !== "UNKNOWN" && status) this.firstAnswers.tell(report.transferId, status);
    return status;
  }
}
