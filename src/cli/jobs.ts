// `nodal jobs`: scheduled jobs and queues. Each domain counts its own queue.
import { countMailQueue } from "../notifications/index.ts";
import { countBatchQueue, countTransferQueue } from "../payouts/index.ts";
import type { QueueState } from "../platform/jobs/worker.ts";
import { listSchedules, type ScheduleState } from "../platform/jobs/schedule-store.ts";
import { countSubscriptionQueue } from "../subscriptions/index.ts";
import { countWebhookQueue } from "../webhooks/index.ts";
import { installationCommand } from "./command.ts";
import { formatTable, paragraphs } from "./output.ts";

export const jobs = installationCommand({
  description: "show queued and failed work, and when each schedule last ran; times are UTC",
  example: "nodal jobs",
  async run({ pool }) {
    const queues = [];
    const counts = [countTransferQueue, countBatchQueue, countSubscriptionQueue, countMailQueue, countWebhookQueue];
    for (const count of counts) {
      queues.push(describeQueue(await count(pool)));
    }
    const schedules = (await listSchedules(pool)).map(describeSchedule);
    const whenEmpty = "No schedule has run yet: start the server with `nodal start`.";
    return {
      json: { queues, schedules },
      text: paragraphs(formatTable(queues, ""), formatTable(schedules, whenEmpty)),
    };
  },
});

function describeQueue({ name, waiting, retrying, failed, oldestDueAt }: QueueState) {
  return {
    queue: name,
    waiting: Number(waiting),
    retrying: Number(retrying),
    failed: Number(failed),
    oldest_due_at: toSecond(oldestDueAt),
  };
}

function describeSchedule(state: ScheduleState) {
  return {
    schedule: state.name,
    state: state.holder === null ? "idle" : "running",
    last_started_at: toSecond(state.lastStartedAt),
    last_finished_at: toSecond(state.lastFinishedAt),
    last_error: state.lastError,
    next_run_at: toSecond(state.nextRunAt),
    runs: Number(state.runs),
    failures: Number(state.failures),
  };
}

function toSecond(at: Temporal.Instant | null): string | null {
  return at?.toString({ smallestUnit: "second" }) ?? null;
}
