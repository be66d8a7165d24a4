// SQL of what runs by schedule: who runs what, until when, and how the last run ended. Times are the database's, so
// that the clocks of several machines don't matter.
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

/** No lease is longer. One that ends later was not taken by a process, and keeps nobody from running the schedule. */
const LONGEST_LEASE = "interval '5 minutes'";
const IS_FREE = `(schedule.holder is null or schedule.lease_until < now() or schedule.lease_until > now() + ${LONGEST_LEASE})`;

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
 * Takes the runs of these schedules that are due and that nobody is running (a time too far ahead counts as due), for `leaseMs`, and puts the next one of each its
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
        where ${IS_FREE} and (
          next_run_at is null or next_run_at <= now()
          -- No run is put off for longer than the pause between two; another process's now may be a little later.
          or next_run_at > now() + every_ms * interval '1 millisecond' + ${LONGEST_LEASE})
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

/** Takes a run that somebody asked for, for `leaseMs`. Returns false where a process is running it. */
export async function takeRequestedRun(db: Queryable, name: string, holder: string, leaseMs: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into schedule (schedule_name, holder, lease_until, last_started_at)
     values ($1, $2, now() + $3 * interval '1 millisecond', now())
     on conflict (schedule_name) do update set
       holder = excluded.holder, lease_until = excluded.lease_until, last_started_at = excluded.last_started_at
     where ${IS_FREE}`,
    [name, holder, leaseMs],
  );
  return rowCount === 1;
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

/** Notes how a run ended. `error` is `null` where it went well; `result` is what it found, if it finds anything. */
export async function finishRun(
  db: Queryable,
  name: string,
  holder: string,
  error: string | null,
  result: object | null = null,
): Promise<void> {
  await db.query({
    name: "finish-run",
    text: `update schedule set
        holder = null, lease_until = null, last_finished_at = now(), last_error = $3, runs = runs + 1,
        failures = failures + case when $3::text is null then 0 else 1 end, last_result = coalesce($4::jsonb, last_result)
      where schedule_name = $1 and holder = $2`,
    values: [name, holder, error, result && JSON.stringify(result)],
  });
}

/** Notes how a run ended that people or their timers began; `error` and `result` as above. */
export async function noteRun(
  db: Queryable,
  name: string,
  startedAt: Temporal.Instant,
  error: string | null,
  result: object | null = null,
): Promise<void> {
  await db.query(
    `insert into schedule (schedule_name, last_started_at, last_finished_at, last_error, runs, failures, last_result)
     values ($1, $2, now(), $3, 1, case when $3::text is null then 0 else 1 end, $4)
     on conflict (schedule_name) do update set
       last_started_at = excluded.last_started_at, last_finished_at = excluded.last_finished_at,
       last_error = excluded.last_error, runs = schedule.runs + 1, failures = schedule.failures + excluded.failures,
       last_result = coalesce(excluded.last_result, schedule.last_result)`,
    [name, startedAt.toString(), error, result && JSON.stringify(result)],
  );
}

/** Every schedule, by name. Whoever let his lease end has died, and is running nothing. */
export function listSchedules(db: Queryable): Promise<ScheduleState[]> {
  const holder = "case when lease_until > now() then holder end as holder";
  const others = SCHEDULES.without("holder").columns;
  return SCHEDULES.select(db, `select ${others}, ${holder} from schedule order by schedule_name`);
}

/**
 * Up to when a schedule has done its work, or should have: the end of its last run, or, where its runs fail or are overdue by
 * more than an hour, the end of the last run of any other schedule. `null` where it never ran, or is running after a pause.
 */
export async function findWorkedUntil(db: Queryable, name: string): Promise<Temporal.Instant | null> {
  const { rows } = await db.query<{ worked_until: Temporal.Instant | null }>(
    `select greatest(
         case when last_error is null then last_finished_at end,
         case when ${IS_FREE} and (last_error is not null or next_run_at < others.ended_at - interval '1 hour')
           then others.ended_at end) as worked_until
     from schedule, (
       select max(last_finished_at) as ended_at from schedule where schedule_name <> $1 and next_run_at is not null
     ) as others
     where schedule_name = $1`,
    [name],
  );
  return rows[0]?.worked_until ?? null;
}

/** Since when a run is under way, and what the last one that ended found; each `null` where there is none. */
export async function findRun(
  db: Queryable,
  name: string,
): Promise<{ runningSince: Temporal.Instant | null; result: unknown }> {
  const { rows } = await db.query<{ running_since: Temporal.Instant | null; last_result: unknown }>(
    `select case when lease_until > now() then last_started_at end as running_since, last_result
     from schedule where schedule_name = $1`,
    [name],
  );
  return { runningSince: rows[0]?.running_since ?? null, result: rows[0]?.last_result ?? null };
}
