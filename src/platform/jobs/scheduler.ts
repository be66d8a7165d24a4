// Scheduled jobs: each runs in one process at a time, even if processes die.
import { randomUUID } from "node:crypto";
import { actingAs } from "../database/tenant.ts";
import type { Pool } from "../database/pool.ts";
import type { Logger } from "../log.ts";
import { actorOf } from "../origin.ts";
import { Worker } from "./worker.ts";
import { finishRun, freeSchedules, insertSchedules, renewRun, takeRuns } from "./schedule-store.ts";

/** How long a run stays claimed after its process's last renewal. */
const LEASE_MS = 30_000;
const RENEW_MS = 10_000;
/** The longest interval between checks of a schedule, which limits the wait after a process died. */
const LONGEST_LOOK_MS = 5000;
/** How often missing rows are inserted again: without one a schedule would never run. */
const INSERT_MS = 60_000;
/** All are due when a server starts. With this spacing, most reuse a connection that another has released. */
const SPACING_MS = 50;
const MAX_ERROR_LENGTH = 500;

/** A recurring job. */
export type Schedule = {
  readonly name: string;
  /** From the start of one run to the start of the next. */
  readonly everyMs: number;
  /**
   * Does all that is due. It ends soon after `signal` is aborted, and leaves the rest to the next run. The schedule is
   * the actor of changes through `pool`.
   */
  run(pool: Pool, signal: AbortSignal): Promise<void>;
};

export type SchedulerOptions = {
  readonly pool: Pool;
  readonly schedules: readonly Schedule[];
  readonly logger: Logger;
};

/** Runs schedules. A failing run is recorded, and affects neither other schedules nor its next run. */
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

  /** Starts. With `alone`, no other process can be alive, so that leases of dead ones are freed at once. */
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

  /** Starts no more runs, and waits for the current ones. */
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
