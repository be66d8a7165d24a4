// What runs again and again: each schedule in one process at a time, whatever dies.
import { randomUUID } from "node:crypto";
import { actingAs } from "../database/tenant.ts";
import type { Pool } from "../database/pool.ts";
import type { Logger } from "../log.ts";
import { actorOf } from "../origin.ts";
import { Worker } from "./worker.ts";
import { finishRun, freeSchedules, insertSchedules, renewRun, takeRuns } from "./schedule-store.ts";

/** How long a run is kept from others after the last sign of life of the process that has it. */
const LEASE_MS = 30_000;
const RENEW_MS = 10_000;
/** How often a schedule with long pauses is looked at: who waits for a process that died waits no longer than this. */
const LONGEST_LOOK_MS = 5000;
/** How often rows that are missing are made again: without one a schedule would never run. */
const INSERT_MS = 60_000;
/** All are due when a server starts. So apart, most find a connection that another has left, and open none. */
const SPACING_MS = 50;
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
  readonly #worker: Worker<Schedule>;
  #insertedAtMs = -Infinity;
  /** Aborted for those whose lease was lost. */
  readonly #lost = new Map<Schedule, AbortController>();

  constructor(options: SchedulerOptions) {
    const { schedules, logger } = options;
    this.#options = options;
    this.#worker = new Worker({
      name: "scheduled runs",
      logger,
      atOnce: Infinity,
      lookMs: Math.min(LONGEST_LOOK_MS, ...schedules.map(({ everyMs }) => everyMs)),
      find: (_room, inProgress) => this.#takeDue(inProgress),
      run: (schedule) => this.#run(schedule),
      spacingMs: SPACING_MS,
      renewal: {
        everyMs: RENEW_MS,
        renew: (inProgress) => Promise.all(inProgress.map((schedule) => this.#renew(schedule))),
      },
    });
  }

  /** Begins. `alone` says that no other process can be alive, so that what a dead one was running is free at once. */
  async start(alone: boolean): Promise<void> {
    if (alone) await freeSchedules(this.#options.pool);
    await this.#insertMissing();
    this.#worker.start();
  }

  async #insertMissing(): Promise<void> {
    const { pool, schedules } = this.#options;
    await insertSchedules(
      pool,
      schedules.map(({ name }) => name),
    );
    this.#insertedAtMs = performance.now();
  }

  /** Begins no run any more, and waits for those under way. */
  stop(): Promise<void> {
    return this.#worker.stop();
  }

  async #takeDue(inProgress: readonly Schedule[]): Promise<Schedule[]> {
    const { pool, schedules } = this.#options;
    const free = schedules.filter((schedule) => !inProgress.includes(schedule));
    if (free.length === 0) return [];
    if (performance.now() - this.#insertedAtMs >= INSERT_MS) await this.#insertMissing();
    const taken = new Set(await takeRuns(pool, this.#holder, free, LEASE_MS));
    return free.filter(({ name }) => taken.has(name));
  }

  async #renew(schedule: Schedule): Promise<void> {
    const isKept = await renewRun(this.#options.pool, schedule.name, this.#holder, LEASE_MS);
    if (!isKept) this.#lost.get(schedule)?.abort();
  }

  async #run(schedule: Schedule): Promise<void> {
    const { name } = schedule;
    const { pool, logger } = this.#options;
    const lost = new AbortController();
    this.#lost.set(schedule, lost);
    let failure: string | null = null;
    try {
      await schedule.run(actingAs(pool, actorOf("job", name)), AbortSignal.any([this.#worker.stopping, lost.signal]));
    } catch (error) {
      failure = (error instanceof Error ? error.message : String(error)).slice(0, MAX_ERROR_LENGTH) || "unknown";
      logger.error({ err: error, schedule: name }, "a scheduled run failed");
    }
    await finishRun(pool, name, this.#holder, failure);
  }
}
