// The check of the books: started here, followed while it runs, and what it found.
// What belongs here: that panel.
import { Button, Group, Loader, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { DataTable, type Column } from "../../components/data-table.tsx";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { Facts } from "../../components/facts.tsx";
import { Panel } from "../../components/page.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { moment } from "../../format/time.ts";
import { jobs } from "../../strings/operator.ts";

type Violation = {
  readonly check: string;
  readonly merchant_id: string | null;
  readonly subject_id: string | null;
  readonly message: string;
};
type Check = {
  readonly running_since: string | null;
  readonly last: {
    readonly started_at: string;
    readonly finished_at: string;
    /** `null` where it could not be run. */
    readonly ok: boolean | null;
    readonly error: string | null;
    readonly summary: Readonly<Record<string, unknown>>;
    readonly violations: readonly Violation[];
  } | null;
};

const KEY = ["/ledger-check"];
const LOOK_EVERY_MS = 2000;

const COLUMNS: readonly Column<Violation>[] = [
  { key: "check", title: jobs.rule, render: ({ check }) => check },
  { key: "merchant", title: jobs.merchant, hideBelow: "sm", render: ({ merchant_id: id }) => id ?? "–" },
  { key: "subject", title: jobs.subject, hideBelow: "md", render: ({ subject_id: id }) => id ?? "–" },
  { key: "what", title: jobs.what, render: ({ message }) => message },
];

/** The panel of the check. */
export function LedgerCheck() {
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => api<Check>("GET", "/ledger-check", { signal }),
    refetchInterval: ({ state }) => (state.data?.running_since ? LOOK_EVERY_MS : false),
  });
  const start = useMutation({
    mutationFn: () => api<Check>("POST", "/ledger-check"),
    onSuccess: (check) => queries.setQueryData(KEY, check),
  });
  const since = data?.running_since ?? null;
  const button = (
    <Button onClick={() => start.mutate()} disabled={!data || since !== null} loading={start.isPending}>
      {jobs.start}
    </Button>
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
  const result =
    ok === null ? (
      <StatusBadge status={jobs.failedCheck} tone="danger" />
    ) : ok ? (
      <StatusBadge status={jobs.holds} tone="success" />
    ) : (
      <StatusBadge status={jobs.broken(violations.length)} tone="danger" />
    );
  const counts = Object.entries(summary).filter(([name]) => name !== "ok");
  return (
    <>
      <Facts
        facts={[
          { label: jobs.result, value: result },
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
