// The simulator rail: a simulated bank with its own durable book, connections and role. simulator-*.ts have outcomes and SQL.
import { setTimeout as sleep } from "node:timers/promises";
import { Batcher } from "../../platform/batcher.ts";
import { findInEachPart, inEachPart, tryInEachPart, placeOf, withNodes } from "../../platform/database/citus/index.ts";
import { createPool, type OwnedPool, type Pool, type PoolOptions } from "../../platform/database/pool.ts";
import type { Logger } from "../../platform/log.ts";
import type { PaymentInstruction, PaymentReference, PaymentReport, Rail } from "./rail.ts";
import { decideOutcome, makeUtr } from "./simulator-outcome.ts";
import {
  insertPayments,
  listWork,
  markDelivered,
  readPayments,
  takeDueSteps,
  type NewPayment,
} from "./simulator-store.ts";

/** One connection books while the other reads, steps and marks. */
const POOL_SIZE = 2;
const MAX_BATCH = 500;
/** The poll intervals while this process's payments wait for later steps, and otherwise, for payments of dead processes. */
const WORK_INTERVAL_MS = 200;
const IDLE_INTERVAL_MS = 1000;
const WORK_INTERVAL_AFTER_FAILURE_MS = 1000;
/** A change that is not received for this long is reported again, by any process. */
const REDELIVER_AFTER_MS = 300;
/** Timers may fire a little early by the database's clock. */
const CLOCK_MARGIN_MS = 20;

export type SimulatorOptions = {
  readonly databaseUrl: string;
  /** How long each call waits before it is answered. */
  readonly latencyMs: number;
  /** How many of a hundred payments are declined. */
  readonly declinePercent: number;
  /** How many of a hundred calls break off: half before and half after the bank has processed them. */
  readonly errorPercent: number;
  /** Like `Math.random`. */
  readonly random?: () => number;
  readonly logger: Logger;
};

type Booking = { readonly report: PaymentReport; readonly isNew: boolean };

/** The rail name of the simulated bank. */
export const SIMULATOR = "simulator";

/** The simulated bank as a rail. Its schema must exist; its connections take the role `nodal_simulator`. */
export function createSimulator(options: SimulatorOptions): Rail {
  return new Simulator(options);
}

class Simulator implements Rail {
  readonly name = SIMULATOR;
  readonly #options: SimulatorOptions;
  readonly #random: () => number;
  readonly #pool: OwnedPool;
  readonly #bookings: Batcher<NewPayment, Booking>;
  readonly #stopping = new AbortController();
  #work: Promise<void> = Promise.resolve();
  /** Until when later steps of payments booked here become due and are reported. */
  #busyUntilMs = performance.now() + IDLE_INTERVAL_MS;
  #rest: AbortController | null = null;

