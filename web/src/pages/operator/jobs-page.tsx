// The installation's background work (queues and schedules), and the check of the books.
import { Group, Loader, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import type { Answer } from "../../api/contract.ts";
import { useChanged, useGet } from "../../api/queries.ts";
import { Action } from "../../components/actions.tsx";
import { DataTable, type Column } from "../../components/data-table.tsx";
import { ErrorNotice } from "../../components/notices.tsx";
import { Page as Outline, Panel } from "../../components/page.tsx";
import { TablePanel } from "../../components/table-panel.tsx";
import { Facts, StatusBadge } from "../../components/values.tsx";
import { moment } from "../../format/time.ts";
import { jobs } from "../../strings/operator.ts";
import { titles } from "../../strings/titles.ts";

type Queue = Answer<"GET", "/jobs">["queues"][number];
type Schedule = Answer<"GET", "/jobs">["schedules"][number];

const QUEUES: readonly Column<Queue>[] = [
  { key: "queue", title: jobs.queue },
  { key: "waiting", title: jobs.waiting, align: "right" },
  { key: "retrying", title: jobs.retrying, align: "right", hideBelow: "sm" },
  { key: "failed", title: jobs.failed, align: "right" },
  {
    key: "oldest",
    title: jobs.oldest,
    hideBelow: "sm",
    render: ({ oldest_due_at: at }) => (at === null ? "–" : moment(at)),
  },
];

const SCHEDULES: readonly Column<Schedule>[] = [
  { key: "schedule", title: jobs.schedule },
  {
    key: "state",
    title: jobs.state,
    render: ({ running, last_error }) => {
      if (last_error !== "") return <StatusBadge status={jobs.lastError} tone="danger" />;
      return <StatusBadge status={running ? jobs.running : jobs.idle} tone={running ? "info" : "neutral"} />;
    },
  },
  {
    key: "last",
    title: jobs.lastRun,
    hideBelow: "sm",
    render: ({ last_finished_at: at }) => (at === null ? jobs.never : moment(at)),
  },
  { key: "next_run_at", title: jobs.nextRun, hideBelow: "md", as: "moment" },
  { key: "runs", title: jobs.runs, align: "right", hideBelow: "md" },
  { key: "failures", title: jobs.failures, align: "right", hideBelow: "sm" },
  { key: "error", title: jobs.lastError, hideBelow: "lg", render: ({ last_error }) => last_error || "–" },
];

/** Jobs and checks. */
export function Page() {
  const { data, ...asked } = useGet("/jobs");
  const refresh = <Action label={jobs.refresh} onClick={() => void asked.refetch()} />;
  return (
    <Outline title={titles.jobs} hint={jobs.hint} actions={refresh}>
      <TablePanel title={jobs.queues} of={asked} columns={QUEUES} rows={data?.queues} rowKey="queue" />
      <TablePanel title={jobs.schedules} of={asked} columns={SCHEDULES} rows={data?.schedules} rowKey="schedule" />
      <LedgerCheck />
    </Outline>
  );
}

type Violation = NonNullable<Check["last"]>["violations"][number];
type Check = Answer<"GET", "/ledger-check">;

const LOOK_EVERY_MS = 2000;

const COLUMNS: readonly Column<Violation>[] = [
  { key: "check", title: jobs.rule },
  { key: "merchant", title: jobs.merchant, hideBelow: "sm", render: ({ merchant_id: id }) => id ?? "–" },
  { key: "subject", title: jobs.subject, hideBelow: "md", render: ({ subject_id: id }) => id ?? "–" },
  { key: "message", title: jobs.what },
];

/** The panel of the check. */
function LedgerCheck() {
  const changed = useChanged();
  const { data, error, refetch } = useGet("/ledger-check", {
    refetchInterval: ({ state }) => (state.data?.running_since ? LOOK_EVERY_MS : false),
  });
  const start = useMutation({
    mutationFn: () => api("POST", "/ledger-check"),
    onSuccess: () => changed("/ledger-check"),
  });
  const since = data?.running_since ?? null;
  const button = (
    <Action
      label={jobs.start}
      primary
      onClick={() => start.mutate()}
      disabled={!data || since !== null}
      loading={start.isPending}
    />
  );
  const failure = error ?? start.error;
  return (
    <Panel title={jobs.check} actions={button}>
      <Stack gap="md">
        <Text c="dimmed">{jobs.checkHint}</Text>
        {failure && <ErrorNotice error={failure} onRetry={() => void refetch()} />}
        {since !== null && (
          <Group gap="sm" role="status">
            <Loader size="sm" />
            <Text>{jobs.checking(moment(since))}</Text>
          </Group>
        )}
        {data && (data.last ? <LastCheck {...data.last} /> : since === null && <Text>{jobs.neverChecked}</Text>)}
      </Stack>
    </Panel>
  );
}

function LastCheck({ finished_at, ok, error, summary, violations }: NonNullable<Check["last"]>) {
  const word = ok === null ? jobs.failedCheck : ok ? jobs.holds : jobs.broken(violations.length);
  const counts = Object.entries(summary).filter(([name]) => name !== "ok");
  return (
    <>
      <Facts
        facts={[
          { label: jobs.result, value: <StatusBadge status={word} tone={ok ? "success" : "danger"} /> },
          { label: jobs.checked, value: moment(finished_at) },
          ...counts.map(([name, value]) => ({ label: wordsOf(name), value: String(value) })),
        ]}
      />
      {error !== null && <Text>{error}</Text>}
      {violations.length > 0 && (
        <DataTable
          caption={jobs.violations}
          columns={COLUMNS}
          rows={violations}
          rowKey={({ check, merchant_id, subject_id, message }) => [check, merchant_id, subject_id, message].join(" ")}
        />
      )}
    </>
  );
}

/** `stale_transfers` is `Stale transfers`: the check may come to count what this page does not know. */
function wordsOf(name: string): string {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
