// SQL of what runs by schedule: who runs what, until when, and how the last run ended.
// What belongs here: the table schedule. Times are the database's, so that the clocks of several machines don't matter.
import type { Queryable } from "../database/pool.ts";
import { table } from "../database/table.ts";

/** How a schedule stands. */
export type ScheduleState = {
  readonly name: string;
  /** `null` for what no server runs by itself. */
  readonly nextRunAt: Temporal.Instant | null;
  /** The process that is running it; `null` while nobody is. */
  readonly holder: string | null;
  readonly lastStartedAt: Temporal.Instant | null;
  readonly lastFinishedAt: Temporal.Instant | null;
  /** `null` where the last run went well. */
  readonly lastError: string | null;
  readonly runs: bigint;
  readonly failures: bigint;
};

const SCHEDULES = table<ScheduleState, object>("schedule", [], {
  name: "schedule_name text",
  nextRunAt: "timestamptz",
  holder: "text",
  lastStartedAt: "timestamptz",
  lastFinishedAt: "timestamptz",
  lastError: "text",
  runs: "bigint",
  failures: "bigint",
});

/** Makes the rows of schedules that have none yet: they are due at once. */
export async function insertSchedules(db: Queryable, names: readonly string[]): Promise<void> {
  await db.query(
    `insert into schedule (schedule_name, next_run_at) select name, now() from unnest($1::text[]) as name
     on conflict (schedule_name) do nothing`,
    [names],
  );
}

/** Frees every schedule, for when no other process can be alive. */
export async function freeSchedules(db: Queryable): Promise<void> {
  await db.query("update schedule set holder = null, lease_until = null where holder is not null");
}

/** A schedule, and the milliseconds from the start of one run to the start of the next. */
export type Pace = { readonly name: string; readonly everyMs: number };

/**
 * Takes the runs of these schedules that are due and that nobody is running, for `leaseMs`, and puts the next one of each its
 * `everyMs` from now. Returns the names of those that were taken.
 */
export async function takeRuns(
  db: Queryable,
  holder: string,
  paces: readonly Pace[],
  leaseMs: number,
): Promise<string[]> {
  const { rows } = await db.query<{ schedule_name: string }>({
    name: "take-runs",
    text: `with due as (
        select schedule_name, every_ms
        from schedule join unnest($3::text[], $4::bigint[]) as pace (name, every_ms) on schedule_name = pace.name
        where next_run_at <= now() and (holder is null or lease_until < now())
        order by schedule_name
        for update of schedule skip locked)
      update schedule set
        holder = $1, lease_until = now() + $2 * interval '1 millisecond',
        next_run_at = now() + every_ms * interval '1 millisecond', last_started_at = now()
      from due
      where schedule.schedule_name = due.schedule_name
      returning schedule.schedule_name`,
    values: [holder, leaseMs, paces.map(({ name }) => name), paces.map(({ everyMs }) => everyMs)],
  });
  return rows.map((row) => row.schedule_name);
}

/** Keeps a run. Returns false where it was taken over, because its lease had ended. */
export async function renewRun(db: Queryable, name: string, holder: string, leaseMs: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `update schedule set lease_until = now() + $3 * interval '1 millisecond'
     where schedule_name = $1 and holder = $2`,
    [name, holder, leaseMs],
  );
  return rowCount === 1;
}

/** Notes how a run ended. `error` is `null` where it went well. */
export async function finishRun(db: Queryable, name: string, holder: string, error: string | null): Promise<void> {
  await db.query({
    name: "finish-run",
    text: `update schedule set
        holder = null, lease_until = null, last_finished_at = now(), last_error = $3, runs = runs + 1,
        failures = failures + case when $3::text is null then 0 else 1 end
      where schedule_name = $1 and holder = $2`,
    values: [name, holder, error],
  });
}

/** Notes how a run ended that people or their timers began. `error` is `null` where it went well. */
export async function noteRun(
  db: Queryable,
  name: string,
  startedAt: Temporal.Instant,
  error: string | null,
): Promise<void> {
  await db.query(
    `insert into schedule (schedule_name, last_started_at, last_finished_at, last_error, runs, failures)
     values ($1, $2, now(), $3, 1, case when $3::text is null then 0 else 1 end)
     on conflict (schedule_name) do update set
       last_started_at = excluded.last_started_at, last_finished_at = excluded.last_finished_at,
       last_error = excluded.last_error, runs = schedule.runs + 1, failures = schedule.failures + excluded.failures`,
    [name, startedAt.toString(), error],
  );
}

/** Every schedule, by name. */
export function listSchedules(db: Queryable): Promise<ScheduleState[]> {
  return SCHEDULES.select(db, "select * from schedule order by schedule_name");
}
