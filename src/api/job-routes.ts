// Routes of background jobs, for operators: queues, schedules, and the check of the books.
import type { LedgerCheck } from "../installation/index.ts";
import { countMailQueue } from "../notifications/index.ts";
import { countTransferQueue } from "../payouts/index.ts";
import type { QueueState } from "../platform/jobs/worker.ts";
import { listSchedules, type ScheduleState } from "../platform/jobs/schedule-store.ts";
import { formatInstant } from "../platform/time.ts";
import { countSubscriptionQueue } from "../subscriptions/index.ts";
import { countWebhookQueue } from "../webhooks/index.ts";
import { operatorRoute, type DashboardScope } from "./guarded-routes.ts";

/** The installation has no merchant's time zone. */
const TIME_ZONE = "UTC";
const permission = "jobs.view";

/** Adds the status of background jobs. */
export function registerJobRoutes(scope: DashboardScope) {
  const { parts } = scope;
  return [
    operatorRoute(scope, {
      route: "GET /jobs",
      summary: "Read the state of the background jobs",
      permission,
      handler: async () => {
        const { pool } = parts;
        const queues = [];
        for (const count of [countTransferQueue, countSubscriptionQueue, countMailQueue, countWebhookQueue]) {
          queues.push(describeQueue(await count(pool)));
        }
        return { queues, schedules: (await listSchedules(pool)).map(describeSchedule) };
      },
    }),
    operatorRoute(scope, {
      route: "GET /ledger-check",
      summary: "Read the last check of the ledger",
      permission,
      handler: async () => describeCheck(await parts.ledgerCheck.state()),
    }),
    operatorRoute(scope, {
      route: "POST /ledger-check",
      summary: "Start a check of the ledger",
      once: "changes_nothing",
      permission,
      handler: async () => {
        const started = await parts.ledgerCheck.start();
        return { started, ...describeCheck(await parts.ledgerCheck.state()) };
      },
    }),
  ];
}

function describeQueue({ name, waiting, retrying, failed, oldestDueAt }: QueueState) {
  return {
    queue: name,
    waiting: String(waiting),
    retrying: String(retrying),
    failed: String(failed),
    oldest_due_at: formatInstant(oldestDueAt, TIME_ZONE),
  };
}

function describeSchedule(state: ScheduleState) {
  return {
    schedule: state.name,
    running: state.holder !== null,
    last_finished_at: formatInstant(state.lastFinishedAt, TIME_ZONE),
    last_error: state.lastError ?? "",
    next_run_at: formatInstant(state.nextRunAt, TIME_ZONE),
    runs: String(state.runs),
    failures: String(state.failures),
  };
}

function describeCheck({ runningSince, last }: Awaited<ReturnType<LedgerCheck["state"]>>) {
  /** Counts by name, in the order in which they are shown. */
  const summary: Readonly<Record<string, string | number | boolean>> = last?.findings?.summary ?? {};
  return {
    running_since: formatInstant(runningSince, TIME_ZONE),
    last: last && {
      started_at: timeOf(last.startedAt),
      finished_at: timeOf(last.finishedAt),
      ok: last.findings?.summary.ok ?? null,
      error: last.error,
      summary,
      violations: last.findings?.violations ?? [],
    },
  };
}

function timeOf(instant: string): string {
  return formatInstant(Temporal.Instant.from(instant), TIME_ZONE);
}