  constructor(options: SimulatorOptions) {
    this.#options = options;
    this.#random = options.random ?? Math.random;
    const ofBook: PoolOptions = {
      url: options.databaseUrl,
      size: POOL_SIZE,
      role: "nodal_simulator",
      onError: (error) => options.logger.warn({ err: error }, "the simulated bank lost a database connection"),
    };
    this.#pool = withNodes(createPool(ofBook), ofBook);
    const placeOfBooking = placeOf(this.#pool);
    this.#bookings = new Batcher({
      run: (payments: readonly NewPayment[]) => this.#book(payments),
      maxBatch: MAX_BATCH,
      lanes: 1,
      placeOf: ({ instruction }: NewPayment) => placeOfBooking(instruction),
    });
  }

  submit(instruction: PaymentInstruction, signal: AbortSignal): Promise<PaymentReport> {
    return this.#answer(signal, async () => {
      const isDeclined = this.#random() * 100 < this.#options.declinePercent;
      const outcome = decideOutcome(instruction, isDeclined);
      const isPaid = outcome.status === "SUCCESS" || outcome.next?.status === "SUCCESS";
      const utr = isPaid ? makeUtr(instruction, Temporal.Now.instant()) : null;
      const { report, isNew } = await this.#bookings.add({ instruction, ...outcome, utr });
      if (!outcome.holdsAnswer || !outcome.next || !isNew) return report;
      await sleep(outcome.next.delayMs + CLOCK_MARGIN_MS, undefined, { signal });
      return (await this.#read(instruction)) ?? report;
    });
  }

  status(reference: PaymentReference, signal: AbortSignal): Promise<PaymentReport | null> {
    return this.#answer(signal, () => this.#read(reference));
  }

  start(onReport: (report: PaymentReport) => Promise<void>): void {
    this.#work = this.#keepWorking(onReport);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#work;
    await this.#bookings.drain();
    await this.#pool.end();
  }

  /** Runs one call with the configured delays and broken connections, until it is aborted. */
  async #answer<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const { latencyMs, errorPercent } = this.#options;
    const dice = this.#random() * 100;
    if (dice < errorPercent / 2) throw new Error("The connection to the simulated bank broke before it took the call.");
    const result = await untilAborted(work(), signal);
    if (latencyMs > 0) await sleep(latencyMs, undefined, { signal });
    if (dice < errorPercent) throw new Error("The connection to the simulated bank broke before its answer arrived.");
    return result;
  }

  async #read(reference: PaymentReference): Promise<PaymentReport | null> {
    return (await inEachPart(this.#pool, [reference], readPayments)).flat()[0] ?? null;
  }

  /** Books a batch in one commit, or on Citus in one for each group of shards, which then fails alone. */
  #book(payments: readonly NewPayment[]): Promise<readonly (Booking | Error)[]> {
    const placed = payments.map((payment) => ({ payment, bucket: payment.instruction.bucket }));
    return findInEachPart(this.#pool, placed, (pool, some) =>
      this.#bookAt(
        pool,
        some.map(({ payment }) => payment),
      ),
    );
  }

  /** Books payments in one commit, and returns each as it is in the book. */
  async #bookAt(pool: Pool, payments: readonly NewPayment[]): Promise<Booking[]> {
    const firsts = new Map<bigint, NewPayment>();
    for (const payment of payments) {
      const { transferId } = payment.instruction;
      if (!firsts.has(transferId)) firsts.set(transferId, payment);
    }
    const distinct = [...firsts.values()];
    const newIds = await insertPayments(pool, distinct);
    this.#expectStepsOf(distinct);
    const known = distinct.map(({ instruction }) => instruction).filter(({ transferId }) => !newIds.has(transferId));
    const reports = new Map<bigint, PaymentReport>();
    for (const payment of distinct) reports.set(payment.instruction.transferId, toReport(payment));
    if (known.length > 0) {
      for (const report of await readPayments(pool, known)) reports.set(report.transferId, report);
    }
    return payments.map((payment) => {
      const { transferId } = payment.instruction;
      const isNew = newIds.has(transferId) && firsts.get(transferId) === payment;
      return { report: reports.get(transferId)!, isNew };
    });
  }

  /** Schedules the later steps of payments soon after they are due. */
  #expectStepsOf(payments: readonly NewPayment[]): void {
    const delaysMs = payments.flatMap(({ next }) => (next === null ? [] : [next.delayMs]));
    if (delaysMs.length === 0) return;
    const untilMs = performance.now() + Math.max(...delaysMs) + REDELIVER_AFTER_MS + IDLE_INTERVAL_MS;
    this.#busyUntilMs = Math.max(this.#busyUntilMs, untilMs);
    this.#rest?.abort();
  }

  async #keepWorking(onReport: (report: PaymentReport) => Promise<void>): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      let hasFailed = false;
      try {
        const count = await this.#takeStepsAndDeliver(onReport);
        if (count >= MAX_BATCH) continue;
      } catch (error) {
        this.#options.logger.warn({ err: error }, "the simulated bank could not run or report due steps; will retry");
        hasFailed = true;
      }
      if (!hasFailed) await this.#takeRest();
      else await sleep(WORK_INTERVAL_AFTER_FAILURE_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Waits until steps may be due, or for long if none is expected. */
  async #takeRest(): Promise<void> {
    const isBusy = performance.now() < this.#busyUntilMs;
    const over = new AbortController();
    if (!isBusy) this.#rest = over;
    const signal = AbortSignal.any([this.#stopping.signal, over.signal]);
    const pauseMs = isBusy ? WORK_INTERVAL_MS : IDLE_INTERVAL_MS;
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    this.#rest = null;
  }

  /**
   * One round: takes due steps and reports them, with earlier reports that were not received. Returns how many it reported; rejects if one
   * was not received, or a Citus node is down.
   */
  async #takeStepsAndDeliver(onReport: (report: PaymentReport) => Promise<void>): Promise<number> {
    const { due, undelivered } = await listWork(this.#pool, MAX_BATCH, REDELIVER_AFTER_MS);
    const taken = await tryInEachPart(this.#pool, due, takeDueSteps);
    const reports = [...undelivered, ...taken.done.flat()];
    const outcomes = await Promise.allSettled(reports.map(async (report) => onReport(report)));
    const delivered = reports.filter((_, index) => outcomes[index]!.status === "fulfilled");
    await inEachPart(this.#pool, delivered, markDelivered);
    const refused = outcomes.find((outcome) => outcome.status === "rejected");
    const failure: unknown = taken.failure ?? refused?.reason ?? null;
    if (failure !== null) throw failure as Error;
    return reports.length;
  }
}

/** The report on a payment that was just booked; it has the UTR only once the money has moved. */
function toReport({ instruction, status, utr, reason, acknowledged }: NewPayment): PaymentReport {
  const { transferId, bucket, merchantId } = instruction;
  return { transferId, bucket, merchantId, status, utr: status === "SUCCESS" ? utr : null, reason, acknowledged };
}

/** Waits for the work, or rejects with the signal's reason as soon as it aborts; the work itself goes on. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
