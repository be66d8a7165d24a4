// Metrics of the whole installation, read from its database when Prometheus asks: the same from each of its servers. The domains do
// the counting.
import { countMailQueue } from "../notifications/index.ts";
import { countBatchQueue, countOpenTransfers, type OpenTransfers } from "../payouts/index.ts";
import { hasTimedOut } from "../platform/database/failure.ts";
import type { Pool } from "../platform/database/pool.ts";
import { listSchedules, type ScheduleState } from "../platform/jobs/schedule-store.ts";
import type { QueueState } from "../platform/jobs/worker.ts";
import type { Logger } from "../platform/log.ts";
import type { Metrics, Observe } from "../platform/metrics.ts";
import { countSubscriptionQueue } from "../subscriptions/index.ts";
import { countWebhookQueue } from "../webhooks/index.ts";

/** The database is queried at most once in this time, for any number of requests. */
const KEPT_MS = 15_000;
/** How long a metric is left out after a timeout, without another query. */
const LEFT_OUT_MS = 5 * 60_000;
/** The most waiting transfers that are read: the longest due. */
const TRANSFERS_COUNTED = 10_000;

/** The time limit of one query. The pool's connections should have it as their `statement_timeout`. */
export const METRICS_TIMEOUT_MS = 2000;

const QUEUES = {
  batches: countBatchQueue,
  subscriptions: countSubscriptionQueue,
  mail: countMailQueue,
  webhooks: countWebhookQueue,
};

/** The results; failed parts are missing. */
type Reading = {
  readonly transfers: readonly OpenTransfers[];
  readonly queues: readonly QueueState[];
  readonly schedules: readonly ScheduleState[];
  readonly missing: ReadonlyMap<string, boolean>;
};

/** Adds the installation's metrics, read over `pool`. docs/metrics.md lists them. */
export function addInstallationMetrics(metrics: Metrics, pool: Pool, logger: Logger): void {
  const read = new InstallationReader(pool, logger);
  const gauge = (name: string, help: string, observe: (reading: Reading, observe: Observe) => void): void =>
    metrics.gauge(name, help, async (tell) => observe(await read.latest(), tell));
  gauge(
    "nodal_transfers_open",
    "Unfinished transfers by state; of those waiting, at most 10,000.",
    (reading, observe) => {
      for (const { state, transfers } of reading.transfers) observe(Number(transfers), { state });
    },
  );
  gauge("nodal_transfers_oldest_seconds", "Age of the oldest unfinished transfer.", (reading, observe) => {
    for (const { state, oldestAddedAt } of reading.transfers) observe(secondsSince(oldestAddedAt), { state });
  });
  addQueues(gauge);
  addSchedules(gauge);
  gauge("nodal_metrics_missing", "Whether part of these metrics could not be read.", (reading, observe) => {
    for (const [part, isMissing] of reading.missing) observe(isMissing ? 1 : 0, { part });
  });
}

type AddGauge = (name: string, help: string, observe: (reading: Reading, observe: Observe) => void) => void;

function addQueues(gauge: AddGauge): void {
  const ofEach =
    (value: (queue: QueueState) => number) =>
    ({ queues }: Reading, observe: Observe): void => {
      for (const queue of queues) observe(value(queue), { queue: queue.name });
    };
  gauge(
    "nodal_queue_waiting",
    "Items in a queue, due or not.",
    ofEach(({ waiting }) => Number(waiting)),
  );
  gauge(
    "nodal_queue_retrying",
    "Items in a queue that failed before.",
    ofEach(({ retrying }) => Number(retrying)),
  );
  gauge(
    "nodal_queue_failed",
    "Items given up or parked.",
    ofEach(({ failed }) => Number(failed)),
  );
  gauge(
    "nodal_queue_oldest_due_seconds",
    "How long the oldest due item has waited.",
    ofEach(({ oldestDueAt }) => (oldestDueAt === null ? 0 : secondsSince(oldestDueAt))),
  );
}

function addSchedules(gauge: AddGauge): void {
  gauge("nodal_schedule_failing", "Whether the last run failed.", ({ schedules }, observe) => {
    for (const { name, lastError } of schedules) observe(lastError === null ? 0 : 1, { schedule: name });
  });
  gauge("nodal_schedule_finished_timestamp_seconds", "When the last run ended.", ({ schedules }, observe) => {
    for (const { name, lastFinishedAt } of schedules) {
      if (lastFinishedAt !== null) observe(lastFinishedAt.epochMilliseconds / 1000, { schedule: name });
    }
  });
}

/** Reads each part separately, one after the other, and caches it. */
class InstallationReader {
  readonly #pool: Pool;
  readonly #logger: Logger;
  #latest: Promise<Reading> | null = null;
  #readAtMs = 0;
  readonly #leftOutUntilMs = new Map<string, number>();

  constructor(pool: Pool, logger: Logger) {
    this.#pool = pool;
    this.#logger = logger;
  }

  /** The cached results, read again if too old. Never rejects. */
  latest(): Promise<Reading> {
    const nowMs = performance.now();
    if (this.#latest === null || nowMs - this.#readAtMs > KEPT_MS) {
      this.#readAtMs = nowMs;
      this.#latest = this.#read();
    }
    return this.#latest;
  }

  async #read(): Promise<Reading> {
    const missing = new Map<string, boolean>();
    const part = async <T>(name: string, count: () => Promise<T>): Promise<T | null> => {
      const found = await this.#try(name, count);
      missing.set(name, found === null);
      return found;
    };
    const transfers = await part("transfers", () => countOpenTransfers(this.#pool, TRANSFERS_COUNTED));
    const queues: QueueState[] = [];
    for (const [name, count] of Object.entries(QUEUES)) {
      const queue = await part(name, () => count(this.#pool));
      if (queue !== null) queues.push({ ...queue, name });
    }
    const schedules = await part("schedules", () => listSchedules(this.#pool));
    return { transfers: transfers ?? [], queues, schedules: schedules ?? [], missing };
  }

  async #try<T>(name: string, count: () => Promise<T>): Promise<T | null> {
    if (performance.now() < (this.#leftOutUntilMs.get(name) ?? 0)) return null;
    try {
      return await count();
    } catch (error) {
      if (hasTimedOut(error)) this.#leftOutUntilMs.set(name, performance.now() + LEFT_OUT_MS);
      this.#logger.warn({ err: error, part: name }, "part of the metrics could not be read");
      return null;
    }
  }
}

function secondsSince(at: Temporal.Instant): number {
  return Math.max(0, (Date.now() - at.epochMilliseconds) / 1000);
}
