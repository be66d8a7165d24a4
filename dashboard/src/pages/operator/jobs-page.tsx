// What runs by itself in the installation: queues and schedules. The check of the books is ledger-check.tsx.
// What belongs here: those tables.
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { DataTable, type Column } from "../../components/data-table.tsx";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { moment } from "../../format/time.ts";
import { jobs } from "../../strings/operator.ts";
import { LedgerCheck } from "./ledger-check.tsx";

type Queue = {
  readonly queue: string;
  readonly waiting: string;
  readonly retrying: string;
  readonly failed: string;
  readonly oldest_due_at: string | null;
};
type Schedule = {
  readonly schedule: string;
  readonly running: boolean;
  readonly last_finished_at: string | null;
  readonly last_error: string;
  readonly next_run_at: string;
  readonly runs: string;
  readonly failures: string;
};

const QUEUES: readonly Column<Queue>[] = [
  { key: "queue", title: jobs.queue, render: ({ queue }) => queue },
  { key: "waiting", title: jobs.waiting, align: "right", render: ({ waiting }) => waiting },
  { key: "retrying", title: jobs.retrying, align: "right", hideBelow: "sm", render: ({ retrying }) => retrying },
  { key: "failed", title: jobs.failed, align: "right", render: ({ failed }) => failed },
  {
    key: "oldest",
    title: jobs.oldest,
    hideBelow: "sm",
    render: ({ oldest_due_at: at }) => (at === null ? "–" : moment(at)),
  },
];

const SCHEDULES: readonly Column<Schedule>[] = [
  { key: "schedule", title: jobs.schedule, render: ({ schedule }) => schedule },
  {
    key: "state",
    title: jobs.state,
    render: ({ running, last_error }) =>
      last_error === "" ? (
        <StatusBadge status={running ? jobs.running : jobs.idle} tone={running ? "info" : "neutral"} />
      ) : (
        <StatusBadge status={jobs.lastError} tone="danger" />
      ),
  },
  {
    key: "last",
    title: jobs.lastRun,
    hideBelow: "sm",
    render: ({ last_finished_at: at }) => (at === null ? jobs.never : moment(at)),
  },
  { key: "next", title: jobs.nextRun, hideBelow: "md", render: ({ next_run_at }) => moment(next_run_at) },
  { key: "runs", title: jobs.runs, align: "right", hideBelow: "md", render: ({ runs }) => runs },
  { key: "failures", title: jobs.failures, align: "right", render: ({ failures }) => failures },
  { key: "error", title: jobs.lastError, hideBelow: "lg", render: ({ last_error }) => last_error || "–" },
];

/** Jobs and checks. */
export function Page() {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ["/jobs"],
    queryFn: ({ signal }) => api<{ queues: Queue[]; schedules: Schedule[] }>("GET", "/jobs", { signal }),
  });
  const refresh = (
    <Button variant="default" onClick={() => void refetch()}>
      {jobs.refresh}
    </Button>
  );
  return (
    <Outline title={jobs.title} hint={jobs.hint} actions={refresh}>
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      <Panel title={jobs.queues} flush>
        <DataTable
          caption={jobs.queues}
          columns={QUEUES}
          rows={data?.queues ?? []}
          rowKey={({ queue }) => queue}
          isLoading={isPending}
        />
      </Panel>
      <Panel title={jobs.schedules} flush>
        <DataTable
          caption={jobs.schedules}
          columns={SCHEDULES}
          rows={data?.schedules ?? []}
          rowKey={({ schedule }) => schedule}
          isLoading={isPending}
        />
      </Panel>
      <LedgerCheck />
    </Outline>
  );
}
