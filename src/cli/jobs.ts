// `nodal jobs`: what runs by schedule, and what waits in the queues.
// What belongs here: options and what is printed. Each domain counts its own queue.
import type { Command } from "commander";
import { countMailQueue } from "../notifications/index.ts";
import { countTransferQueue } from "../payouts/index.ts";
import type { Queryable } from "../platform/database/pool.ts";
import type { QueueState } from "../platform/jobs/queue.ts";
import { listSchedules, type ScheduleState } from "../platform/jobs/schedule-store.ts";
import { countSubscriptionQueue } from "../subscriptions/index.ts";
import { countWebhookQueue } from "../webhooks/index.ts";
import { onInstallation, type Answer, type Installation } from "./command.ts";
import { optionsOf } from "./options.ts";
import { example, formatTable } from "./output.ts";

const QUEUES: readonly ((db: Queryable) => Promise<QueueState>)[] = [
  countTransferQueue,
  countSubscriptionQueue,
  countMailQueue,
  countWebhookQueue,
];

/** Adds `jobs`. */
export function registerJobs(program: Command): void {
  program
    .command("jobs")
    .description("show what waits, what failed, and when each schedule last ran; times are UTC")
    .addHelpText("after", example("nodal jobs"))
    .action(onInstallation(optionsOf({}), jobs));
}

async function jobs({ pool }: Installation): Promise<Answer> {
  const queues = [];
  for (const count of QUEUES) queues.push(describeQueue(await count(pool)));
  const schedules = (await listSchedules(pool)).map(describeSchedule);
  const tables = [
    formatTable(queues, ""),
    formatTable(schedules, "Nothing has run by schedule yet: start the server with `nodal start`."),
  ];
  return { json: { queues, schedules }, text: tables.join("\n\n") };
}

function describeQueue({ name, waiting, retrying, failed, oldestDueAt }: QueueState) {
  return {
    queue: name,
    waiting: Number(waiting),
    retrying: Number(retrying),
    failed: Number(failed),
    oldest_due_at: oldestDueAt?.toString({ smallestUnit: "second" }) ?? null,
  };
}

function describeSchedule(state: ScheduleState) {
  return {
    schedule: state.name,
    state: state.holder === null ? "idle" : "running",
    last_started_at: state.lastStartedAt?.toString({ smallestUnit: "second" }) ?? null,
    last_finished_at: state.lastFinishedAt?.toString({ smallestUnit: "second" }) ?? null,
    last_error: state.lastError,
    next_run_at: state.nextRunAt.toString({ smallestUnit: "second" }),
    runs: Number(state.runs),
    failures: Number(state.failures),
  };
}
