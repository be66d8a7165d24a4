// What runs again and again: each schedule in one process at a time, whatever dies.
// What belongs here: taking turns, leases, and telling how a run ended. What a run does is its domain's business.
import { randomUUID } from "node:crypto";
import { actingAs } from "../database/acting-pool.ts";
import type { Pool } from "../database/pool.ts";
import type { Logger } from "../log.ts";
import { actorOf } from "../origin.ts";
import { finishRun, freeSchedules, insertSchedules, renewRun, takeRun } from "./schedule-store.ts";

/** How long a run is kept from others after the last sign of life of whoever has it. */
const LEASE_MS = 30_000;
const RENEW_MS = 10_000;
/** How often a schedule with long pauses is looked at: who waits for a process that died waits no longer than this. */
const LONGEST_LOOK_MS = 5000;
const MAX_ERROR_LENGTH = 500;

/** Something to do again and again. */
export type Schedule = {
  readonly name: string;
  /** From the start of one run to the start of the next. */
  readonly everyMs: number;
  /**
   * Does all that is due. It ends soon after `signal` is aborted, and leaves the rest to the next run. What it changes
   * with `pool` is changed in the schedule's name.
   */
  run(pool: Pool, signal: AbortSignal): Promise<void>;
};

export type SchedulerOptions = {
  readonly pool: Pool;
  readonly schedules: readonly Schedule[];
  readonly logger: Logger;
};

/** Runs schedules. A run that fails is noted, and disturbs neither the other schedules nor its own next run. */
export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #holder = `${process.pid}-${randomUUID().slice(0, 8)}`;
  readonly #stopping = new AbortController();
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #timers: NodeJS.Timeout[] = [];

  constructor(options: SchedulerOptions) {
    this.#options = options;
  }

  /** Begins. `alone` says that no other process can be alive, so that what a dead one was running is free at once. */
  async start(alone: boolean): Promise<void> {
    const { pool, schedules } = this.#options;
    if (alone) await freeSchedules(pool);
    await insertSchedules(
      pool,
      schedules.map(({ name }) => name),
    );
    for (const schedule of schedules) {
      this.#timers.push(setInterval(() => this.#look(schedule), Math.min(schedule.everyMs, LONGEST_LOOK_MS)));
      this.#look(schedule);
    }
  }

  /** Begins no run any more, and waits for those under way. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.all(this.#underWay.values());
  }

  #look(schedule: Schedule): void {
    const { name } = schedule;
    if (this.#underWay.has(name) || this.#stopping.signal.aborted) return;
    const run = this.#runIfDue(schedule)
      .catch((error: unknown) => this.#options.logger.warn({ err: error, schedule: name }, "could not look for a run"))
      .finally(() => this.#underWay.delete(name));
    this.#underWay.set(name, run);
  }

  async #runIfDue(schedule: Schedule): Promise<void> {
    const { name, everyMs } = schedule;
    const { pool, logger } = this.#options;
    if (!(await takeRun(pool, name, this.#holder, { everyMs, leaseMs: LEASE_MS }))) return;
    const lost = new AbortController();
    const renewal = setInterval(() => {
      renewRun(pool, name, this.#holder, LEASE_MS)
        .then((kept) => (kept ? undefined : lost.abort()))
        .catch((error: unknown) => logger.warn({ err: error, schedule: name }, "could not keep a run's lease"));
    }, RENEW_MS);
    let failure: string | null = null;
    try {
      await schedule.run(actingAs(pool, actorOf("job", name)), AbortSignal.any([this.#stopping.signal, lost.signal]));
    } catch (error) {
      failure = (error instanceof Error ? error.message : String(error)).slice(0, MAX_ERROR_LENGTH) || "unknown";
      logger.error({ err: error, schedule: name }, "a scheduled run failed");
    } finally {
      clearInterval(renewal);
    }
    await finishRun(pool, name, this.#holder, failure);
  }
}
