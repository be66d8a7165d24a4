// Routes of what runs by itself, for operators: queues, schedules, and the check of the books.
import { countMailQueue } from "../notifications/index.ts";
import { countTransferQueue } from "../payouts/index.ts";
import type { QueueState } from "../platform/jobs/worker.ts";
import { listSchedules, type ScheduleState } from "../platform/jobs/schedule-store.ts";
import { formatTimestamp } from "../platform/time.ts";
import { countSubscriptionQueue } from "../subscriptions/index.ts";
import { countWebhookQueue } from "../webhooks/index.ts";
import { operatorRoute, type DashboardScope } from "./guarded-routes.ts";
import type { LedgerCheck } from "./ledger-check.ts";

const VIOLATIONS_SHOWN = 200;
/** Of the installation, which has no merchant's time zone. */
const TIME_ZONE = "UTC";
const permission = "jobs.view";

/** Adds what tells how the work in the background stands. */
export function registerJobRoutes(scope: DashboardScope) {
  const { parts } = scope;
  return [
    operatorRoute(scope, {
      route: "GET /jobs",
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
      permission,
      handler: () => describeCheck(parts.ledgerCheck),
    }),
    operatorRoute(scope, {
      route: "POST /ledger-check",
      permission,
      handler: () => ({ started: parts.ledgerCheck.start(), ...describeCheck(parts.ledgerCheck) }),
    }),
  ];
}

function describeQueue({ name, waiting, retrying, failed, oldestDueAt }: QueueState) {
  return {
    queue: name,
    waiting: String(waiting),
    retrying: String(retrying),
    failed: String(failed),
    oldest_due_at: formatTimestamp(oldestDueAt, TIME_ZONE),
  };
}

function describeSchedule(state: ScheduleState) {
  return {
    schedule: state.name,
    running: state.holder !== null,
    last_finished_at: formatTimestamp(state.lastFinishedAt, TIME_ZONE),
    last_error: state.lastError ?? "",
    next_run_at: formatTimestamp(state.nextRunAt, TIME_ZONE),
    runs: String(state.runs),
    failures: String(state.failures),
  };
}

function describeCheck({ runningSince, last }: LedgerCheck) {
  /** Counts by name, in the order in which they are shown. */
  const summary: Readonly<Record<string, string | number | boolean>> = last?.findings?.summary ?? {};
  return {
    running_since: formatTimestamp(runningSince, TIME_ZONE),
    last: last && {
      started_at: formatTimestamp(last.startedAt, TIME_ZONE),
      finished_at: formatTimestamp(last.finishedAt, TIME_ZONE),
      ok: last.findings?.summary.ok ?? null,
      error: last.error,
      summary,
      violations: last.findings?.violations.slice(0, VIOLATIONS_SHOWN) ?? [],
    },
  };
}
