// SQL of scheduled jobs: their holders and leases, and the results of their last runs. Times are the database's, so
// that the clocks of several machines don't matter.
import type { Queryable } from "../database/pool.ts";
import { table } from "../database/table.ts";

/** The state of a schedule. */
export type ScheduleState = {
  readonly name: string;
  /** `null` if no server starts it. */
  readonly nextRunAt: Temporal.Instant | null;
  /** The process that is running it; `null` while nobody is. */
  readonly holder: string | null;
  readonly lastStartedAt: Temporal.Instant | null;
  readonly lastFinishedAt: Temporal.Instant | null;
  /** `null` if the last run succeeded. */
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

/** The longest lease. One that ends later was not taken by a process, and is ignored. */
const LONGEST_LEASE = "interval '5 minutes'";
const IS_FREE = `(schedule.holder is null or schedule.lease_until < now() or schedule.lease_until > now() + ${LONGEST_LEASE})`;

/** Inserts missing rows of schedules, due at once. */
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
 * Claims the due runs of these schedules that no process is running, for `leaseMs`. A time too far ahead counts as due.
 * The next run of each is due in `everyMs`. Returns the claimed names.
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
          -- No run is due later than its pause allows; another process's now may be slightly later.
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

/** Claims a run on request, for `leaseMs`. Returns false if a process is running it. */
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

/** Renews a lease. Returns false if another process took over after the lease ended. */
export async function renewRun(db: Queryable, name: string, holder: string, leaseMs: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `update schedule set lease_until = now() + $3 * interval '1 millisecond'
     where schedule_name = $1 and holder = $2`,
    [name, holder, leaseMs],
  );
  return rowCount === 1;
}

/** Records the end of a run. `error` is `null` on success; `result` are its findings, if any. */
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

/** Records the end of a run that people or their timers started; `error` and `result` as above. */
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

/** Every schedule, by name. A holder whose lease has ended counts as dead. */
export function listSchedules(db: Queryable): Promise<ScheduleState[]> {
  const holder = "case when lease_until > now() then holder end as holder";
  const others = SCHEDULES.without("holder").columns;
  return SCHEDULES.select(db, `select ${others}, ${holder} from schedule order by schedule_name`);
}

/**
 * The time up to which a schedule has done its work, or should have: the end of its last run, or, if its runs fail or
 * are overdue by more than an hour, the end of the last run of any other schedule. `null` if it never ran, or is
 * running after a pause.
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

/** The start of the current run, and the findings of the last one; each `null` if there is none. */
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
