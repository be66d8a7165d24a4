// Routes of what runs by itself, for operators: queues, schedules, and the check of the books.
// What belongs here: wire shapes, no logic.
import { countMailQueue } from "../notifications/index.ts";
import { countTransferQueue } from "../payouts/index.ts";
import type { QueueState } from "../platform/jobs/queue.ts";
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
export function registerJobRoutes(scope: DashboardScope): void {
  const { parts } = scope;
  operatorRoute(scope, {
    method: "GET",
    url: "/jobs",
    permission,
    handler: async () => {
      const { pool } = parts;
      const queues = [];
      for (const count of [countTransferQueue, countSubscriptionQueue, countMailQueue, countWebhookQueue]) {
        queues.push(describeQueue(await count(pool)));
      }
      return { queues, schedules: (await listSchedules(pool)).map(describeSchedule) };
    },
  });

  operatorRoute(scope, {
    method: "GET",
    url: "/ledger-check",
    permission,
    handler: () => describeCheck(parts.ledgerCheck),
  });

  operatorRoute(scope, {
    method: "POST",
    url: "/ledger-check",
    permission,
    handler: () => ({ started: parts.ledgerCheck.start(), ...describeCheck(parts.ledgerCheck) }),
  });
}

const time = (at: Temporal.Instant | null): string | null => at && formatTimestamp(at, TIME_ZONE);

function describeQueue({ name, waiting, retrying, failed, oldestDueAt }: QueueState) {
  return {
    queue: name,
    waiting: String(waiting),
    retrying: String(retrying),
    failed: String(failed),
    oldest_due_at: time(oldestDueAt),
  };
}

function describeSchedule(state: ScheduleState) {
  return {
    schedule: state.name,
    running: state.holder !== null,
    last_finished_at: time(state.lastFinishedAt),
    last_error: state.lastError ?? "",
    next_run_at: time(state.nextRunAt),
    runs: String(state.runs),
    failures: String(state.failures),
  };
}

function describeCheck({ runningSince, last }: LedgerCheck) {
  return {
    running_since: time(runningSince),
    last: last && {
      started_at: time(last.startedAt),
      finished_at: time(last.finishedAt),
      ok: last.findings?.ok ?? null,
      error: last.error,
      summary: last.findings?.summary ?? {},
      violations: last.findings?.violations.slice(0, VIOLATIONS_SHOWN) ?? [],
    },
  };
}
